// SPDX-License-Identifier: MIT
// values.js TABLE: tries the rows of values.txt in JavaScript.
'use strict';
const assert = require('assert');
const fs = require('fs');
const tvgp = require(process.env.TVGP_PACKAGE);

const p = new tvgp.Policy('tv-gp-ucb', tvgp.grid(0, 1, 11), tvgp.se(0.3), { noise: 0.01 });
let query = null;
const fresh = (options) => new tvgp.Policy('gp-ucb', tvgp.grid(0, 1, 3), tvgp.se(1), options);
const calls = {
  y(v) {
    query = p.ask(p.stat('asked'));
    p.tell(query, v);
  },
  query: (v) => p.tell(v, 1),
  noise_var: (v) => p.observe(0.5, 1, { t: 1e10, noiseVar: v }),
  t: (v) => p.ask(v),
  exposure: (v) => p.observe(0.5, 1, { t: 1e10, exposure: v }),
  outcome: (v) => p.tell(query, undefined, { outcome: v }),
  member: (v) => p.tell(query, 1, { [v]: 1 }),
  x: (v) => p.observe(v, 1, { t: 2e9 }),
  plane: (v) => tvgp.arms([[0, 1], [2, 3]]).append(v),
  cap: (v) => p.ask(1e10, v),
  'option noise': (v) => fresh({ noise: v }),
  'option nosie': (v) => fresh({ nosie: v }),
  'policy tv-gp-ucp': () => new tvgp.Policy('tv-gp-ucp', tvgp.indices(2)),
  'statistic valeus': () => p.stat('valeus'),
  mask: (v) => p.setAvailable(v),
  mean: (v) => p.setPriorMean(v),
  'grid points': (v) => tvgp.grid(0, 1, v),
};
const values = new Map(Object.entries({
  'whole number': 3, 'big integer': 2n ** 60n, nan: NaN, infinity: Infinity, nothing: null, 'text 12,5': '12,5', 'text 7': '7', 'text abc': 'abc',
  date: new Date(Date.UTC(2001, 0, 1)), 'list of two': [1, 2], 'fraction of an id': 1.5, '2^64': 2n ** 64n, 'minus one': -1, 'text 2026-01-31': '2026-01-31',
  fail: 'fail', noisevar: 'noisevar', rounded: Math.fround(0.3), 'between two points': 0.33, 'two coordinates': [0.1, 0.2],
  ragged: [[1, 2], [3]], 'one coordinate': [[1], [2]], zero: 0, number: 1, two: [0, 2, ...Array(9).fill(1)], short: [true, false],
}));
const special = { 'mean nan': Array(11).fill(NaN), 'mean short': [1, 2], 'cap fraction': 1.5, 'grid points fraction': 2.5 };
const state = () => ['values', 'unsolicited', 'pending'].map((key) => p.stat(key));

const rows = fs.readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
let tried = 0;
for (const [call, value, result] of rows) {
  const key = `${call} ${value}`;
  if (!values.has(value) && !(key in special)) continue;
  const before = state();
  let said = 'taken';
  try {
    calls[call](key in special ? special[key] : values.get(value));
  } catch (error) {
    said = error.message;
    if (call === 'y') p.tell(query, undefined, { outcome: 'cancelled' });
    assert.deepStrictEqual(state(), before, key);
  }
  assert(result.split('|').some((part) => said.includes(part)) || (call === 'noise_var' && said.includes('noiseVar')), `${key}: ${said}`);
  tried += 1;
}
console.log(`node: ${tried} of ${rows.length} rows`);
assert(tried >= 51);
