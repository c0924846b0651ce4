// SPDX-License-Identifier: MIT
// The arms and points that every policy asks in a game, for node and browsers: a function of the package and the number of steps. The
// same game is in decisions.py; its rewards are sums, products and quotients, which are the same everywhere.
'use strict';

const GAMES = [['arms', {}], ['arms', { told: true }], ['box', { told: true }]];
// Where the last bits of a sum grow to decisions: a search on a box (there OpenBLAS and plain loops part after 100 steps or so too), and sets
// drawn at random from a kernel that is learned, and banks of filters on learned features.
const SHORT = 90;

function decisions(tvgp, steps) {
  const lines = [];
  for (const name of Object.values(policies(tvgp)))
    for (const [where, { told = false }] of GAMES) {
      const n = Math.min(steps, where === 'box' || (!told && /sparq|auto/.test(name)) ? SHORT : steps);
      lines.push(`${name} ${where} ${told ? 'told' : 'learned'}: ${play(tvgp, name, where, told, n)}`);
    }
  return lines.join('\n') + '\n';
}

function policies({ c }) {
  const ctx = c.ctx_create();
  return Array.from({ length: c.policy_count(ctx) }, (_, i) => c.policy_name_at(ctx, i)[0]);
}

function play(tvgp, name, where, told, steps) {
  const domain = where === 'box' ? tvgp.box(0, 1) : tvgp.grid(0, 1, 51);
  let policy;
  try {
    policy = new tvgp.Policy(name, domain, told ? tvgp.se(0.2) : null, { seed: 5 });
  } catch (error) {
    return error.code;
  }
  const [noise, made] = [tvgp.randomNormal(7, 1000, 0, steps), []];
  for (let t = 0; t < steps; t++) {
    const query = policy.ask(t);
    if (!query) break;
    const phase = (t % 400) / 200;
    const away = query.x[0] - (0.1 + 0.8 * (phase < 1 ? phase : 2 - phase));
    policy.tell(query, 1 / (1 + 30 * away * away) + 0.1 * noise[t]);
    made.push(where === 'box' ? Math.round(query.x[0] * 1e6) : query.arm);
  }
  return made.join(' ');
}

if (typeof module !== 'undefined') module.exports = decisions;
if (typeof require !== 'undefined' && require.main === module) process.stdout.write(decisions(require(process.env.TVGP_PACKAGE), Number(process.argv[2])));
