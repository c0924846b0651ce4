// SPDX-License-Identifier: MIT
// libtvgp for Node by koffi. Every signature comes from tvgp.json, which is made from the headers; none is written here.
'use strict';
const fs = require('fs');
const path = require('path');
const koffi = require('koffi');

function find() {
  const named = process.env.TVGP_LIBRARY;
  const carried = path.join(__dirname, 'native', 'libtvgp.so');
  const library = named ? fs.realpathSync(named) : fs.existsSync(carried) ? carried : null;
  const folders = library ? [path.dirname(library)] : [];
  for (let up = library, i = 0; up && i < 4; i++)
    folders.push(path.join((up = path.dirname(up)), 'share', 'tvgp'));
  for (const folder of [...folders, '/usr/local/share/tvgp', '/usr/share/tvgp']) {
    const file = path.join(folder, 'tvgp.json');
    if (fs.existsSync(file)) {
      const abi = JSON.parse(fs.readFileSync(file, 'utf8'));
      return { abi, library: library || abi.soname };
    }
  }
  throw new Error('tvgp.json, which comes with libtvgp, was found neither beside the library nor in /usr/share/tvgp');
}

const { abi, library } = find();
const native = koffi.load(library);
const constant = Object.fromEntries(Object.entries(abi.constants).map(([name, value]) => [name.replace('TVGP_', ''), value]));

// Arrays go as typed arrays, out-parameters as typed arrays of one element, handles as pointers.
const struct = {};
function type(text) {
  const base = text.replace(/const/g, '').replace(/ /g, '');
  const name = base.replace(/\*+$/, '');
  const stars = base.length - name.length;
  if (abi.callbacks[name]) return 'void *';
  if (stars === 0) return name === 'tvgp_status' ? 'int32_t' : name;
  if (name === 'char' && stars === 1) return 'str';
  if (stars === 2) return koffi.out(koffi.pointer('void *'));
  return 'void *';
}
for (const [name, record] of Object.entries(abi.structs)) {
  if (name !== 'tvgp_query' && name !== 'tvgp_obs') continue;
  const fields = record.fields.map((f) => [f.name, f.count > 1 ? koffi.array(f.type, f.count) : f.type]);
  struct[name] = koffi.struct(Object.fromEntries(fields));
}
const c = {};
for (const [name, f] of Object.entries(abi.functions)) {
  let call;
  Object.defineProperty(c, name, {
    get: () => (call = call || native.func(name, type(f.returns), f.args.map((a) => type(a.type)))),
  });
}

/** A call that failed and changed nothing. */
class TvgpError extends Error {
  constructor(status, message) {
    super(message || c.tvgp_status_name(status));
    this.name = 'TvgpError';
    this.status = status;
    this.code = c.tvgp_status_name(status);
  }
}

// Handles of what is collected. They may be destroyed in any order.
const registry = new FinalizationRegistry(([kind, handle]) => c[`tvgp_${kind}_destroy`](handle));

class Handle {
  constructor(ctx, kind, create) {
    const out = [null];
    const status = create(out);
    if (status < 0) throw new TvgpError(status, ctx ? c.tvgp_ctx_errmsg(ctx.handle) : '');
    this.ctx = ctx;
    this.kind = kind;
    this.handle = out[0];
    registry.register(this, [kind, this.handle], this);
  }
  check(status) {
    if (status < 0) throw new TvgpError(status, this.ctx ? c.tvgp_ctx_errmsg(this.ctx.handle) : '');
    return status;
  }
  destroy() {
    if (!this.handle) return;
    registry.unregister(this);
    c[`tvgp_${this.kind}_destroy`](this.handle);
    this.handle = null;
  }
}

class Context extends Handle {
  constructor() {
    super(null, 'ctx', (out) => c.tvgp_ctx_create(null, out));
    this.ctx = this;
  }
}
const shared = new Context(); // JavaScript runs in one thread; a worker loads a module, and so a context, of its own

const doubles = (values) => Float64Array.from([].concat(values).flat(Infinity));

