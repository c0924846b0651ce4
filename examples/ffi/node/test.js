// SPDX-License-Identifier: MIT
'use strict';
const assert = require('assert');
const tvgp = require('./index.js');

const policy = new tvgp.Policy('tv-gp-ucb', tvgp.grid(0, 1, 11), tvgp.se(0.3), { noise: 0.02, seed: 3, 'width.schedule': 'igp' });
const first = policy.ask(1);
assert.strictEqual(first.kind, 'action');
assert.strictEqual(first.x[0], first.arm / 10);
policy.tell(first, 0.5);
policy.observe(0.5, 0.7, { t: 1.5, noiseVar: 0.1 });
const [second] = policy.ask(2, 1);
policy.tell(second, undefined, { outcome: 'skipped' });
assert.deepStrictEqual(['values', 'unsolicited', 'skipped', 'clock'].map((key) => policy.stat(key)), [1, 1, 1, 2]);
const { mean, variance } = policy.predict(2, [0.5, 1.0]);
assert(mean.length === 2 && variance[0] < variance[1]);
const best = policy.best(2);
assert.strictEqual(best.x[0], best.arm / 10);
policy.setAvailable(Array.from({ length: 11 }, (_, i) => i === 7));
assert.strictEqual(policy.ask(3).arm, 7);

const fails = (call, code, text) => assert.throws(call, (e) => e instanceof tvgp.TvgpError && e.code === code && text.test(e.message));
fails(() => policy.tell(first, 1), 'TVGP_ERR_TICKET', /tell/);
fails(() => policy.set({ noise: 1 }), 'TVGP_ERR_STATE', /after the first ask/);
fails(() => new tvgp.Policy('tv-gp-ucp', tvgp.indices(2), tvgp.table([1, 0, 0, 1])), 'TVGP_ERR_NOTFOUND', /nearest is 'tv-gp-ucb'/);
fails(() => new tvgp.Policy('gp-ucb', tvgp.grid(0, 1, 3), tvgp.se(1), { noise: -1 }), 'TVGP_ERR_OPTION', /noise/);
assert.throws(() => policy.tell(second, '1'), TypeError);

const twin = new tvgp.Policy('tv-gp-ucb', tvgp.grid(0, 1, 11), tvgp.se(0.3));
twin.load(policy.save());
assert(twin.ask(4).arm === policy.ask(4).arm && twin.stat('values') === 1);
fails(() => twin.load(policy.save().subarray(1)), 'TVGP_ERR_FORMAT', /./);

const plane = new tvgp.Policy('gp-ucb', tvgp.box([0, 0], [1, 2]), tvgp.matern(0.5, { dim: 2 }), { sense: 'min' });
const q = plane.ask(0);
assert(q.arm === -1 && q.x.length === 2);

const [levels, loads] = [tvgp.grid(0, 1, 3), tvgp.grid(0, 10, 2)];
const joint = tvgp.product(levels, loads);
const busy = new tvgp.Policy('gp-ucb', joint, tvgp.se([0.3, 3]), { noise: 0.1 });
busy.setMean([0, 0, 0, 0, 0, 9]);
busy.setContext(1);
const best5 = busy.ask(0);
assert.deepStrictEqual([best5.arm, joint.split(best5.arm), [...best5.x]], [5, { action: 2, context: 1 }, [1, 10]]);
busy.tell(best5, 1);
busy.extend(tvgp.product(levels.append([2]), loads), [20, 20]);
assert.deepStrictEqual([...busy.ask(1).x], [2, 10]);
fails(() => busy.extend(joint), 'TVGP_ERR_ARG', /does not begin/);
assert.throws(() => busy.extend(joint, [0]), RangeError);
const measured = new tvgp.Policy('gp-ucb', tvgp.product(levels, tvgp.box(0, 10)), tvgp.se([0.3, 3]));
fails(() => measured.ask(0), 'TVGP_ERR_STATE', /set_context_x/);
measured.setContextX(2.5);
const there = measured.ask(0);
assert.deepStrictEqual([...there.x], [there.arm / 2, 2.5]);
assert.strictEqual(new tvgp.Policy('random', tvgp.indices(4)).ask(0).propensity, 0.25); // chance needs no kernel
policy.destroy();
