// SPDX-License-Identifier: MIT
// openfeature_redis_test.js MODULE: the provider (docs/guide/openfeature.md) with its state in Redis, in a server of its own. Needs
// redis-server, and redis and @openfeature/server-sdk in NODE_PATH; exits with 77 without them.
'use strict';
const assert = require('assert');
const { spawn } = require('child_process');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { TvgpProvider } = require('./openfeature.js');

const FLAGS = { color: { variants: { red: '#f00', green: '#0f0', blue: '#00f' } } };
const USERS = 150;
const rate = { red: 0.2, green: 0.8, blue: 0.4 };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const user = (key) => ({ targetingKey: key });

/** One of several processes, which all serve the same users, each in its own order. Prints what each user saw. */
async function worker(url, part) {
  const { OpenFeature } = require('@openfeature/server-sdk');
  await OpenFeature.setProviderAndWait(new TvgpProvider(FLAGS, { redis: url }));
  const flags = OpenFeature.getClient();
  for (let i = 0; i < USERS; i++) {
    const k = (i * (part ? 7 : 1)) % USERS;
    const { variant, flagMetadata, errorMessage } = await flags.getStringDetails('color', '#000', user(`u${k}`));
    console.log(JSON.stringify([k, variant, flagMetadata.id, errorMessage]));
  }
  await OpenFeature.close();
}

if (process.argv[2] === 'worker') {
  worker(process.argv[3], Number(process.argv[4]));
  return;
}
let createClient;
try {
  require('@openfeature/server-sdk');
  ({ createClient } = require('redis'));
} catch {
  console.log('skipped: redis or @openfeature/server-sdk is not installed (npm install --prefix build/npm redis @openfeature/server-sdk)');
  process.exit(77);
}
const module_ = process.argv[2];
if (!fs.existsSync(module_)) {
  console.log(`skipped: there is no ${module_}`);
  process.exit(77);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tvgp-'));
let server;
process.on('exit', () => server?.kill('SIGKILL')); // also after an error in a callback
async function start(port) {
  server = spawn('redis-server', ['--bind', '127.0.0.1', '--port', String(port), '--loadmodule', path.resolve(module_), '--dir', folder, '--save', '',
                                  '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: 'ignore' });
  server.on('error', () => { console.log('skipped: redis-server is not installed'); process.exit(77); });
  for (let i = 0; i < 200; i++) {
    const there = await new Promise((done) => net.connect(port, '127.0.0.1').on('connect', () => done(true)).on('error', () => done(false)));
    if (there) return;
    await sleep(50);
  }
  throw new Error('redis-server did not start');
}
async function stop() {
  const ended = new Promise((done) => server.once('exit', done));
  server.kill('SIGKILL');
  await ended;
}
const free = () => new Promise((done) => { const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)); }); });

async function open(flags, options) {
  const provider = new TvgpProvider(flags, options);
  await provider.initialize();
  return provider;
}
const ask = (provider, key, name = 'color') => provider.resolveStringEvaluation(name, 'none', key === undefined ? {} : user(key));

