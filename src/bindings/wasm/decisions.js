// SPDX-License-Identifier: MIT
// The arms and points that every policy asks in a game, and at its end the length and the CRC-32 of its snapshot, which is all its state:
// for node and browsers. decisions.py plays the same game. Its rewards are sums, products and quotients of what is drawn uniformly,
// so they are the same everywhere, unlike normal draws, which need log, sin and cos.
'use strict';

const GAMES = [['arms', false], ['arms', true], ['box', false], ['box', true]];
const BOX_STEPS = 200; // a search of a box takes a thousand times as long as a choice of an arm

function decisions(tvgp, steps) {
  const lines = [];
  for (const name of Object.values(policies(tvgp)))
    for (const [where, told] of GAMES)
      lines.push(`${name} ${where} ${told ? 'told' : 'learned'}: ${play(tvgp, name, where, told, where === 'box' ? Math.min(steps, BOX_STEPS) : steps)}`);
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
    policy = new tvgp.Policy(name, domain, told ? tvgp.se(0.2) : null, { seed: 5, 'time.clamp': 1 }); // as Python sets it
  } catch (error) {
    return error.code;
  }
  const draws = tvgp.c.random_uniform(7, 1000, 0, steps);
  const made = [];
  for (let t = 0; t < steps; t++) {
    const query = policy.ask(t);
    const phase = (t % 400) / 200;
    const away = query.x[0] - (0.1 + 0.8 * (phase < 1 ? phase : 2 - phase));
    policy.tell(query, 1 / (1 + 30 * away * away) + 0.35 * (draws[t] - 0.5));
    made.push(where === 'box' ? query.x[0] : query.arm);
  }
  const snapshot = policy.save();
  return [...made, snapshot.length, crc32(snapshot)].join(' ');
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

if (typeof module !== 'undefined') module.exports = decisions;
if (typeof require !== 'undefined' && require.main === module) process.stdout.write(decisions(require(process.env.TVGP_PACKAGE), Number(process.argv[2])));
