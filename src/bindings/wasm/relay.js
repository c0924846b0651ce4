// SPDX-License-Identifier: MIT
// relay.js FOLDER: goes on from the snapshots of relay.py, and prints the same.
'use strict';
const fs = require('fs');
const path = require('path');
const { Policy } = require(process.env.TVGP_PACKAGE);

for (const name of ['auto-gp-ucb', 'tv-gp-ucb', 'bkb']) {
  const policy = Policy.restore(fs.readFileSync(path.join(process.argv[2], name)));
  const arms = [];
  for (let t = 50; t < 80; t++) {
    const query = policy.ask(t);
    arms.push(query.arm);
    const away = query.x[0] - 0.3 - 0.005 * t;
    policy.tell(query, 1 / (1 + 30 * away * away));
  }
  console.log([name, ...arms].join(' '));
}
