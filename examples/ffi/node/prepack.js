// SPDX-License-Identifier: MIT
// Before `npm pack`: copies the library that TVGP_LIBRARY names (one built with TVGP_BLAS=none depends on nothing) and its list of
// signatures into the package.
'use strict';
const fs = require('fs');
const path = require('path');

if (!process.env.TVGP_LIBRARY)
  throw new Error('npm pack: set TVGP_LIBRARY to libtvgp.so, best one that was built with -DTVGP_BLAS=none');
const library = fs.realpathSync(process.env.TVGP_LIBRARY);
const native = path.join(__dirname, 'native');
fs.mkdirSync(native, { recursive: true });
fs.copyFileSync(library, path.join(native, 'libtvgp.so'));
fs.copyFileSync(path.join(path.dirname(library), 'tvgp.json'), path.join(native, 'tvgp.json'));