class Domain extends Handle {
  constructor(dim, create) {
    super(shared, 'domain', create);
    this.dim = dim;
  }
  get n() {
    const n = new BigUint64Array(1);
    this.check(c.tvgp_domain_size(this.handle, n));
    return Number(n[0]);
  }
  append(points) {
    return new Domain(this.dim, (out) => c.tvgp_domain_append(this.handle, points.length, doubles(points), out));
  }
  split(arm) {
    const [action, context] = [new BigInt64Array(1), new BigInt64Array(1)];
    this.check(c.tvgp_domain_split(this.handle, arm, action, context));
    return { action: Number(action[0]), context: Number(context[0]) };
  }
}

function grid(lower, upper, points) {
  const [l, u, p] = [doubles(lower), doubles(upper), doubles(points)];
  if (l.length !== u.length || l.length !== p.length) throw new RangeError('lower, upper and points differ in length');
  const counts = BigUint64Array.from(p, (v) => BigInt(v));
  return new Domain(l.length, (out) => c.tvgp_domain_grid(shared.handle, l.length, l, u, counts, out));
}
function indices(n) {
  return new Domain(1, (out) => c.tvgp_domain_indices(shared.handle, n, out));
}
function arms(points) {
  const dim = Array.isArray(points[0]) ? points[0].length : 1;
  return new Domain(dim, (out) => c.tvgp_domain_arms(shared.handle, points.length, dim, doubles(points), out));
}
function box(lower, upper) {
  const [l, u] = [doubles(lower), doubles(upper)];
  if (l.length !== u.length) throw new RangeError('lower and upper differ in length');
  return new Domain(l.length, (out) => c.tvgp_domain_box(shared.handle, l.length, l, u, out));
}

function product(actions, contexts) {
  const dim = actions.dim + contexts.dim;
  return new Domain(dim, (out) => c.tvgp_domain_product(shared.handle, actions.handle, contexts.handle, out));
}

class Kernel extends Handle {
  constructor(create) {
    super(shared, 'kernel', create);
  }
}
function se(lengthscale, { variance = 1, dim } = {}) {
  const l = doubles(lengthscale);
  return new Kernel((out) => c.tvgp_kernel_se(shared.handle, dim || l.length, variance, l, l.length, out));
}
function matern(lengthscale, { nu = 2.5, variance = 1, dim } = {}) {
  const l = doubles(lengthscale);
  return new Kernel((out) => c.tvgp_kernel_matern(shared.handle, dim || l.length, nu, variance, l, l.length, out));
}
function table(K) {
  const k = doubles(K);
  return new Kernel((out) => c.tvgp_kernel_table(shared.handle, Math.round(Math.sqrt(k.length)), k, out));
}
function categorical({ variance = 1, correlation = 0 } = {}) {
  return new Kernel((out) => c.tvgp_kernel_categorical(shared.handle, variance, correlation, out));
}

const OUTCOMES = { value: constant.VALUE, skipped: constant.SKIPPED, failed: constant.FAILED, cancelled: constant.CANCELLED };
const KINDS = { [constant.ACTION]: 'action', [constant.SIDE]: 'side', [constant.INIT]: 'init' };

