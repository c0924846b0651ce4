// SPDX-License-Identifier: MIT
// The shared library by koffi: what TVGP_LIBRARY names, what came with the package, or what the system has.
'use strict';
const fs = require('fs');
const path = require('path');
const koffi = require('koffi');

function find() {
  const named = process.env.TVGP_LIBRARY;
  const carried = path.join(__dirname, 'native', 'libtvgp.so');
  const library = named ? fs.realpathSync(named) : fs.existsSync(carried) ? carried : null;
  const folders = library ? [path.dirname(library)] : [];
  for (let up = library, i = 0; up && i < 4; i++)
    folders.push(path.join((up = path.dirname(up)), 'share', 'tvgp'));
  for (const folder of [...folders, '/usr/local/share/tvgp', '/usr/share/tvgp']) {
    const file = path.join(folder, 'tvgp.json');
    if (fs.existsSync(file)) {
      const abi = JSON.parse(fs.readFileSync(file, 'utf8'));
      return { abi, library: library || abi.soname };
    }
  }
  throw new Error('tvgp.json, which comes with libtvgp, was found neither beside the library nor in /usr/share/tvgp');
}

const { abi, library } = find();
const native = koffi.load(library);

// Arrays go as typed arrays, out-parameters as typed arrays of one element, handles as pointers.
function type(text) {
  const base = text.replace(/const/g, '').replace(/ /g, '');
  const name = base.replace(/\*+$/, '');
  const stars = base.length - name.length;
  if (abi.callbacks[name]) return 'void *';
  if (stars === 0) return name === 'tvgp_status' ? 'int32_t' : name;
  if (name === 'char' && stars === 1) return 'str';
  if (stars === 2) return koffi.out(koffi.pointer(name === 'char' ? 'str' : 'void *'));
  return 'void *';
}

const protos = {};
const bytesOf = (n) => koffi.array('uint8_t', n);

module.exports = {
  abi,
  pointerSize: 8,
  Size: BigUint64Array,
  func(name) {
    const { returns, args } = abi.functions[name];
    return native.func(name, type(returns), args.map((a) => type(a.type)));
  },
  read: (address, n) => Uint8Array.from(koffi.decode(address, bytesOf(n))),
  write: (address, bytes) => koffi.encode(address, bytesOf(bytes.length), bytes),
  textAt: (bytes, offset) => koffi.decode(bytes.subarray(offset), 'str'),
  textsAt(bytes, offset) {
    const address = koffi.decode(bytes.subarray(offset), 'void *');
    const found = [];
    for (let text; address && (text = koffi.decode(address, 8 * found.length, 'str'));) found.push(text);
    return address ? found : null;
  },
  textOf: (address) => (typeof address === 'string' ? address : koffi.decode(address, 'char', -1)),
  addressAt: (bytes, offset) => koffi.decode(bytes.subarray(offset), 'void *'),
  setAddress: (bytes, offset, address) => koffi.encode(bytes.subarray(offset), 'void *', address),
  /** Memory that stays. */
  keep(bytes) {
    const address = koffi.alloc('uint8_t', Math.max(bytes.length, 1));
    koffi.encode(address, bytesOf(bytes.length), bytes);
    return address;
  },
  release: (address) => koffi.free(address),
  /** A function that C may call for as long as the process lives. */
  callback(signature, call) {
    const plain = (text) => (text.includes('*') ? 'void *' : text);
    const types = [signature.returns, ...signature.args.map((a) => a.type)].map(plain);
    protos[types] = protos[types] || koffi.proto(`tvgp_function_${Object.keys(protos).length}`, types[0], types.slice(1));
    return koffi.register(call, koffi.pointer(protos[types]));
  },
};
