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
const all = policy.predict(2);
assert.deepStrictEqual([all.mean.length, all.mean[5], all.variance[10]], [11, mean[0], variance[1]]);
const best = policy.best(2);
assert.strictEqual(best.x[0], best.arm / 10);
assert.strictEqual(JSON.stringify(best), `{"arm":${best.arm},"x":[${best.arm / 10}]}`);
assert.throws(() => policy.tell('abc', 3), (e) => e instanceof TypeError && /abc/.test(e.message));
assert.deepStrictEqual([...tvgp.c.policy_predict(policy, 2, [0.5])[0]], [...policy.predict(2, [0.5]).mean]);
assert.throws(() => tvgp.c.policy_predict(policy), TypeError);
assert.throws(() => tvgp.c.policy_set_context_point(tvgp.se(1), [1]), TypeError);
assert.throws(() => tvgp.c.kernel_param_gradient(tvgp.se(1), [1, 2], [1], [1]), /W has 1 entries, not 2/);
policy.setAvailable(Array.from({ length: 11 }, (_, i) => i === 7));
assert.strictEqual(policy.ask(3).arm, 7);

const fails = (call, code, text) => assert.throws(call, (e) => e instanceof tvgp.TvgpError && e.code === code && text.test(e.message));
assert.strictEqual(policy.predict(3, []).mean.length, 0); // no points are not all arms
fails(() => policy.tell(first, 1), 'TVGP_ERR_TICKET', /tell/);
fails(() => policy.set({ noise: 1 }), 'TVGP_ERR_STATE', /after the first ask/);
fails(() => new tvgp.Policy('tv-gp-ucp', tvgp.indices(2), tvgp.table([1, 0, 0, 1])), 'TVGP_ERR_NOTFOUND', /nearest is 'tv-gp-ucb'/);
fails(() => new tvgp.Policy('gp-ucb', tvgp.grid(0, 1, 3), tvgp.se(1), { noise: -1 }), 'TVGP_ERR_OPTION', /noise/);
assert.throws(() => policy.tell(second, '1'), TypeError);
assert.throws(() => new tvgp.Policy('gp-ucb', tvgp.grid(0, 1, 3), { noise: -1 }), (e) => e instanceof TypeError && /fourth argument/.test(e.message));

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
busy.setPriorMean([0, 0, 0, 0, 0, 9]);
busy.setContext(1);
const best5 = busy.ask(0);
assert.deepStrictEqual([best5.arm, joint.split(best5.arm), [...best5.x]], [5, { action: 2, context: 1 }, [1, 10]]);
busy.tell(best5, 1);
busy.extend(tvgp.product(levels.append([2]), loads), [20, 20]);
assert.deepStrictEqual([...busy.ask(1).x], [2, 10]);
fails(() => busy.extend(joint), 'TVGP_ERR_ARG', /does not begin/);
assert.throws(() => busy.extend(joint, [0]), RangeError);
const measured = new tvgp.Policy('gp-ucb', tvgp.product(levels, tvgp.box(0, 10)), tvgp.se([0.3, 3]));
fails(() => measured.ask(0), 'TVGP_ERR_STATE', /set_context_point/);
measured.setContextPoint(2.5);
const there = measured.ask(0);
assert.deepStrictEqual([...there.x], [there.arm / 2, 2.5]);
assert.strictEqual(new tvgp.Policy('random', tvgp.indices(4)).ask(0).propensity, 0.25); // chance needs no kernel

// A program that has the bytes alone.
const [corner, far] = [tvgp.box([0, 2], [1, 4]), tvgp.grid(0, 1, 11)];
assert.deepStrictEqual([corner.type, far.type, [...corner.bounds().lower], [...corner.bounds().upper]], ['box', 'grid', [0, 2], [1, 4]]);
const before = new tvgp.Policy('gp-ucb', corner, tvgp.se(0.5, { dim: 2 }));
const asked = [before.ask(0), before.ask(0)];
const after = tvgp.Policy.restore(before.save(true));
assert.deepStrictEqual([after.name, after.domain.type, after.dim, after.n, after.pending()], ['gp-ucb', 'box', 2, 0, asked]);
for (const one of [before, after]) for (const query of one.pending()) one.tell(query, 1);
assert.deepStrictEqual([after.pending(), after.ask(1)], [[], before.ask(1)]);
assert.throws(() => tvgp.Policy.restore(8), TypeError);