class Policy extends Handle {
  constructor(name, domain, kernel = null, options = {}) {
    const space = kernel ? kernel.handle : null;
    super(shared, 'policy', (out) => c.tvgp_policy_create(shared.handle, name, domain.handle, space, out));
    this.dim = domain.dim;
    this.n = domain.n;
    this.set(options);
  }
  set(options) {
    for (const [key, value] of Object.entries(options)) {
      if (typeof value === 'string') this.check(c.tvgp_policy_set_str(this.handle, key, value));
      else this.check(c.tvgp_policy_set_f64(this.handle, key, Number(value)));
    }
  }
  ask(t, cap) {
    const size = cap === undefined ? 1 : cap;
    const bytes = koffi.sizeof(struct.tvgp_query);
    const records = new Uint8Array(size * bytes);
    const x = new Float64Array(size * this.dim);
    const n = new BigUint64Array(1);
    this.check(c.tvgp_policy_ask(this.handle, t, size, records, x, n));
    const queries = [];
    for (let i = 0; i < Number(n[0]); i++) {
      const q = koffi.decode(records.subarray(i * bytes), struct.tvgp_query);
      queries.push({ id: q.id, kind: KINDS[q.kind], arm: q.arm, t: q.t, noiseVar: q.noise_var, score: q.score, propensity: q.propensity,
                     x: x.slice(i * this.dim, (i + 1) * this.dim) });
    }
    return cap !== undefined ? queries : queries[0] || null;
  }
  tell(query, y, given = {}) {
    this._tell(typeof query === 'object' ? query.id : query, y, given, null);
  }
  observe(x, y, given = {}) {
    const point = doubles(x);
    if (point.length !== this.dim) throw new RangeError(`observe: a point has ${this.dim} coordinates, not ${point.length}`);
    this._tell(0, y, given, point);
  }
  _tell(id, y, { outcome = 'value', noiseVar, t }, x) {
    if (!(outcome in OUTCOMES)) throw new RangeError(`outcome is '${outcome}', must be one of ${Object.keys(OUTCOMES)}`);
    if (outcome === 'value' && typeof y !== 'number') throw new TypeError('tell: y must be a number');
    const flags = (noiseVar === undefined ? 0 : constant.OBS_NOISE) + (t === undefined ? 0 : constant.OBS_TIME);
    const record = new Uint8Array(koffi.sizeof(struct.tvgp_obs));
    koffi.encode(record, struct.tvgp_obs, { id, outcome: OUTCOMES[outcome], flags, y: y || 0, noise_var: noiseVar || 0, t: t || 0,
                                            reserved: [0, 0, 0] });
    this.check(c.tvgp_policy_tell(this.handle, record, x, 1));
  }
  predict(t, points) {
    const x = doubles(points);
    const n = x.length / this.dim;
    if (!Number.isInteger(n)) throw new RangeError(`predict: ${x.length} numbers are not points of ${this.dim} coordinates`);
    const mean = new Float64Array(n);
    const variance = new Float64Array(n);
    this.check(c.tvgp_policy_predict(this.handle, t, n, x, mean, variance));
    return { mean, variance };
  }
  best(t) {
    const arm = new BigInt64Array(1);
    const x = new Float64Array(this.dim);
    this.check(c.tvgp_policy_best(this.handle, t, arm, x));
    return { arm: Number(arm[0]), x };
  }
  stat(key) {
    const value = new Float64Array(1);
    this.check(c.tvgp_policy_stat(this.handle, key, value));
    return value[0];
  }
  save() {
    const size = new BigUint64Array(1);
    this.check(c.tvgp_policy_save(this.handle, null, 0, size));
    const bytes = Buffer.alloc(Number(size[0]));
    this.check(c.tvgp_policy_save(this.handle, bytes, bytes.length, size));
    return bytes;
  }
  load(bytes) {
    this.check(c.tvgp_policy_load(this.handle, bytes, bytes.length));
  }
  setAvailable(mask) {
    const bytes = mask ? Uint8Array.from(mask, (v) => (v ? 1 : 0)) : null;
    this.check(c.tvgp_policy_set_available(this.handle, bytes, bytes ? bytes.length : 0));
  }
  setMean(mean) {
    const values = mean === undefined || mean === null ? null : doubles(mean);
    this.check(c.tvgp_policy_set_mean(this.handle, values, values ? values.length : 0));
  }
  setContext(context = -1) {
    this.check(c.tvgp_policy_set_context(this.handle, context));
  }
  setContextX(z) {
    const point = doubles(z);
    this.check(c.tvgp_policy_set_context_x(this.handle, point, point.length));
  }
  extend(larger, mean) {
    const values = mean === undefined ? null : doubles(mean);
    if (values && values.length !== larger.n - this.n) throw new RangeError('extend: mean has a value for each new arm');
    this.check(c.tvgp_policy_extend(this.handle, larger.handle, values));
    this.n = larger.n;
  }
}

function randomNormal(seed, purpose, step, n) {
  const draws = new Float64Array(n);
  shared.check(c.tvgp_random_normal(seed, purpose, step, n, draws));
  return draws;
}

module.exports = { Domain, Kernel, Policy, TvgpError, arms, box, categorical, grid, indices, matern, native: c, product, randomNormal, se, table,
                   version: c.tvgp_version() };
