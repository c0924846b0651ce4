// SPDX-License-Identifier: MIT
// A provider for @openfeature/server-sdk: a flag is a policy over its variants, and tracking events are its outcomes. Guide:
// docs/guide/openfeature.md. The state is in memory, in a file of lines of JSON (a snapshot of each flag, then the calls since), or in
// Redis (openfeature_redis.js).
'use strict';
const fs = require('fs');
const { Policy, indices, c } = require('./index.js');

const MOST_LINES = 1000; // of calls, before the file is written again
const MOST_OPEN = 100000; // users with a pending query, for each flag

const fail = (value, errorCode, errorMessage) => ({ value, reason: 'ERROR', errorCode, errorMessage });

/** FNV-1a of 64 bits of the UTF-8 text, as Python's tvgp.assign has it. */
function hash(text) {
  let h = 14695981039346656037n;
  for (const byte of Buffer.from(text, 'utf8')) h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 1099511628211n);
  return h;
}

class Flag {
  constructor(name, { variants, policy = 'auto-gp-ucb', options = {}, assignment = 'ask', events = null, refresh = 60, floor = 0 }) {
    this.name = name;
    this.salt = hash(name);
    this.names = Object.keys(variants ?? {});
    this.values = Object.values(variants ?? {});
    this.type = typeof this.values[0];
    if (!this.names.length || this.values.some((value) => typeof value !== this.type))
      throw new TypeError(`flag '${name}': variants must be an object of values of one type`);
    if (assignment !== 'ask' && assignment !== 'shares') throw new RangeError(`flag '${name}': assignment = '${assignment}' must be 'ask' or 'shares'`);
    Object.assign(this, { assignment, events, refresh, floor, words: { policy, options }, shares: null, open: new Map() });
    this.policy = new Policy(policy, indices(this.names.length), null, options);
  }
  hash(user) { return hash(user); }
  /** Makes a call and returns its result; the same calls in the same order lead to the same state. */
  play({ call, t, key, id, arm, y }) {
    if (call === 'ask') {
      const query = this.policy.ask(t);
      if (query && id !== undefined && query.id !== id) throw new Error(`flag '${this.name}': the file has query ${id}, and ${query.id} was asked`);
      if (query && key !== undefined) this.keep(key, query);
      return query;
    }
    if (call === 'tell') {
      this.policy.tell(id, y, { t });
      if (this.open.get(key)?.id === id) this.open.delete(key);
    } else if (call === 'observe') this.policy.observe([arm], y, { t });
    else throw new Error(`flag '${this.name}': the file has the call '${call}'`);
    return null;
  }
  /** The oldest user is forgotten if there are too many. */
  keep(key, { id, arm, propensity }) {
    this.open.delete(key);
    this.open.set(key, { id, arm, propensity });
    if (this.open.size > MOST_OPEN) this.open.delete(this.open.keys().next().value);
  }
  /** The arm of a user: a larger share of an arm moves users to it, and the others stay. */
  assigned(key, t) {
    if (!this.shares || t >= this.shares.t + this.refresh) {
      this.shares = { t, share: c.shares(c.policy_best_probability(this.policy, t, null, 1024)[0], 1, this.floor) };
    }
    return { arm: Number(c.assign(this.shares.share, this.salt, hash(key))) };
  }
  snapshot() {
    return { flag: this.name, call: 'snapshot', names: this.names, state: Buffer.from(this.policy.save(true)).toString('base64'), open: [...this.open] };
  }
  restore({ names, state, open }) {
    if (names.length > this.names.length || names.some((name, i) => name !== this.names[i]))
      throw new Error(`flag '${this.name}': the file has the variants ${names.join(', ')}; new ones must come after them`);
    this.policy = Policy.restore(Buffer.from(state, 'base64'));
    if (names.length < this.names.length) this.policy.extend(indices(this.names.length));
    this.open = new Map(open);
  }
}

class TvgpProvider {
  /** flags: name to { variants, policy, options, assignment, events, refresh, floor }. */
  constructor(flags, { file = null, redis = null, clock = null, ...options } = {}) {
    if (file && redis) throw new TypeError('file and redis are both set: the state is in one of them');
    this.metadata = { name: 'tvgp' };
    this.runsOn = 'server';
    this.flags = new Map(Object.entries(flags).map(([name, flag]) => [name, new Flag(name, flag)]));
    Object.assign(this, { file, clock: clock ?? (() => Date.now() / 1000), ready: false, handle: null, lines: 0, redis: null });
    if (redis) this.redis = new (require('./openfeature_redis.js').RedisState)(redis, this.flags, { clock, ...options });
  }
  async initialize() {
    if (this.file && fs.existsSync(this.file)) this.read();
    if (this.file) this.rewrite();
    if (this.redis) await this.redis.open();
    this.ready = true;
  }
  async onClose() {
    if (this.handle !== null) this.rewrite();
    if (this.handle !== null) fs.closeSync(this.handle);
    this.handle = null;
    this.ready = false;
    if (this.redis) await this.redis.close();
  }

