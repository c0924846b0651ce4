// SPDX-License-Identifier: MIT
// The library in WebAssembly, for node, browsers and workers: load(module, abi) is a backend of api.js. What a call is given is
// copied into the memory of the module, what it wrote is copied back; addresses are numbers.
'use strict';

const bits = (text) => (text.includes('*') ? 'i32' : { double: 'f64', int64_t: 'i64', uint64_t: 'i64', void: '' }[text] ?? 'i32');

/** The function of JavaScript as one that the module's table takes: exported by a module of its own, which imports it. */
function tabled(call, returns, args) {
  const code = { i32: 0x7f, i64: 0x7e, f64: 0x7c };
  const result = bits(returns) ? [1, code[bits(returns)]] : [0];
  const type = [0x60, args.length, ...args.map((a) => code[bits(a)]), ...result];
  const section = (id, body) => [id, body.length, ...body];
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, [1, ...type]), ...section(2, [1, 1, 0x65, 1, 0x66, 0, 0]),
                 ...section(7, [1, 1, 0x66, 0, 0])]; // import e.f, export it as f
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)), { e: { f: call } }).exports.f;
}

function load(module, abi) {
  const library = new WebAssembly.Instance(module, { env: { emscripten_notify_memory_growth() {} } }).exports;
  library._initialize();
  const heap = () => new Uint8Array(library.memory.buffer); // another one when the memory has grown
  const view = () => new DataView(library.memory.buffer);
  const decoder = new TextDecoder();

  function allocate(n) {
    const address = library.malloc(Math.max(n, 1));
    if (!address) throw new RangeError(`no memory for ${n} bytes`);
    return address >>> 0;
  }
  function textOf(address) {
    if (!address) return null;
    const all = heap();
    return decoder.decode(all.slice(address, all.indexOf(0, address)));
  }

  /** One argument as the module takes it; `lent` gets memory to be given back. */
  function passed(value, type, lent) {
    if (!type.includes('*')) return abi.callbacks[type] ? value || 0 : bits(type) === 'i64' ? BigInt(value) : Number(value);
    if (value === null || value === undefined) return 0;
    if (typeof value === 'number') return value;
    const bytes = typeof value === 'string' ? new TextEncoder().encode(`${value}\0`) :
                  Array.isArray(value) ? new Uint8Array(4) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    const address = allocate(bytes.length);
    heap().set(bytes, address);
    lent.push({ address, value, bytes, type });
    return address;
  }
  /** What was written comes back: handles and texts into lists of one, numbers into their arrays. */
  function back({ address, value, bytes, type }) {
    if (Array.isArray(value)) {
      const found = view().getUint32(address, true);
      value[0] = type.includes('char') ? textOf(found) : found || null;
    } else if (typeof value !== 'string' && !type.startsWith('const')) {
      bytes.set(heap().subarray(address, address + bytes.length));
    }
  }

  return {
    abi,
    pointerSize: 4,
    Size: Uint32Array,
    func(name) {
      const { returns, args } = abi.functions[name];
      return (...given) => {
        const lent = [];
        try {
          const result = library[name](...args.map((a, i) => passed(given[i], a.type, lent)));
          lent.forEach(back);
          return returns === 'const char *' ? textOf(result >>> 0) : result;
        } finally {
          for (const { address } of lent) library.free(address);
        }
      };
    },
    read: (address, n) => heap().slice(address, address + n),
    write: (address, bytes) => heap().set(bytes, address),
    textAt: (bytes, offset) => textOf(new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)),
    textsAt(bytes, offset) {
      const list = new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
      const found = [];
      for (let text; list && (text = textOf(view().getUint32(list + 4 * found.length, true))) !== null;) found.push(text);
      return list ? found : null;
    },
    textOf,
    addressAt: (bytes, offset) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true),
    setAddress: (bytes, offset, address) => new DataView(bytes.buffer, bytes.byteOffset).setUint32(offset, address, true),
    /** Memory that stays. */
    keep(bytes) {
      const address = allocate(bytes.length);
      heap().set(bytes, address);
      return address;
    },
    release: (address) => library.free(address),
    /** A function that the module may call for as long as it lives. */
    callback(signature, call) {
      const table = library.__indirect_function_table;
      const place = table.grow(1);
      table.set(place, tabled(call, signature.returns, signature.args.map((a) => a.type)));
      return place;
    },
  };
}

module.exports = { load };
