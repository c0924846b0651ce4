// SPDX-License-Identifier: MIT
// The state of openfeature.js in Redis, for several processes: a key of the module `tvgp` for each flag, and a key with the pending
// query of each user, "id epoch arm propensity", that expires. One script is one step: no two processes ask for the same user.
'use strict';
const { c } = require('./index.js');

// Creates the policy, or adds the variants that are new. KEYS: policy. ARGV: description, names as JSON.
const OPEN = `
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('TVGP.CREATE', KEYS[1], ARGV[1]) end
local known, wanted, more = redis.call('TVGP.ARMS', KEYS[1]), cjson.decode(ARGV[2]), {}
for i, arm in ipairs(known) do
  if i <= #wanted and arm[2] ~= wanted[i] then
    return redis.error_reply('the key has the variant ' .. tostring(arm[2]) .. '; new ones must come after it')
  end
end
for i = #known + 1, #wanted do more[#more + 1] = wanted[i] end
if #more > 0 then redis.call('TVGP.EXTEND', KEYS[1], cjson.encode(more)) end
return 1`;

// The pending query of a user, or a new one. KEYS: policy, user if there is one. ARGV: number of variants, their names as JSON,
// seconds until the user's key expires, words of the time.
const ASK = `
local query = KEYS[2] and redis.call('GET', KEYS[2])
if query then return query end
local words = {'TVGP.ASK', KEYS[1], unpack(ARGV, 4)}
local asked = redis.call(unpack(words))
if asked and tonumber(asked[3]) >= tonumber(ARGV[1]) then -- of a process with more variants
  redis.call('TVGP.SKIP', KEYS[1], asked[1])
  table.insert(words, 'AVAILABLE')
  table.insert(words, ARGV[2])
  asked = redis.call(unpack(words))
end
if not asked then return false end
query = string.format('%.0f %.0f %.0f ', asked[1], asked[2], asked[3]) .. asked[5]
if KEYS[2] then redis.call('SET', KEYS[2], query, 'EX', ARGV[3]) end
return query`;

// The outcome of the pending query of a user. KEYS: policy, user. ARGV: outcome, words of the time.
const TELL = `
local query = redis.call('GET', KEYS[2])
if not query then return 0 end
local id, epoch = string.match(query, '^(%d+) (%d+)')
local found = redis.pcall('TVGP.TELL', KEYS[1], id, ARGV[1], 'EPOCH', epoch, unpack(ARGV, 2))
local lost = type(found) == 'table' and found.err
if not lost or string.find(lost, 'epoch = ', 1, true) then redis.call('DEL', KEYS[2]) end -- the server has lost its ask
return found`;

/** The words of a description; its syntax has no quotes. */
function description(flag) {
  const { policy, options } = flag.words;
  const pairs = Object.entries(options).map(([key, value]) => [key, typeof value === 'boolean' ? Number(value) : value]);
  for (const word of [...flag.names, ...pairs.flat()])
    if (/[\s,]/.test(word) || word === '') throw new TypeError(`flag '${flag.name}': '${word}' must have no blank or comma, for Redis`);
  return [policy, `names=${flag.names.join(',')}`, ...pairs.map((pair) => pair.join('='))].join(' ');
}

class RedisState {
  /** redis: a URL, or a client that is connected and that the caller closes. */
  constructor(redis, flags, { prefix = 'tvgp:', expire = 604800, clock = null, onError = (e) => process.emitWarning(e) }) {
    this.flags = [...flags.values()].map((flag) => ({ flag, words: description(flag) }));
    Object.assign(this, { redis, prefix, expire, clock, onError, client: null, shares: new Map(), running: new Set() });
  }
  async open() {
    if (typeof this.redis === 'string') {
      let connected = false; // a server that is absent at first is an error; the client waits for one that restarts
      const reconnectStrategy = (retries) => (connected ? Math.min(50 * retries, 2000) : new Error(`no server at ${this.redis}`));
      this.client = require('redis').createClient({ url: this.redis, disableOfflineQueue: true, socket: { reconnectStrategy } });
      this.client.on('error', (e) => connected && this.onError(e));
      await this.client.connect();
      connected = true;
    } else this.client = this.redis;
    try {
      for (const { flag, words } of this.flags) await this.run(OPEN, [this.key(flag)], [words, JSON.stringify(flag.names)]);
    } catch (e) {
      await this.close();
      throw e;
    }
  }
  async close() {
    await Promise.all(this.running);
    if (this.client && this.client !== this.redis) await (this.client.close ?? this.client.quit).call(this.client);
    this.client = null;
  }
  /** One slot of a cluster for each flag. */
  key(flag, user) {
    return `${this.prefix}{${flag.name}}${user === undefined ? '' : `:${user}`}`;
  }
  time() {
    return this.clock ? ['T', String(this.clock())] : []; // else the server's
  }
  run(script, keys, words) {
    return this.client.sendCommand(['EVAL', script, String(keys.length), ...keys, ...words]);
  }
  async choose(flag, user) {
    if (flag.assignment === 'shares') return { arm: await this.assigned(flag, user) };
    const keys = user === undefined ? [this.key(flag)] : [this.key(flag), this.key(flag, user)];
    const said = await this.run(ASK, keys, [String(flag.names.length), JSON.stringify(flag.names), String(this.expire), ...this.time()]);
    if (said === null) return null;
    const [id, , arm, propensity] = said.split(' ').map(Number);
    return { id, arm, propensity };
  }
  /** The arm of a user, by shares that are computed again after `refresh` seconds. */
  async assigned(flag, user) {
    const now = Date.now() / 1000;
    let found = this.shares.get(flag);
    if (!found || now >= found.now + flag.refresh) {
      const rows = await this.client.sendCommand(['TVGP.SHARES', this.key(flag), 'POWER', '1', 'FLOOR', String(flag.floor), ...this.time()]);
      const share = rows.slice(0, flag.names.length).map((row) => Number(row[3]));
      const sum = share.reduce((a, b) => a + b);
      found = { now, share: share.map((one) => one / sum) };
      this.shares.set(flag, found);
    }
    return Number(c.assign(found.share, flag.salt, flag.hash(user)));
  }
  async tell(flag, user, y) {
    if (flag.assignment === 'ask') return this.run(TELL, [this.key(flag), this.key(flag, user)], [String(y), ...this.time()]);
    const name = flag.names[await this.assigned(flag, user)];
    return this.client.sendCommand(['TVGP.OBSERVE', this.key(flag), name, String(y), ...this.time()]);
  }
  /** Reports an outcome without waiting for it; an error goes to onError. */
  track(flag, user, y) {
    const call = this.tell(flag, user, y).catch((e) => this.onError(e)).finally(() => this.running.delete(call));
    this.running.add(call);
  }
}

module.exports = { RedisState };
