// SPDX-License-Identifier: MIT
// grafana.js NPM TVGP: docs/guide/grafana.json (docs/guide/monitoring.md) has the types of Grafana's schema, sources and variables that it
// defines, panels that do not overlap, and expressions of PromQL over metrics that the program TVGP exports. NPM: the folder whose
// node_modules has typescript, @grafana/schema and @prometheus-io/lezer-promql; exits with 77 where they are not.
'use strict';
const assert = require('assert');
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [npm, tool] = process.argv.slice(2).map((name) => path.resolve(name));
const modules = path.join(npm, 'node_modules');
const tsc = path.join(modules, '.bin', 'tsc');
if (['.bin/tsc', '@grafana/schema', '@prometheus-io/lezer-promql'].some((name) => !fs.existsSync(path.join(modules, name)))) {
  console.log('skipped: typescript, @grafana/schema or @prometheus-io/lezer-promql is not installed (sh .ci/deps.sh tests)');
  process.exit(77);
}
const text = fs.readFileSync(path.join(__dirname, '../docs/guide/grafana.json'), 'utf8');
const board = JSON.parse(text);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'tvgp-'));
process.on('exit', () => fs.rmSync(work, { recursive: true }));

/** What tsc says of a text as a dashboard; values of enumerations are written as strings in JSON. */
function types(json) {
  fs.writeFileSync(path.join(work, 'board.ts'), `import type { Dashboard, GraphFieldConfig, Panel } from '@grafana/schema';
type Plain<T> = T extends string ? (string extends T ? string : \`\${T}\`) : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Series = Plain<Panel<Record<string, unknown>, GraphFieldConfig>> & { type: 'timeseries' };
type Board = Omit<Plain<Dashboard>, 'panels'> & { panels: Series[] };
export const board: Board = ${json};\n`);
  const words = '--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck board.ts'.split(' ');
  return spawnSync(tsc, words, { cwd: work, encoding: 'utf8' }).stdout;
}

/** The metrics of an expression, which must be one of PromQL. */
function metrics(expression) {
  const { parser } = require(path.join(modules, '@prometheus-io/lezer-promql'));
  const found = [];
  parser.parse(expression).iterate({
    enter: (node) => {
      assert(!node.type.isError, `${expression}: no PromQL at ${node.from}`);
      if (node.name === 'Identifier' && node.node.parent.name === 'VectorSelector') found.push(expression.slice(node.from, node.to));
    },
  });
  assert(found.length, expression);
  return found;
}

fs.symlinkSync(modules, path.join(work, 'node_modules'));
assert.strictEqual(types(text), '');
assert.match(types(text.replace('"gridPos"', '"gridpos"')), /gridpos/); // the types are looked at
assert.match(types(text.replace(/"mode": *"absolute"/, '"mode": "any"')), /any/);
assert.throws(() => metrics('increase(tvgp_pending[1d'), /no PromQL/);

execFileSync(tool, ['create', path.join(work, 'state'), 'grid=0:1:11']);
const lines = execFileSync(tool, ['metrics', path.join(work, 'state')], { encoding: 'utf8' }).split('\n');
const exported = new Set(lines.filter((line) => line && line[0] !== '#').map((line) => line.split('{')[0]));
const variables = new Map(board.templating.list.map((variable) => [variable.name, variable]));
const source = ({ type, uid }) => {
  assert.strictEqual(type, variables.get(uid.slice(2, -1)).query, `${uid} is no source of this kind`);
  assert.strictEqual(variables.get(uid.slice(2, -1)).type, 'datasource');
};
for (const { type, query, datasource } of board.templating.list) {
  if (type !== 'query') continue;
  source(datasource);
  const [, metric] = /^label_values\((\w+), \w+\)$/.exec(query);
  assert(exported.has(metric), metric);
}
const taken = new Set();
assert.strictEqual(new Set(board.panels.map((panel) => panel.id)).size, board.panels.length);
for (const { title, gridPos: { x, y, w, h }, datasource, targets } of board.panels) {
  source(datasource);
  assert(x + w <= 24, title);
  for (let i = 0; i < w * h; i++) {
    const cell = `${x + (i % w)} ${y + Math.floor(i / w)}`;
    assert(!taken.has(cell), `${title} overlaps another panel`);
    taken.add(cell);
  }
  assert.strictEqual(new Set(targets.map((target) => target.refId)).size, targets.length);
  for (const { expr } of targets) {
    for (const metric of metrics(expr)) assert(exported.has(metric), `${title}: ${metric} is not exported`);
    for (const [, name] of expr.matchAll(/\$(\w+)/g)) assert(variables.has(name), `${title}: there is no variable ${name}`);
  }
}
console.log(`${board.panels.length} panels, ${exported.size} metrics`);
