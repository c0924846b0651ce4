// SPDX-License-Identifier: MIT
// Every function of the library by its name in C without tvgp_, for tvgp.c. What the C function is given is given here in the same
// order, but for the lengths of arrays, which are known; what it writes is returned, several things as an array. The roles of
// arguments come from tvgp.json. Functions to be called back get numbers, and for each pointer an object with read(n) and
// write(values), or null.
'use strict';

const GIVEN = ['handle', 'number', 'text', 'array', 'bytes', 'table', 'values', 'callback', 'pointer'];
const baseOf = (type) => type.replace(/const|\*/g, '').trim();
const ARRAYS = { double: Float64Array, int64_t: BigInt64Array, uint64_t: BigUint64Array, int32_t: Int32Array, uint32_t: Uint32Array,
                 uint8_t: Uint8Array };

/** How structs lie in memory, and what is read from it and written to it. */
function records(backend) {
  const { abi } = backend;
  const arrayOf = (base) => (base === 'size_t' ? backend.Size : ARRAYS[base]);
  const sizeOf = (field) => (field.type.includes('*') ? backend.pointerSize : arrayOf(field.type).BYTES_PER_ELEMENT);
  const layouts = {};
  function layout(name) {
    if (layouts[name]) return layouts[name];
    let [at, widest] = [0, 4];
    const fields = abi.structs[name].fields.map((field) => {
      const size = sizeOf(field);
      widest = Math.max(widest, size);
      const offset = Math.ceil(at / size) * size;
      at = offset + size * field.count;
      return { ...field, offset };
    });
    return (layouts[name] = { size: Math.ceil(at / widest) * widest, fields });
  }

  /** Numbers as typed arrays have them. */
  const numbers = (base, values) => arrayOf(base).from(values, (v) => (arrayOf(base).name.startsWith('Big') ? BigInt(v) : Number(v)));
  const plain = (values) => Array.from(values, (v) => (typeof v === 'bigint' ? Number(v) : v));

  /** What a pointer given to a function of the caller's leads to. */
  function memory(address, base) {
    if (!address) return null;
    const struct = abi.structs[base];
    const bytes = (n) => n * (struct ? layout(base).size : base === 'void' ? backend.pointerSize : arrayOf(base).BYTES_PER_ELEMENT);
    return {
      address,
      read(n) {
        const raw = backend.read(address, bytes(n === undefined ? 1 : n));
        if (!struct) return plain(new (arrayOf(base))(raw.buffer));
        return n === undefined ? decode(base, raw) : Array.from({ length: n }, (_, i) => decode(base, raw.subarray(i * bytes(1))));
      },
      write(values) {
        if (struct) backend.write(address, encode(base, values, backend.read(address, bytes(1))));
        else backend.write(address, new Uint8Array(numbers(base, values).buffer));
      },
    };
  }

  /** One struct as an object: texts as strings, lists of texts as arrays, other pointers as memory. */
  function decode(name, bytes) {
    const found = {};
    for (const { name: key, type, count, offset } of layout(name).fields) {
      if (key === 'reserved') continue;
      if (type === 'const char *') found[key] = backend.textAt(bytes, offset);
      else if (type.startsWith('const char *const')) found[key] = backend.textsAt(bytes, offset);
      else if (type.includes('*')) found[key] = memory(backend.addressAt(bytes, offset), abi.structs[baseOf(type)] || ARRAYS[baseOf(type)] ? baseOf(type) : 'void');
      else {
        const values = plain(new (arrayOf(type))(bytes.slice(offset, offset + count * sizeOf({ type })).buffer));
        found[key] = count > 1 ? values : values[0];
      }
    }
    return found;
  }

  /** The bytes of a struct; functions, texts and arrays in it stay where they are for good. */
  function encode(name, values, bytes = new Uint8Array(layout(name).size)) {
    const { size, fields } = layout(name);
    const given = fields[0].name === 'struct_size' ? { ...values, struct_size: size } : values;
    for (const key of Object.keys(given)) if (!fields.some((f) => f.name === key)) throw new RangeError(`${name} has no ${key}`);
    for (const { name: key, type, callback, offset } of fields) {
      const value = given[key];
      const pointer = callback || type.includes('*');
      if (value === undefined || (value === null && pointer)) continue;
      if (!pointer && ![].concat(value).every((v) => typeof v === 'number' || typeof v === 'bigint'))
        throw new TypeError(`${key} = ${typeof value === 'string' ? `'${value}'` : String(value)} must be a number`);
      if (callback) backend.setAddress(bytes, offset, backend.callback(callback, guarded(callback, value)));
      else if (typeof value === 'string') backend.setAddress(bytes, offset, backend.keep(new TextEncoder().encode(`${value}\0`)));
      else if (type.includes('*')) backend.setAddress(bytes, offset, backend.keep(many(baseOf(type), value)));
      else bytes.set(new Uint8Array(numbers(type, [].concat(value)).buffer), offset);
    }
    return bytes;
  }
  function many(name, list) {
    const bytes = new Uint8Array(list.length * layout(name).size);
    list.forEach((one, i) => bytes.set(encode(name, one), i * layout(name).size));
    return bytes;
  }

  /** A function for C. An exception must not leave through it: a status says that there was one. */
  function guarded(signature, call) {
    return (...raw) => {
      try {
        const result = call(...raw.map((value, i) => {
          const { type } = signature.args[i];
          if (type === 'const char *') return backend.textOf(value);
          return type.includes('*') ? memory(value, baseOf(type)) : typeof value === 'bigint' ? Number(value) : value;
        }));
        return signature.returns === 'void' ? undefined : result || 0;
      } catch (error) {
        console.error(error);
        return signature.returns === 'void' ? undefined : -1000;
      }
    };
  }
  return { arrayOf, decode, encode, guarded, layout, many, numbers, plain };
}

