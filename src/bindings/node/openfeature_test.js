// SPDX-License-Identifier: MIT
// The provider with the SDK from npm. Needs @openfeature/server-sdk in NODE_PATH; exits with 77 without it.
'use strict';
const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { TvgpProvider } = require('./openfeature.js');
let sdk;
try {
  sdk = require('@openfeature/server-sdk');
} catch {
  console.log('skipped: @openfeature/server-sdk is not installed (npm install @openfeature/server-sdk)');
  process.exit(77);
}
const { OpenFeature, ErrorCode } = sdk;

const COLORS = { red: '#f00', green: '#0f0', blue: '#00f' };
let now = 0;
const clock = () => now;
let random = 1; // a linear congruential generator, the same everywhere
const uniform = () => (random = (random * 16807) % 2147483647) / 2147483647;
const rate = (arm, t) => 0.1 + 0.4 * Math.max(0, Math.cos((2 * Math.PI * (t / 1500 - arm / 3)))); // the best variant drifts

async function client(flags, options) {
  const provider = new TvgpProvider(flags, { clock, ...options });
  await OpenFeature.setProviderAndWait(provider);
  return [OpenFeature.getClient(), provider];
}

async function users(assignment, n) {
  now = 0;
  const [flags] = await client({ color: { variants: COLORS, assignment, refresh: 20, events: ['purchase'] } });
  let earned = 0, best = 0, uniformly = 0;
  for (let user = 0; user < n; user++) {
    now = user;
    const context = { targetingKey: `user-${user}` };
    const first = await flags.getStringDetails('color', '#000', context);
    const again = await flags.getStringDetails('color', '#000', context);
    assert.deepStrictEqual([again.variant, again.flagMetadata.id], [first.variant, first.flagMetadata.id]); // sticky
    assert.deepStrictEqual([first.reason, first.value, first.errorCode], ['SPLIT', COLORS[first.variant], undefined]);
    if (assignment === 'ask') assert(first.flagMetadata.id === user + 1 && first.flagMetadata.propensity > 0);
    const arm = Object.keys(COLORS).indexOf(first.variant), rates = [0, 1, 2].map((a) => rate(a, now));
    earned += rates[arm];
    best += Math.max(...rates);
    uniformly += (rates[0] + rates[1] + rates[2]) / 3;
    flags.track('page view', context, { value: 7 }); // another event
    flags.track('purchase', context, { value: uniform() < rates[arm] ? 1 : 0 });
  }
  console.log(`${assignment}: share of the possible gain ${((earned - uniformly) / (best - uniformly)).toFixed(2)}`);
  assert((earned - uniformly) / (best - uniformly) > (assignment === 'ask' ? 0.3 : 0.2));
}

async function errors() {
  const flags = { color: { variants: COLORS }, dark: { variants: { on: true, off: false } }, size: { variants: { s: 1, l: 2 } },
                  theme: { variants: { a: { x: 1 }, b: { x: 2 } } }, who: { variants: COLORS, assignment: 'shares' } };
  const [c] = await client(flags);
  const code = async (call) => { const d = await call; return [d.value, d.errorCode, d.reason]; };
  assert.deepStrictEqual(await code(c.getStringDetails('colour', 'x', { targetingKey: 'u' })), ['x', ErrorCode.FLAG_NOT_FOUND, 'ERROR']);
  assert.deepStrictEqual(await code(c.getBooleanDetails('color', true, { targetingKey: 'u' })), [true, ErrorCode.TYPE_MISMATCH, 'ERROR']);
  assert.deepStrictEqual(await code(c.getStringDetails('who', 'x')), ['x', ErrorCode.TARGETING_KEY_MISSING, 'ERROR']);
  assert.strictEqual(typeof await c.getBooleanValue('dark', false), 'boolean');
  assert([1, 2].includes(await c.getNumberValue('size', 9)));
  assert([1, 2].includes((await c.getObjectValue('theme', {})).x));
  assert.strictEqual((await new TvgpProvider(flags).resolveStringEvaluation('color', 'x', {})).errorCode, ErrorCode.PROVIDER_NOT_READY);
  assert.throws(() => new TvgpProvider({ mixed: { variants: { a: 1, b: 'x' } } }), /one type/);
  assert.throws(() => new TvgpProvider({ color: { variants: COLORS, assignment: 'x' } }), /'ask' or 'shares'/);
}

/** A provider that is closed, or ends without warning, continues as if it had not. */
async function files() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tvgp-'));
  const file = path.join(folder, 'flags.jsonl');
  const flags = { color: { variants: COLORS, options: { choice: 'thompson' } } };
  let [c, provider] = await client(flags, { file });
  const memory = new TvgpProvider(flags, { clock });
  await memory.initialize();
  for (let user = 0; user < 60; user++) {
    now = user;
    const context = { targetingKey: `u${user % 20}` };
    const a = await c.getStringDetails('color', '', context), b = memory.resolve('color', 'string', '', context);
    assert.deepStrictEqual([a.variant, a.flagMetadata], [b.variant, b.flagMetadata]);
    if (user % 3) {
      c.track('purchase', context, { value: user % 2 });
      memory.track('purchase', context, { value: user % 2 });
    }
    if (user % 13 === 12) { // killed: the last line is cut off, and what was written is read
      fs.appendFileSync(file, '{"flag":"color","call":"as');
      provider.onClose = async () => {};
      [c, provider] = await client(flags, { file });
    }
    if (user === 30) {
      await OpenFeature.close();
      [c, provider] = await client(flags, { file });
    }
  }
  await OpenFeature.close();
  const more = new TvgpProvider({ color: { variants: { ...COLORS, black: '#000' } } }, { file, clock });
  await more.initialize();
  const seen = new Set();
  for (let i = 0; i < 200; i++) seen.add(more.resolve('color', 'string', '', {}).variant);
  assert(seen.has('black'));
  await more.onClose();
  await assert.rejects(new TvgpProvider({ color: { variants: { blue: '#00f' } } }, { file, clock }).initialize(), /must come after/);
  fs.rmSync(folder, { recursive: true });
}

/** The program of the page prints what the page says. */
function guide() {
  const page = fs.readFileSync(path.join(__dirname, '../../../docs/guide/openfeature.md'), 'utf8');
  const [program, output] = ['js', 'text'].map((language) => page.split(`\`\`\`${language}\n`)[1].split('```')[0]);
  const code = program.replace("'tvgp/openfeature'", JSON.stringify(path.join(__dirname, 'openfeature.js')));
  assert.strictEqual(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }), output);
}

(async () => {
  await errors();
  await files();
  await users('ask', 1000);
  await users('shares', 1000);
  await OpenFeature.close();
  guide();
  console.log('openfeature: all passed');
})().catch((e) => { console.error(e); process.exit(1); });