function raises(error, ...calls) {
  calls.forEach((call, i) => assert.throws(call, error, `call ${i} is not refused`));
}

// An object of another kind, which the library would read as what it is not.
(function wrong_kind_of_object() {
  const [domain, kernel] = [tvgp.grid(0, 1, 5), tvgp.se(0.3)];
  const p = new tvgp.Policy('gp-ucb', domain, kernel);
  raises(TypeError, () => new tvgp.Policy('gp-ucb', kernel, kernel), () => new tvgp.Policy('gp-ucb', domain, domain),
         () => new tvgp.Policy('gp-ucb', 8, kernel), () => new tvgp.Policy('gp-ucb', domain, 8), () => new tvgp.Policy('gp-ucb', domain, p),
         () => tvgp.product(kernel, domain), () => tvgp.product(domain, kernel), () => tvgp.product(domain, null),
         () => p.extend(kernel), () => p.extend(null), () => p.load(8), () => p.load('text'), () => p.load(new Float64Array(99)),
         () => p.setAvailable(5), () => p.setAvailable(0), () => p.observe('0.5', 1), () => p.setPriorMean('1'), () => p.stat(8),
         () => p.set({ noise: null }), () => p.tell(null, 1), () => p.tell('1', 1));
  const gone = tvgp.se(1);
  gone.destroy();
  assert.throws(() => new tvgp.Policy('gp-ucb', domain, gone), /kernel was destroyed/);
  assert.strictEqual(p.stat('values'), 0);
})();

// Arrays whose length is not what the call says: an error that names the lengths, and no call.
(function ragged_and_short_arrays() {
  const plane = tvgp.arms([[0, 1], [2, 3]]);
  const p = new tvgp.Policy('gp-ucb', plane, tvgp.se(0.5, { dim: 2 }));
  raises(RangeError, () => tvgp.arms([[0, 1], [2]]), () => tvgp.arms([[0, 1], [2, 3, 4, 5]]), () => tvgp.arms([0, [1, 2]]), () => tvgp.arms([[], []]),
         () => plane.append([1, 2, 3]), () => plane.append([[1], [2]]), () => plane.append([[0, 1], [2]]),
         () => tvgp.table([[1, 0.5], [0.5]]), () => tvgp.table([1, 0, 0, 1, 1, 1, 1, 1]), () => tvgp.table([[1, 0, 0], [1]]),
         () => p.predict(0, [[0, 1, 1], [0]]), () => p.predict(0, [1, 2, 3]), () => p.observe([1], 1), () => tvgp.grid([0, 0], [1, 1], [5]),
         () => p.setAvailable([]), () => p.setPriorMean([]), () => p.extend(plane.append([4, 5]), []), () => p.extend(plane.append([4, 5]), [1, 2]));
  assert.throws(() => tvgp.arms([[0, 1], [2]]), /a point has 1 coordinates, not 2/);
  fails(() => p.setAvailable([1]), 'TVGP_ERR_DIM', /1/);
  fails(() => p.setPriorMean([1, 2, 3]), 'TVGP_ERR_DIM', /3/);
  // One point in a row, and typed arrays, are counted as lists are.
  assert.strictEqual(plane.append([4, 5]).n, 3);
  const rows = tvgp.arms([Float64Array.of(0, 1), Float64Array.of(2, 3)]);
  assert.deepStrictEqual([rows.n, rows.dim, p.predict(0, Float64Array.of(0, 1, 2, 3)).mean.length], [2, 2, 2]);
  assert.strictEqual(p.stat('values'), 0);
})();

