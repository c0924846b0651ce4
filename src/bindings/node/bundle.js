// SPDX-License-Identifier: MIT
// Writes tvgp.mjs, the package as one ES module for browsers, workers and node: node bundle.js TVGP_JSON > tvgp.mjs. It loads tvgp.wasm
// from beside it.
'use strict';
const fs = require('fs');
const path = require('path');

const abi = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
for (const f of Object.values(abi.functions)) delete f.doc;
const names = ['functions', 'api', 'wasm'];
const parts = names.map((name) => `modules['./${name}.js'] = (module, require) => {\n${fs.readFileSync(path.join(__dirname, `${name}.js`), 'utf8')}};\n`);
const exported = ['Context', 'Domain', 'GP', 'Kernel', 'Policy', 'TvgpError', 'arms', 'box', 'c', 'categorical', 'grid', 'indices', 'kdppSample', 'matern', 'native',
                  'product', 'randomNormal', 'se', 'table', 'version'];
process.stdout.write(`// SPDX-License-Identifier: MIT
// libtvgp ${abi.version} for browsers, workers and node. Made by bundle.js; tvgp.wasm must be beside it.
const modules = {};
${parts.join('')}
const loaded = {};
function require(name) {
  if (!loaded[name]) modules[name](loaded[name] = { exports: {} }, require);
  return loaded[name].exports;
}
const abi = ${JSON.stringify(abi)};
const place = new URL('tvgp.wasm', import.meta.url);
const bytes = place.protocol === 'file:' ? (await import('node:fs')).readFileSync(place) : await (await fetch(place)).arrayBuffer();
const tvgp = require('./api.js')(require('./wasm.js').load(await WebAssembly.compile(bytes), abi));
export default tvgp;
export const { ${exported.join(', ')} } = tvgp;
export const ready = Promise.resolve(tvgp); // an import has waited already
`);