/** Three processes serve the same users, and one is killed: a user has one query, and each id one user. */
async function processes(url, client) {
  const seen = new Map();
  const run = (part) => new Promise((done, failed) => {
    const child = spawn(process.execPath, [__filename, 'worker', url, String(part)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '', lines = 0;
    child.stdout.on('data', (data) => {
      const parts = (text + data).split('\n');
      text = parts.pop();
      for (const line of parts) {
        const [k, variant, id, error] = JSON.parse(line);
        assert.strictEqual(error, null);
        assert.deepStrictEqual(seen.get(k) ?? [variant, id], [variant, id]);
        seen.set(k, [variant, id]);
        if (part === 2 && ++lines > USERS / 3) child.kill('SIGKILL');
      }
    });
    child.on('exit', (code) => (code === 0 || part === 2 ? done() : failed(new Error(`worker ${part} ended with ${code}`))));
  });
  await Promise.all([0, 1, 2].map(run));
  assert.strictEqual(seen.size, USERS);
  assert.strictEqual(new Set([...seen.values()].map(([, id]) => id)).size, USERS);
  assert.strictEqual(Number(await client.sendCommand(['TVGP.STAT', 'tvgp:{color}', 'asked'])), USERS);
  // outcomes by another process, each twice: the second has no effect
  const provider = await open(FLAGS, { redis: url });
  for (const [k, [variant]] of seen) for (let i = 0; i < 2; i++) provider.track('purchase', user(`u${k}`), { value: rate[variant] });
  await provider.onClose();
  assert.strictEqual(Number(await client.sendCommand(['TVGP.STAT', 'tvgp:{color}', 'values'])), USERS);
  assert.deepStrictEqual((await client.sendCommand(['KEYS', 'tvgp:*'])), ['tvgp:{color}']);
}

/** The same calls as with the state in memory lead to the same decisions. */
async function same(url) {
  let now = 0;
  const flags = { twin: { ...FLAGS.color, options: { choice: 'thompson', seed: 5 }, events: ['purchase'] } };
  const shared = await open(flags, { redis: url, clock: () => now }), memory = await open(flags, { clock: () => now });
  for (let i = 0; i < 60; i++) {
    now = i;
    const key = i % 7 ? `u${i % 20}` : undefined, a = await ask(shared, key, 'twin'), b = await ask(memory, key, 'twin');
    assert.deepStrictEqual([a.variant, a.value, a.reason, a.flagMetadata.id], [b.variant, b.value, b.reason, b.flagMetadata.id]);
    assert(Math.abs(a.flagMetadata.propensity - b.flagMetadata.propensity) < 1e-9);
    for (const provider of [shared, memory]) {
      provider.track('visit', user(key), { value: 9 });
      if (i % 3 && key) provider.track('purchase', user(key), { value: rate[a.variant] + i / 100 });
    }
    await Promise.all(shared.redis.running);
  }
  await shared.onClose();
}

/** A process with more variants joins; one with fewer is asked its own. */
async function variants(url) {
  const at = { redis: url, prefix: 'new:' }; // no outcomes: every variant is asked
  const more = { color: { variants: { ...FLAGS.color.variants, black: '#000' } } };
  const old = await open(FLAGS, at), later = await open(more, at);
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    const key = `later${i}`, first = await ask(later, key), again = await ask(old, key);
    if (first.variant === 'black') assert.deepStrictEqual(again, { value: 'none', reason: 'DEFAULT' });
    else assert.deepStrictEqual(again, first);
    seen.add(first.variant);
    const own = await ask(old, `old${i}`);
    assert(own.variant in FLAGS.color.variants);
  }
  assert(seen.has('black'));
  await assert.rejects(open({ color: { variants: { blue: '#00f' } } }, at), /has the variant red; new ones must come after it/);
  await Promise.all([old.onClose(), later.onClose()]);
}

async function shares(url, client) {
  const flags = { who: { ...FLAGS.color, assignment: 'shares', refresh: 0 } };
  const provider = await open(flags, { redis: client, prefix: 'other:' });
  for (let i = 0; i < 100; i++) {
    const { variant, flagMetadata } = await ask(provider, `u${i}`, 'who');
    assert.deepStrictEqual(flagMetadata, {});
    provider.track('purchase', user(`u${i}`), { value: rate[variant] });
    await Promise.all(provider.redis.running);
  }
  assert.strictEqual(Number(await client.sendCommand(['TVGP.STAT', 'other:{who}', 'unsolicited'])), 100);
  let green = 0;
  for (let i = 0; i < 100; i++) green += (await ask(provider, `v${i}`, 'who')).variant === 'green';
  assert(green > 60, `green ${green}`);
  await provider.onClose();
  assert(client.isOpen);
}

/** A server that is killed and comes back; a pending query that was lost; refused outcomes. */
async function failures(port, url, client) {
  const errors = [];
  const provider = await open(FLAGS, { redis: url, expire: 1000, onError: (e) => errors.push(e.message) });
  const kept = await ask(provider, 'kept');
  assert((await client.sendCommand(['TTL', 'tvgp:{color}:kept'])) > 990);
  await stop();
  const refused = await ask(provider, 'other');
  assert.deepStrictEqual([refused.value, refused.reason, refused.errorCode], ['none', 'ERROR', 'GENERAL']);
  provider.track('purchase', user('kept'), { value: 1 });
  await Promise.all(provider.redis.running);
  assert(errors.length > 0);
  await assert.rejects(open(FLAGS, { redis: url }), /no server at/);
  await start(port);
  let again = refused;
  for (let i = 0; i < 100 && again.errorCode; i++, await sleep(50)) again = await ask(provider, 'kept');
  assert.deepStrictEqual(again, kept);
  errors.length = 0;
  provider.track('purchase', user('kept'), { value: 1e300 });
  await Promise.all(provider.redis.running);
  assert.strictEqual(errors.length, 1);
  assert.deepStrictEqual(await ask(provider, 'kept'), kept); // it may still have an outcome
  await client.sendCommand(['SET', 'tvgp:{color}:lost', '999999 77 1 0.5']);
  provider.track('purchase', user('lost'), { value: 1 });
  await Promise.all(provider.redis.running);
  assert.strictEqual(await client.sendCommand(['EXISTS', 'tvgp:{color}:lost']), 0);
  await provider.onClose();
  assert.strictEqual((await ask(provider, 'kept')).errorCode, 'PROVIDER_NOT_READY');
  assert.throws(() => new TvgpProvider({ f: { variants: { 'a b': 1, c: 2 } } }, { redis: url }), /no blank or comma/);
  assert.throws(() => new TvgpProvider(FLAGS, { redis: url, file: 'x' }), /both set/);
}

(async () => {
  const port = await free(), url = `redis://127.0.0.1:${port}`;
  await start(port);
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  await processes(url, client);
  await same(url);
  await variants(url);
  await shares(url, client);
  await failures(port, url, client);
  await (client.close ?? client.quit).call(client);
  console.log('openfeature with Redis: all passed');
})().then(() => 0, (e) => { console.error(e); return 1; }).then(async (code) => {
  await stop();
  fs.rmSync(folder, { recursive: true });
  process.exit(code);
});