/** The functions. `objects` says how the classes of the package and C belong together: kinds[kind](object, what) is the address of
 * an object, adopt[kind](address, context) an object of an address, contextOf(object) its context; call(name, args, context) makes
 * the call and throws where it fails. */
function functions(backend, objects, flatten) {
  const { abi } = backend;
  const { arrayOf, decode, encode, guarded, layout, many, numbers, plain } = records(backend);
  const c = {};
  const sizes = {
    dim: (kind, v) => (kind === 'gp' ? c.kernel_dim(c.gp_kernels(v)[0]) : c[`${kind}_dim`](v)),
    arms: (kind, v) => c.domain_size(kind === 'policy' ? c.policy_domain(v) : v),
    parameters: (kind, v) => (kind === 'gp' ? c.gp_kernels(v).filter(Boolean) : [v]).reduce((n, k) => n + c.kernel_param_count(k), kind === 'gp' ? 1 : 0),
  };

  function run(name, spec, given) {
    const wanted = spec.args.filter((a) => GIVEN.includes(a.role));
    const needed = wanted.filter((a) => !a.optional && a.role !== 'callback' && a.role !== 'pointer');
    if (given.length < needed.length || given.length > wanted.length)
      throw new TypeError(`${name}(${wanted.map((a) => a.name).join(', ')}) takes ${wanted.length} arguments, not ${given.length}`);
    const value = Object.fromEntries(wanted.map((a, i) => [a.name, given[i] === undefined ? null : given[i]]));
    const handles = wanted.filter((a) => a.role === 'handle');
    const kind = Object.fromEntries(handles.map((a) => [a.name, a.class]));
    const context = handles.map((a) => objects.contextOf(value[a.name])).find(Boolean);
    const [counts, passed] = [{}, {}];

    const counted = (factor) => (spec.args.find((a) => a.role === 'count' && a.name === factor) || {}).of;
    function factor(text) {
      if (text.includes('-')) return text.split('-').map(factor).reduce((a, b) => a - b);
      if (text.includes('.')) return sizes[text.split('.')[1]](kind[text.split('.')[0]], value[text.split('.')[0]]);
      return text in counts ? counts[text] : Number(value[text]);
    }
    const lengthOf = (arg) => arg.length.map(factor).reduce((a, b) => a * b, 1);
    function measure(arg, size) {
      const known = arg.length.filter((f) => counted(f) !== arg.name).map(factor).reduce((a, b) => a * b, 1);
      const tells = arg.length.find((f) => counted(f) === arg.name);
      if (tells ? !known || size % known : size !== known)
        throw new RangeError(`${name}: ${arg.name} has ${size} entries, ${tells ? 'no multiple of' : 'not'} ${known}`);
      if (tells) counts[tells] = size / known;
    }
    function array(arg) {
      if (value[arg.name] === null) return null;
      const base = baseOf(arg.type);
      const list = abi.structs[base] ? value[arg.name] : flatten(value[arg.name], arg.name);
      measure(arg, list.length);
      // an empty array is an array: koffi would make a NULL of it
      return abi.structs[base] ? many(base, list) : list.length ? numbers(base, list) : new (arrayOf(base))(1);
    }
    const telling = new Set(spec.args.filter((a) => a.role === 'count').map((a) => a.of));
    for (const arg of [...spec.args].sort((a, b) => telling.has(b.name) - telling.has(a.name))) {
      if (arg.role === 'array') passed[arg.name] = array(arg);
      if (arg.role === 'bytes') {
        if (!(value[arg.name] instanceof Uint8Array)) throw new TypeError(`${name}: ${arg.name} is not a Uint8Array`);
        passed[arg.name] = value[arg.name];
        for (const count of spec.args) if (count.of === arg.name) counts[count.name] = passed[arg.name].length;
      }
      for (const count of spec.args)
        if (count.of === arg.name && !(count.name in counts)) // no array was given
          counts[count.name] = spec.args.flatMap((a) => a.members || [a]).some((a) => a.role === 'out' && a.length.includes(count.name)) ? factor(`${handles[0].name}.arms`) : 0;
    }

    function output(arg) {
      const base = baseOf(arg.type);
      if (arg.role === 'made' || base === 'char') return [null];
      const n = arg.length && arg.length.length ? lengthOf(arg) : 1;
      if (abi.structs[base] && layout(base).fields[0].name === 'struct_size') return encode(base, {});
      return abi.structs[base] ? new Uint8Array(Math.max(n, 1) * layout(base).size) : new (arrayOf(base))(Math.max(n, 1));
    }
    function argument(arg) {
      const v = value[arg.name];
      if (arg.role === 'handle') return v === null && arg.optional ? null : objects.kinds[arg.class](v, `${name}: ${arg.name}`);
      if (arg.role === 'table') return v === null ? null : encode(baseOf(arg.type), v);
      if (arg.role === 'values') return wantedValues(arg, v.split(' ').filter(Boolean));
      if (arg.role === 'callback') return v === null ? null : backend.callback(abi.callbacks[arg.type], guarded(abi.callbacks[arg.type], v));
      if (arg.role === 'count') return counts[arg.name];
      if (['out', 'made', 'written'].includes(arg.role)) return (passed[arg.name] = output(arg));
      return arg.name in passed ? passed[arg.name] : v === undefined ? null : v;
    }
    /** A struct with memory for the members that are named, which is read and released after the call. */
    function wantedValues(arg, names) {
      const base = baseOf(arg.type);
      const bytes = encode(base, {});
      for (const key of names) {
        const member = arg.members.find((m) => m.name === key);
        if (!member) throw new RangeError(`${name}: ${key} is none of ${arg.members.map((m) => m.name).join(', ')}`);
        passed[key] = backend.keep(new Uint8Array(8 * lengthOf(member)));
        backend.setAddress(bytes, layout(base).fields.find((f) => f.name === key).offset, passed[key]);
      }
      return bytes;
    }
    function taken(member) {
      if (!(member.name in passed)) return new Float64Array(0);
      return new Float64Array(backend.read(passed[member.name], 8 * lengthOf(member)).buffer);
    }
    function written(arg) {
      const out = passed[arg.name];
      if (arg.role === 'made') return out[0] ? objects.adopt[arg.class](out[0], context) : null;
      const base = baseOf(arg.type);
      if (base === 'char') return out[0];
      const one = !arg.length.length;
      const limit = spec.args.find((a) => a.role === 'written' && arg.length.includes(a.limit));
      let n = one ? 1 : lengthOf(arg);
      if (limit) n = (n / Number(value[limit.limit]) || 0) * Number(passed[limit.name][0]);
      const list = abi.structs[base] ? Array.from({ length: n }, (_, i) => decode(base, out.subarray(i * layout(base).size))) :
                   base === 'double' ? out.slice(0, n) : plain(out.subarray(0, n));
      return one ? list[0] : list;
    }

    if (spec.args.some((a) => a.role === 'buffer')) {
      const head = spec.args.filter((a) => !['buffer', 'room', 'needed'].includes(a.role)).map(argument);
      const size = new backend.Size(1);
      objects.call(name, [...head, 0, null, size], context);
      const bytes = new Uint8Array(Number(size[0]));
      objects.call(name, [...head, bytes.length, bytes, size], context);
      return bytes;
    }
    const members = spec.args.flatMap((a) => a.members || []);
    try {
      const status = objects.call(name, spec.args.map(argument), context);
      if (spec.returns !== 'tvgp_status') return status;
      const outputs = [...spec.args.filter((a) => a.role === 'out' || a.role === 'made').map(written), ...members.map(taken)];
      if (spec.again) outputs.push(status);
      return outputs.length > 1 ? outputs : outputs[0];
    } finally {
      for (const member of members) if (member.name in passed) backend.release(passed[member.name]);
    }
  }

  for (const [name, spec] of Object.entries(abi.functions)) {
    const short = name.replace('tvgp_', '');
    if (!objects.own[short]) c[short] = (...given) => run(name, spec, given);
    else c[short] = objects.own[short];
  }
  return c;
}

module.exports = { functions, records };