  /** Plays the lines of the file. The last line may have been cut off when the process ended. */
  read() {
    const lines = fs.readFileSync(this.file, 'utf8').split('\n');
    lines.pop();
    for (const line of lines) {
      const record = JSON.parse(line);
      const flag = this.flags.get(record.flag);
      if (!flag) continue; // it is no longer served
      if (record.call === 'snapshot') flag.restore(record);
      else flag.play(record);
    }
  }
  /** Replaces the file by one of snapshots alone. */
  rewrite() {
    const next = `${this.file}.new`;
    const handle = fs.openSync(next, 'w');
    for (const flag of this.flags.values()) fs.writeSync(handle, `${JSON.stringify(flag.snapshot())}\n`);
    fs.fsyncSync(handle);
    fs.renameSync(next, this.file);
    if (this.handle !== null) fs.closeSync(this.handle);
    this.handle = handle;
    this.lines = 0;
  }
  /** Makes a call and writes it down. */
  make(flag, record) {
    const query = flag.play(record);
    if (this.handle === null) return query;
    fs.writeSync(this.handle, `${JSON.stringify({ flag: flag.name, ...record, id: query ? query.id : record.id })}\n`);
    if (++this.lines >= MOST_LINES) this.rewrite();
    return query;
  }

  /** The arm of a user, and the query if there is one; with Redis a promise. */
  choose(flag, key) {
    if (this.redis) return this.redis.choose(flag, key);
    const t = this.clock();
    if (flag.assignment === 'shares') return flag.assigned(key, t);
    return (key !== undefined && flag.open.get(key)) || this.make(flag, { call: 'ask', t, key });
  }
  resolve(name, type, value, context) {
    const flag = this.flags.get(name);
    const key = context?.targetingKey;
    if (!this.ready) return fail(value, 'PROVIDER_NOT_READY', 'the provider is not initialized');
    if (!flag) return fail(value, 'FLAG_NOT_FOUND', `there is no flag '${name}'`);
    if (flag.type !== type) return fail(value, 'TYPE_MISMATCH', `flag '${name}' has values of type ${flag.type}, not ${type}`);
    if (key === undefined && flag.assignment === 'shares') return fail(value, 'TARGETING_KEY_MISSING', `flag '${name}' assigns users: set targetingKey`);
    const failed = (e) => fail(value, 'GENERAL', e.message);
    const details = (query) => {
      if (!query || query.arm >= flag.names.length) return { value, reason: 'DEFAULT' }; // none before outcomes arrive; or unknown here
      const flagMetadata = query.id === undefined ? {} : { id: query.id, propensity: query.propensity };
      return { value: flag.values[query.arm], variant: flag.names[query.arm], reason: 'SPLIT', flagMetadata };
    };
    try {
      const query = this.choose(flag, key);
      return query instanceof Promise ? query.then(details).catch(failed) : details(query);
    } catch (e) {
      return failed(e);
    }
  }
  async resolveBooleanEvaluation(name, value, context) { return this.resolve(name, 'boolean', value, context); }
  async resolveStringEvaluation(name, value, context) { return this.resolve(name, 'string', value, context); }
  async resolveNumberEvaluation(name, value, context) { return this.resolve(name, 'number', value, context); }
  async resolveObjectEvaluation(name, value, context) { return this.resolve(name, 'object', value, context); }

  /** The outcome of the newest query of the targeting key, in each flag that listens to the event; without a value it is 1. */
  track(event, context, details = {}) {
    const key = context?.targetingKey;
    const y = details.value ?? 1;
    if (!this.ready || key === undefined || !Number.isFinite(y)) return;
    for (const flag of this.flags.values()) {
      if (flag.events && !flag.events.includes(event)) continue;
      if (this.redis) {
        this.redis.track(flag, key, y);
        continue;
      }
      const t = this.clock();
      const query = flag.open.get(key);
      try {
        if (flag.assignment === 'shares') this.make(flag, { call: 'observe', arm: flag.assigned(key, t).arm, y, t });
        else if (query) this.make(flag, { call: 'tell', id: query.id, key, y, t });
      } catch (e) {
        if (e.code !== 'TVGP_ERR_TICKET') throw e;
        flag.open.delete(key); // the query expired
      }
    }
  }
}

module.exports = { TvgpProvider };
