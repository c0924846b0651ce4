// SPDX-License-Identifier: MIT
// The classes of the package, over a backend that calls the library: the shared library (koffi.js) or WebAssembly (wasm.js). Every
// signature comes from tvgp.json, which is made from the headers; none is written here.
'use strict';
const { functions, records } = require('./functions.js');

function make(backend) {
  const { abi, Size } = backend;
  const { decode, encode, layout, numbers } = records(backend);
  const constant = Object.fromEntries(Object.entries(abi.constants).map(([name, value]) => [name.replace('TVGP_', ''), value]));

  const LIMITS = { int32_t: [-(2 ** 31), 2 ** 31 - 1], uint32_t: [0, 2 ** 32 - 1], tvgp_status: [-(2 ** 31), 2 ** 31 - 1],
                   int64_t: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], uint64_t: [0, 2n ** 64n - 1n],
                   size_t: [0, Number.MAX_SAFE_INTEGER] };

  /** A whole number within bounds, or TypeError, RangeError. koffi would take 2^64 + 5 for 5, and 2.5 for 2. */
  function whole(what, value, [lower, upper]) {
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) {
      if (typeof value === 'number') throw new RangeError(`${what} = ${value} is no whole number below 2^53`);
      throw new TypeError(`${what} = ${String(value)} is not a number`);
    }
    if (value < lower || value > upper) throw new RangeError(`${what} = ${value} is outside [${lower}, ${upper}]`);
    return value;
  }

  const said = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

  /** A number, or the seconds since 1970 of a Date. */
  function real(what, value) {
    if (value instanceof Date) value = value.getTime() / 1000;
    else if (typeof value === 'bigint') value = Number(value);
    if (typeof value !== 'number') throw new TypeError(`${what} = ${said(value)} must be a number`);
    return value;
  }

  /** The same, and neither NaN nor infinite. */
  function finite(what, value) {
    const number = real(what, value);
    if (!Number.isFinite(number)) throw new RangeError(`${what} = ${value} must be a finite number`);
    return number;
  }

  /** How many letters must change. */
  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++)
      row = row.reduce((next, _, j) => (j ? [...next, Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))] : [i]), []);
    return row[b.length];
  }

  /** The object, which must have no members but these; a member that is undefined is left out. */
  function members(what, given, names) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new TypeError(`${what} = ${said(given)} must be an object`);
    for (const key of Object.keys(given)) {
      if (names.includes(key)) continue;
      const near = [...names].sort((a, b) => distance(key, a) - distance(key, b))[0];
      throw new TypeError(`${what} has no member '${key}'; nearest is '${near}'`);
    }
    return given;
  }

  /** A text that does not end early. */
  function text(what, value) {
    if (typeof value !== 'string') throw new TypeError(`${what} = ${said(value)} is not a string`);
    if (value.includes('\0')) throw new RangeError(`${what} holds a NUL`);
    return value;
  }

  // The library's functions by name, made when they are first called; numbers and texts are looked at on the way.
  const c = {};
  for (const [name, f] of Object.entries(abi.functions)) {
    const checks = f.args.map((a) => LIMITS[a.type] ? (v) => whole(`${name}: ${a.name}`, v, LIMITS[a.type]) :
                                     a.type === 'const char *' ? (v) => text(`${name}: ${a.name}`, v) :
                                     a.type === 'double' ? (v) => real(a.name, v) : (v) => v);
    let call;
    c[name] = (...given) => {
      call = call || backend.func(name);
      return call(...checks.map((check, i) => check(given[i])));
    };
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
    constructor(allocator = null) {
      super(null, 'ctx', (out) => c.tvgp_ctx_create(allocator, out));
      this.ctx = this;
    }
  }
  const shared = new Context(); // JavaScript runs in one thread; a worker loads a module, and so a context, of its own

  /** The handle of an object of this class. The library knows a domain and a kernel by their addresses only. */
  function handleOf(object, kind, what) {
    if (!(object instanceof kind)) throw new TypeError(`${what} is not a ${kind.name}`);
    if (!object.handle) throw new Error(`${what} was destroyed`);
    return object.handle;
  }

  const isList = (value) => typeof value === 'object' && value !== null && typeof value.length === 'number';

  /** The numbers in lists of lists, in order; `what` is the argument that a message names. */
  function flatten(values, what = 'values') {
    if (isList(values)) return Array.from(values).flatMap((value, i) => flatten(value, `${what}[${i}]`));
    if (typeof values !== 'number') throw new TypeError(`${what} = ${said(values)} is not a number`);
    return [values];
  }
  const doubles = (values, what) => Float64Array.from(flatten(values, what));

  /** Points of dim coordinates: a list of them, or numbers in a row, dim at a time. */
  function pointsOf(values, dim, what = 'points') {
    const parts = isList(values) ? Array.from(values) : [values];
    const nested = parts.some(isList);
    for (const [i, part] of nested ? parts.entries() : []) {
      const n = flatten(part, `${what}[${i}]`).length;
      if (n !== dim) throw new RangeError(`${what}[${i}]: a point has ${n} coordinates, not ${dim}`);
    }
    const x = isList(values) ? doubles(parts, what) : doubles(values, what);
    if (x.length % dim) throw new RangeError(`${what}: ${x.length} numbers are not points of ${dim} coordinates`);
    return x;
  }

  /** Lengths that are the same, or RangeError. */
  function sameLength(...lists) {
    const lengths = lists.map((list) => list.length);
    if (lengths.some((n) => n !== lengths[0])) throw new RangeError(`lower, upper and points differ in length: ${lengths.join(', ')}`);
    return lengths[0];
  }

  /** An empty array is an array, and none that is missing. */
  function notEmpty(array, what) {
    if (!array.length) throw new RangeError(`${what} is empty`);
    return array;
  }

  class Domain extends Handle {
    constructor(create, context = shared) {
      super(context, 'domain', create);
      const dim = new Size(1);
      this.check(c.tvgp_domain_dim(this.handle, dim));
      this.dim = Number(dim[0]);
    }
    get type() {
      const name = [null];
      this.check(c.tvgp_domain_type_name(this.handle, name));
      return name[0];
    }
    bounds() {
      const [lower, upper] = [new Float64Array(this.dim), new Float64Array(this.dim)];
      this.check(c.tvgp_domain_bounds(this.handle, lower, upper));
      return { lower: Array.from(lower), upper: Array.from(upper) };
    }
    get n() {
      const n = new Size(1);
      this.check(c.tvgp_domain_size(this.handle, n));
      return Number(n[0]);
    }
    append(points) {
      const x = pointsOf(points, this.dim);
      return new Domain((out) => c.tvgp_domain_append(this.handle, x.length / this.dim, x, out));
    }
    split(arm) {
      const [action, context] = [new BigInt64Array(1), new BigInt64Array(1)];
      this.check(c.tvgp_domain_split(this.handle, arm, action, context));
      return { action: Number(action[0]), context: Number(context[0]) };
    }
  }

  function grid(lower, upper, points) {
    const [l, u, p] = [doubles(lower, 'lower'), doubles(upper, 'upper'), doubles(points, 'points')];
    const dim = sameLength(l, u, p);
    const counts = numbers('size_t', Array.from(p, (v) => whole('grid: points', v, LIMITS.size_t)));
    return new Domain((out) => c.tvgp_domain_grid(shared.handle, dim, l, u, counts, out));
  }
  function indices(n) {
    return new Domain((out) => c.tvgp_domain_indices(shared.handle, n, out));
  }
  function arms(points) {
    if (!isList(points)) throw new TypeError(`points = ${said(points)} must be a list of points`);
    const dim = isList(points[0]) ? points[0].length : 1;
    const x = pointsOf(points, dim);
    return new Domain((out) => c.tvgp_domain_arms(shared.handle, x.length / dim, dim, x, out));
  }
  function box(lower, upper) {
    const [l, u] = [doubles(lower, 'lower'), doubles(upper, 'upper')];
    const dim = sameLength(l, u);
    return new Domain((out) => c.tvgp_domain_box(shared.handle, dim, l, u, out));
  }
  function product(actions, contexts) {
    const [first, second] = [handleOf(actions, Domain, 'product: actions'), handleOf(contexts, Domain, 'product: contexts')];
    return new Domain((out) => c.tvgp_domain_product(shared.handle, first, second, out));
  }

  class Kernel extends Handle {
    constructor(create, context = shared) {
      super(context, 'kernel', create);
    }
  }
  /** Exact Gaussian-process regression; options: noise, time (a kernel over time). */
  class GP extends Handle {
    constructor(kernel, given = {}) {
      const { noise = 0.01, time = null } = members('GP: options', given, ['noise', 'time']);
      const space = handleOf(kernel, Kernel, 'kernel');
      const over = time === null ? null : handleOf(time, Kernel, 'time');
      super(shared, 'gp', (out) => c.tvgp_gp_create(shared.handle, space, over, noise, out));
    }
    static _made(create, context) {
      return Reflect.construct(Handle, [context, 'gp', create], GP);
    }
    static restore(snapshot) {
      if (!(snapshot instanceof Uint8Array)) throw new TypeError('restore: snapshot is not a Uint8Array');
      return GP._made((out) => c.tvgp_gp_restore(shared.handle, snapshot.length, snapshot, out), shared);
    }
    get size() {
      return Number(every.gp_size(this));
    }
    setPriorMean(intercept, slope = null) {
      every.gp_set_prior_mean(this, intercept, slope);
    }
    add(x, y, given = {}) {
      const { t = null, noiseVar = null } = members('add: options', given, ['t', 'noiseVar']);
      every.gp_add(this, x, t, y, noiseVar);
    }
    drop(n) {
      every.gp_drop(this, n);
    }
    predict(x, t = 0) {
      const [mean, variance] = every.gp_predict(this, x, real('t', t));
      return { mean, var: variance };
    }
    predictGradient(x, t = 0) {
      const [mean, variance, dmean, dvar] = every.gp_predict_gradient(this, x, real('t', t));
      return { mean, var: variance, dmean, dvar };
    }
    predictCovariance(x, t = 0) {
      const [mean, covariance] = every.gp_predict_covariance(this, x, real('t', t));
      return { mean, covariance };
    }
    sample(x, given = {}) {
      const { t = 0, draws = 1, seed = 0 } = members('sample: options', given, ['t', 'draws', 'seed']);
      return every.gp_sample(this, x, real('t', t), draws, seed);
    }
    logMarginalLikelihood() {
      return every.gp_log_marginal_likelihood(this);
    }
    fit(maxEvals = 200) {
      return every.gp_fit(this, null, null, maxEvals)[0];
    }
    save() {
      return every.gp_save(this);
    }
  }
  function kdppSample(kernel, x, k, given = {}) {
    const { steps = 1000, seed = 0 } = members('kdppSample: options', given, ['steps', 'seed']);
    return Array.from(every.kdpp_sample(shared, kernel, x, k, steps, seed), Number);
  }
  function se(lengthscale, given = {}) {
    const { variance = 1, dim } = members('se: options', given, ['variance', 'dim']);
    const l = doubles(lengthscale, 'lengthscale');
    return new Kernel((out) => c.tvgp_kernel_se(shared.handle, dim === undefined ? l.length : dim, variance, l.length, l, out));
  }
  function matern(lengthscale, given = {}) {
    const { nu = 2.5, variance = 1, dim } = members('matern: options', given, ['nu', 'variance', 'dim']);
    const l = doubles(lengthscale, 'lengthscale');
    return new Kernel((out) => c.tvgp_kernel_matern(shared.handle, dim === undefined ? l.length : dim, nu, variance, l.length, l, out));
  }
  function table(K) {
    const { length } = doubles(K, 'K');
    const n = Math.round(Math.sqrt(length));
    if (n * n !== length) throw new RangeError(`table: ${length} numbers are no square`);
    return new Kernel((out) => c.tvgp_kernel_table(shared.handle, n, pointsOf(K, n || 1), out));
  }
  function categorical(given = {}) {
    const { variance = 1, correlation = 0 } = members('categorical: options', given, ['variance', 'correlation']);
    return new Kernel((out) => c.tvgp_kernel_categorical(shared.handle, variance, correlation, out));
  }

  const OUTCOMES = { value: constant.VALUE, skipped: constant.SKIPPED, failed: constant.FAILED, cancelled: constant.CANCELLED };
  const KINDS = { [constant.ACTION]: 'action', [constant.SIDE]: 'side', [constant.INIT]: 'init' };

  // Members of an outcome, as the record of C names them.
  const NUMBERS = new Map([['noiseVar', ['noise_var', constant.OBS_HAS_NOISE]], ['t', ['t', constant.OBS_HAS_TIME]],
                           ['exposure', ['exposure', constant.OBS_HAS_EXPOSURE]], ['reference', ['reference', constant.OBS_HAS_REFERENCE]]]);

  class Policy extends Handle {
    constructor(name, domain, kernel = null, options = {}) {
      const arms = handleOf(domain, Domain, 'domain');
      if (kernel !== null && !(kernel instanceof Kernel) && Object.getPrototypeOf(kernel) === Object.prototype)
        throw new TypeError('kernel is not a Kernel: options are the fourth argument, behind a kernel or null');
      const model = kernel === null ? null : handleOf(kernel, Kernel, 'kernel');
      super(shared, 'policy', (out) => c.tvgp_policy_create(shared.handle, name, arms, model, out));
      this.dim = domain.dim;
      this.n = domain.n;
      this.set(options);
    }
    /** From a full snapshot (save(true)) alone. */
    static restore(snapshot) {
      if (!(snapshot instanceof Uint8Array)) throw new TypeError('restore: snapshot is not a Uint8Array');
      return Policy._made((out) => c.tvgp_policy_restore(shared.handle, snapshot.length, snapshot, null, null, out), shared);
    }
    static _made(create, context) {
      const policy = Reflect.construct(Handle, [context, 'policy', create], Policy);
      const { dim, n } = policy.domain;
      return Object.assign(policy, { dim, n });
    }
    get name() {
      const name = [null];
      this.check(c.tvgp_policy_name(this.handle, name));
      return name[0];
    }
    get domain() {
      return new Domain((out) => c.tvgp_policy_domain(this.handle, out), this.ctx);
    }
    set(options) {
      if (typeof options !== 'object' || options === null) throw new TypeError(`options = ${said(options)} must be an object`);
      for (const [key, value] of Object.entries(options)) {
        if (typeof value === 'string') this.check(c.tvgp_policy_set_str(this.handle, key, value));
        else if (typeof value === 'number' || typeof value === 'boolean') this.check(c.tvgp_policy_set_f64(this.handle, key, Number(value)));
        else throw new TypeError(`option '${key}' = ${said(value)} is neither a number nor a string`);
      }
    }
    ask(t, cap) {
      const size = cap === undefined ? 1 : whole('ask: cap', cap, [1, LIMITS.int32_t[1]]);
      const queries = this._queries(size, (records, x, n) => c.tvgp_policy_ask(this.handle, t, size, records, x, n));
      return cap !== undefined ? queries : queries[0] || null;
    }
    pending() {
      const n = new Size(1);
      this.check(c.tvgp_policy_pending(this.handle, 0, null, null, n));
      const size = Number(n[0]);
      return size ? this._queries(size, (records, x, written) => c.tvgp_policy_pending(this.handle, size, records, x, written)) : [];
    }
    /** Up to `size` queries that a call writes. */
    _queries(size, call) {
      const bytes = layout('tvgp_query').size;
      const records = new Uint8Array(size * bytes);
      const x = new Float64Array(size * this.dim);
      const n = new Size(1);
      this.check(call(records, x, n));
      return Array.from({ length: Number(n[0]) }, (_, i) => {
        const q = decode('tvgp_query', records.subarray(i * bytes));
        return { id: q.id, kind: KINDS[q.kind], arm: q.arm, t: q.t, noiseVar: q.noise_var, score: q.score, propensity: q.propensity, risk: q.risk,
                 x: Array.from(x.subarray(i * this.dim, (i + 1) * this.dim)) };
      });
    }
    tell(query, y, given = {}) {
      this._tell(typeof query === 'object' && query !== null ? query.id : query, y, given, null);
    }
    observe(x, y, given = {}) {
      const point = doubles(x, 'x');
      if (point.length !== this.dim) throw new RangeError(`observe: a point has ${this.dim} coordinates, not ${point.length}`);
      this._tell(0, y, given, point);
    }
    _tell(id, y, given, x) {
      const { outcome = 'value', partial = false, censored, ...numbers } = members('given', given, ['outcome', 'partial', 'censored', ...NUMBERS.keys()]);
      if (typeof partial !== 'boolean') throw new TypeError(`partial = ${said(partial)} must be true or false`);
      if (censored !== undefined && censored !== 'right' && censored !== 'left') throw new RangeError(`censored = ${said(censored)} must be 'right' or 'left'`);
      if (!Object.keys(OUTCOMES).includes(outcome)) throw new RangeError(`outcome = ${said(outcome)} must be one of ${Object.keys(OUTCOMES).join(', ')}`);
      const record = { id: whole('query', id, LIMITS.int64_t), outcome: OUTCOMES[outcome], flags: partial ? constant.OBS_PARTIAL : 0, y: 0 };
      if (censored) record.flags |= censored === 'right' ? constant.OBS_RIGHT_CENSORED : constant.OBS_LEFT_CENSORED;
      if (outcome === 'value' && y instanceof Date) throw new TypeError(`y = ${y} must be a number`);
      if (outcome === 'value') record.y = finite('y', y);
      for (const [name, [member, flag]] of NUMBERS) {
        if (numbers[name] === undefined) continue;
        record[member] = finite(name, numbers[name]);
        record.flags += flag;
      }
      this.check(c.tvgp_policy_tell(this.handle, 1, encode('tvgp_obs', record), x));
    }
    predict(t, points) {
      const x = points === undefined ? null : pointsOf(points, this.dim);
      const n = x ? x.length / this.dim : this.n;
      const mean = new Float64Array(n);
      const variance = new Float64Array(n);
      this.check(c.tvgp_policy_predict(this.handle, t, n, x, mean, variance));
      return { mean, variance };
    }
    best(t) {
      const arm = new BigInt64Array(1);
      const x = new Float64Array(this.dim);
      this.check(c.tvgp_policy_best(this.handle, t, arm, x));
      return { arm: Number(arm[0]), x: Array.from(x) };
    }
    stat(key) {
      const value = new Float64Array(1);
      this.check(c.tvgp_policy_stat(this.handle, key, value));
      return value[0];
    }
    save(full = false) {
      const write = full ? c.tvgp_policy_save_full : c.tvgp_policy_save;
      const size = new Size(1);
      this.check(write(this.handle, 0, null, size));
      const bytes = typeof Buffer === 'undefined' ? new Uint8Array(Number(size[0])) : Buffer.alloc(Number(size[0]));
      this.check(write(this.handle, bytes.length, bytes, size));
      return bytes;
    }
    load(bytes) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('load: bytes is not a Uint8Array');
      this.check(c.tvgp_policy_load(this.handle, bytes.length, bytes));
    }
    setAvailable(mask) {
      if (!isList(mask ?? [])) throw new TypeError('setAvailable: mask is not a list');
      const there = (v, i) => {
        if (v !== true && v !== false && v !== 0 && v !== 1) throw new TypeError(`mask[${i}] = ${said(v)} must be true or false`);
        return Number(v);
      };
      const bytes = mask ? notEmpty(Uint8Array.from(Array.from(mask), there), 'setAvailable: mask') : null;
      this.check(c.tvgp_policy_set_available(this.handle, bytes ? bytes.length : 0, bytes));
    }
    setPriorMean(mean) {
      const values = mean === undefined || mean === null ? null : notEmpty(doubles(mean, 'mean'), 'setPriorMean: mean');
      this.check(c.tvgp_policy_set_prior_mean(this.handle, values ? values.length : 0, values));
    }
    setContext(context = -1) {
      this.check(c.tvgp_policy_set_context(this.handle, context));
    }
    setContextPoint(z) {
      const point = doubles(z, 'z');
      this.check(c.tvgp_policy_set_context_point(this.handle, point.length, point));
    }
    extend(larger, mean) {
      const handle = handleOf(larger, Domain, 'extend: larger');
      const values = mean === undefined || mean === null ? null : notEmpty(doubles(mean, 'mean'), 'extend: mean');
      if (values && values.length !== larger.n - this.n)
        throw new RangeError(`extend: mean has ${values.length} values for ${larger.n - this.n} new arms`);
      this.check(c.tvgp_policy_extend(this.handle, handle, values));
      this.n = larger.n;
    }
  }

  function randomNormal(seed, purpose, step, n) {
    const draws = new Float64Array(whole('randomNormal: n', n, [0, LIMITS.int32_t[1]]));
    shared.check(c.tvgp_random_normal(seed, purpose, step, n, draws));
    return draws;
  }

  // Every function by its name in C, for what has no method.
  const own = {
    version: () => c.tvgp_version(),
    status_name: (status) => c.tvgp_status_name(status),
    ctx_create: (allocator = null) => new Context(allocator),
    ctx_errmsg: (ctx) => c.tvgp_ctx_errmsg(handleOf(ctx, Context, 'ctx')),
  };
  const kinds = { ctx: Context, domain: Domain, kernel: Kernel, policy: Policy, gp: GP };
  for (const [kind, type] of Object.entries(kinds))
    own[`${kind}_destroy`] = (object) => {
      handleOf(object, type, kind);
      object.destroy();
    };
  const every = functions(backend, {
    own,
    kinds: Object.fromEntries(Object.entries(kinds).map(([kind, type]) => [kind, (object, what) => handleOf(object, type, what)])),
    adopt: Object.fromEntries(Object.entries(kinds).map(([kind, type]) => {
      const create = (address) => (out) => ((out[0] = address), 0);
      return [kind, (address, ctx) => (type._made ? type._made(create(address), ctx) : new type(create(address), ctx))];
    })),
    contextOf: (object) => object && object.ctx,
    call(name, args, context = shared) {
      const result = c[name](...args);
      return abi.functions[name].returns === 'tvgp_status' ? context.check(result) : result;
    },
  }, flatten);

  return { Context, Domain, GP, Kernel, Policy, TvgpError, arms, box, c: every, categorical, grid, indices, kdppSample, matern, native: c, product, randomNormal, se,
           table, version: c.tvgp_version() };
}

module.exports = make;
