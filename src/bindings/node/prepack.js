// SPDX-License-Identifier: MIT
// Before `npm pack`: copies into the package what is built elsewhere, and fails where the package would not work. TVGP_WASM names
// tvgp.wasm (cmake --build --preset wasm), with tvgp.json and bindings/ beside it. TVGP_LIBRARY names a shared library for
// require('tvgp/native'), if it is to be in the package too; one built with TVGP_BLAS=none depends on nothing.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const { TVGP_WASM, TVGP_LIBRARY } = process.env;
const here = (...names) => path.join(__dirname, ...names);
/** The list of signatures: beside the library in a build, under share/tvgp where it is installed. */
function signatures(library) {
  let up = fs.realpathSync(library);
  const places = [path.join(path.dirname(up), 'tvgp.json')];
  for (let i = 0; i < 4; i++) places.push(path.join((up = path.dirname(up)), 'share', 'tvgp', 'tvgp.json'));
  const found = places.find((file) => fs.existsSync(file));
  if (!found) throw new Error(`npm pack: tvgp.json, which comes with libtvgp, is at none of ${places.join(', ')}`);
  return found;
}
if (TVGP_WASM) {
  const list = signatures(TVGP_WASM);
  fs.copyFileSync(TVGP_WASM, here('tvgp.wasm'));
  fs.copyFileSync(list, here('tvgp.json'));
  fs.copyFileSync(path.join(path.dirname(list), 'bindings', 'node', 'functions.d.ts'), here('functions.d.ts'));
  fs.writeFileSync(here('tvgp.mjs'), execFileSync(process.execPath, [here('bundle.js'), list]));
}
if (TVGP_LIBRARY) {
  fs.mkdirSync(here('native'), { recursive: true });
  fs.copyFileSync(fs.realpathSync(TVGP_LIBRARY), here('native', 'libtvgp.so'));
  fs.copyFileSync(signatures(TVGP_LIBRARY), here('native', 'tvgp.json'));
}
const licence = here('..', '..', '..', 'LICENSE');
if (fs.existsSync(licence)) fs.copyFileSync(licence, here('LICENSE'));
const missing = ['tvgp.wasm', 'tvgp.mjs', 'tvgp.json', 'functions.d.ts', 'LICENSE'].filter((file) => !fs.existsSync(here(file)));
if (missing.length) throw new Error(`npm pack: without ${missing.join(', ')} the package does not work; TVGP_WASM names tvgp.wasm`);
