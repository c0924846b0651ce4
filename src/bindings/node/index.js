// SPDX-License-Identifier: MIT
// Time-varying Gaussian-process bandits, in WebAssembly: require('tvgp'). Where TVGP_LIBRARY names a shared library, or the
// package came without tvgp.wasm, it is require('tvgp/native').
'use strict';
const fs = require('fs');
const path = require('path');

const wasm = path.join(__dirname, 'tvgp.wasm');
function load() {
  const abi = JSON.parse(fs.readFileSync(path.join(__dirname, 'tvgp.json'), 'utf8'));
  return require('./api.js')(require('./wasm.js').load(new WebAssembly.Module(fs.readFileSync(wasm)), abi));
}
const tvgp = process.env.TVGP_LIBRARY || !fs.existsSync(wasm) ? require('./native.js') : load();
module.exports = { ...tvgp, ready: Promise.resolve(tvgp) };