// Whole numbers that would wrap, and texts that would end early.
(function numbers_and_names() {
  const domain = tvgp.grid(0, 1, 11);
  const pairs = tvgp.product(domain, domain);
  const p = new tvgp.Policy('gp-ucb', domain, tvgp.se(1));
  const { id } = p.ask(0);
  raises(RangeError, () => pairs.split(1.5), () => pairs.split(2 ** 70), () => pairs.split(2n ** 64n), () => p.setContext(2 ** 64),
         () => tvgp.indices(2 ** 64 + 4096), () => tvgp.indices(-1), () => tvgp.indices(2.5), () => tvgp.grid(0, 1, 2 ** 64 + 4096),
         () => tvgp.grid(0, 1, 10.5), () => tvgp.se(1, { dim: 1.5 }), () => tvgp.matern(1, { dim: -1 }), () => p.tell(2 ** 64 + id, 1),
         () => p.tell(id + 0.5, 1), () => p.ask(1, 0), () => p.ask(1, -1), () => tvgp.randomNormal(-1, 1000, 0, 1),
         () => tvgp.randomNormal(1, 2 ** 32 + 1000, 0, 1), () => new tvgp.Policy('gp-ucb\0x', domain, tvgp.se(1)), () => p.stat('values\0x'),
         () => new tvgp.Policy('gp-ucb', domain, tvgp.se(1), { sense: 'min\0x' }),
         () => new tvgp.Policy('gp-ucb', domain, tvgp.se(1), { 'noise\0x': 1 }));
  assert.deepStrictEqual([p.stat('values'), p.stat('asked')], [0, 1]);
})();
// Regression against numbers of NumPy (the third case of python/tests/gp.json), and diverse subsets.
(function gaussian_process() {
  const gp = new tvgp.GP(tvgp.se(0.3), { noise: 0.01 });
  const near = (found, wanted) => found.forEach((v, i) => assert.ok(Math.abs(v - wanted[i]) < 1e-9, `${v} ${wanted[i]}`));
  gp.add([0.1, 0.5, 0.8], [0.2, 0.9, 0.4]);
  const at = [[0.2], [0.6]];
  const { mean, var: variance } = gp.predict(at);
  const joint = gp.predictCovariance(at);
  near(mean, [0.42530931740700206, 0.8106208571719197]);
  near(joint.mean, mean);
  near(joint.covariance, [0.04562032909478475, -0.01802570908566764, -0.01802570908566764, 0.023929432820190444]);
  near(variance, [joint.covariance[0], joint.covariance[3]]);
  near([gp.logMarginalLikelihood()], [-2.869429965463431]);
  assert.strictEqual(gp.predictGradient(at).dmean.length, 2);
  const draws = gp.sample(at, { draws: 3, seed: 7 });
  assert.deepStrictEqual([draws.length, gp.sample(at, { seed: 7 })[1]], [6, draws[1]]);
  const again = tvgp.GP.restore(gp.save());
  assert.deepStrictEqual([again.size, Array.from(again.predict(at).mean)], [3, Array.from(mean)]);
  gp.drop(1);
  gp.setPriorMean(1);
  assert.ok(Number.isFinite(gp.fit(20)) && gp.size === 2);
  fails(() => gp.predict([NaN]), 'TVGP_ERR_NONFINITE', /X/);
  raises(TypeError, () => new tvgp.GP(tvgp.grid(0, 1, 3)), () => new tvgp.GP(tvgp.se(1), { why: 1 }), () => tvgp.GP.restore('x'));
  assert.deepStrictEqual(tvgp.kdppSample(tvgp.se(0.3), [0, 0.1, 1], 2, { steps: 0 }).sort(), [0, 2]);
  assert.deepStrictEqual(tvgp.kdppSample(tvgp.se(0.3), [0, 0.1, 0.5, 1], 2, { seed: 3 }), tvgp.kdppSample(tvgp.se(0.3), [0, 0.1, 0.5, 1], 2, { seed: 3 }));
  gp.destroy();
})();
policy.destroy();
