// SPDX-License-Identifier: MIT
// Before `npm pack`: copies what the package carries into it. TVGP_WASM names tvgp.wasm (cmake --build --preset wasm), with its list of
// signatures beside it; TVGP_LIBRARY a shared library for require('tvgp/native') (one built with TVGP_BLAS=none depends on nothing).
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const { TVGP_WASM, TVGP_LIBRARY } = process.env;
if (!TVGP_WASM && !TVGP_LIBRARY)
  throw new Error('npm pack: set TVGP_WASM to tvgp.wasm, or TVGP_LIBRARY to libtvgp.so, best one that was built with -DTVGP_BLAS=none');
const beside = (file) => path.join(path.dirname(fs.realpathSync(file)), 'tvgp.json');
/** The list of signatures: beside the library in a build, under share/tvgp where it is installed. */
function signatures(library) {
  let up = fs.realpathSync(library);
  const places = [beside(library)];
  for (let i = 0; i < 4; i++) places.push(path.join((up = path.dirname(up)), 'share', 'tvgp', 'tvgp.json'));
  const found = places.find((file) => fs.existsSync(file));
  if (!found) throw new Error(`npm pack: tvgp.json, which comes with libtvgp, is at none of ${places.join(', ')}`);
  return found;
}
if (TVGP_WASM) {
  fs.copyFileSync(TVGP_WASM, path.join(__dirname, 'tvgp.wasm'));
  fs.copyFileSync(beside(TVGP_WASM), path.join(__dirname, 'tvgp.json'));
  fs.writeFileSync(path.join(__dirname, 'tvgp.mjs'), execFileSync(process.execPath, [path.join(__dirname, 'bundle.js'), beside(TVGP_WASM)]));
}
if (TVGP_LIBRARY) {
  const native = path.join(__dirname, 'native');
  fs.mkdirSync(native, { recursive: true });
  fs.copyFileSync(fs.realpathSync(TVGP_LIBRARY), path.join(native, 'libtvgp.so'));
  fs.copyFileSync(signatures(TVGP_LIBRARY), path.join(native, 'tvgp.json'));
}
