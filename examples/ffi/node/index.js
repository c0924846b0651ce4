// SPDX-License-Identifier: MIT
// Gaussian-process bandits for things that drift, in WebAssembly: require('tvgp'). Where TVGP_LIBRARY names a shared library, or the
// package came without tvgp.wasm, it is require('tvgp/native').
'use strict';
const fs = require('fs');
const path = require('path');

const here = path.join(__dirname, 'tvgp.wasm');
module.exports = process.env.TVGP_LIBRARY || !fs.existsSync(here) ? require('./native.js') : require('./api.js')(require('./wasm.js').load(
  new WebAssembly.Module(fs.readFileSync(here)), JSON.parse(fs.readFileSync(path.join(__dirname, 'tvgp.json'), 'utf8'))));
