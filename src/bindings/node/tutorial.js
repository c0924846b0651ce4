// SPDX-License-Identifier: MIT
// The program of docs/start/tutorial.md in JavaScript: node tutorial.js PRICES_CSV
'use strict';
const fs = require('fs');
const tvgp = require('./index.js');

const [PRICES, LAST, END] = [41, 120, 240];

function profit(price, day) {
  const phase = (day % 160) / 80;
  const away = price - (10 + 8 * (phase < 1 ? phase : 2 - phase));
  return 200 - (80 * away * away) / (away * away + 16);
}

const policy = new tvgp.Policy('auto-gp-ucb', tvgp.grid(5, 25, PRICES));
const lines = fs.readFileSync(process.argv[2] || 'prices.csv', 'utf8').trim().split(/\r?\n/).slice(1);
for (const line of lines) {
  const [day, price, value] = line.split(',').map(Number);
  policy.observe(price, value, { t: day });
}

const noise = tvgp.randomNormal(1, 1000, 0, END + 1);
let [earned, possible] = [0, 0];
for (let day = LAST + 1; day <= END; day++) {
  const query = policy.ask(day);
  const price = query.x[0];
  policy.tell(query, profit(price, day) + 5 * noise[day]);
  earned += profit(price, day);
  possible += Math.max(...Array.from({ length: PRICES }, (_, i) => profit(5 + i * 0.5, day)));
  process.stdout.write(price.toFixed(1) + (day % 20 ? ' ' : '\n'));
}
const best = policy.best(END);
const { mean, variance } = policy.predict(END, best.x);
console.log(`tomorrow ${best.x[0].toFixed(1)}, for ${mean[0].toFixed(0)} +- ${Math.sqrt(variance[0]).toFixed(0)}; ` +
            `surprise ${policy.stat('surprise').toFixed(1)}; earned ${earned.toFixed(0)} of ${possible.toFixed(0)}`);
