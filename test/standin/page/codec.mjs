/**
 * Structured clone over JSON text, for what crosses between the main process and a page, and between the two worlds
 * of a page. It runs in pages too, as text, so it refers to nothing outside itself.
 *
 * Plain JSON stands for itself, except that arrays and objects are `[tag, …]`: the tag says how to rebuild.
 */
export function makeCodec() {
  const TYPED_ARRAYS = /^(?:(?:Big)?(?:Int|Uint)(?:8|16|32|64)|Float(?:32|64)|Uint8Clamped)Array$/
  const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1)

  const toBase64 = (buffer, offset, length) => {
    const bytes = new Uint8Array(buffer, offset, length)
    let text = ''
    for (let start = 0; start < bytes.length; start += 32_768)
      text += String.fromCharCode.apply(null, bytes.subarray(start, start + 32_768))
    return btoa(text)
  }
  const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer

  const refuse = (what) => {
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError')
  }

  const encodePrimitive = (value, registerFunction) => {
    switch (typeof value) {
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ['number', Object.is(value, -0) ? '-0' : `${value}`]
      case 'bigint':
        return ['bigint', `${value}`]
      case 'undefined':
        return ['undefined']
      case 'function':
        return registerFunction ? ['function', registerFunction(value)] : refuse(`${value}`.slice(0, 80))
      case 'symbol':
        return refuse(value.toString())
      default:
        return value
    }
  }

  const encodeObject = (value, encode) => {
    const kind = kindOf(value)
    if (TYPED_ARRAYS.test(kind)) return ['typed', kind, toBase64(value.buffer, value.byteOffset, value.byteLength)]
    if (value instanceof Error || kind === 'Error') return ['error', value.name, value.message, value.stack]
    switch (kind) {
      case 'Array':
        return ['array', ...value.map(encode)]
      case 'Date':
        return ['date', value.getTime()]
      case 'RegExp':
        return ['regexp', value.source, value.flags]
      case 'Map':
        return ['map', ...[...value].map(([key, entry]) => [encode(key), encode(entry)])]
      case 'Set':
        return ['set', ...[...value].map(encode)]
      case 'ArrayBuffer':
        return ['buffer', toBase64(value)]
      case 'File':
        return ['file', value.name, value.path ?? '']
      case 'Promise':
      case 'WeakMap':
      case 'WeakSet':
        return refuse(`#<${kind}>`)
      default:
        return ['object', ...Object.keys(value).map((key) => [key, encode(value[key])])]
    }
  }

  /** `registerFunction` gives a function a number; without it functions are refused, as structured clone does. */
  const encode = (root, registerFunction) => {
    const numbers = new Map()
    const walk = (value) => {
      if (value === null || typeof value !== 'object') return encodePrimitive(value, registerFunction)
      if (numbers.has(value)) return ['again', numbers.get(value)]
      numbers.set(value, numbers.size)
      return encodeObject(value, walk)
    }
    return JSON.stringify(walk(root))
  }

  /** `makeFunction` gives back a function for its number. */
  const decode = (text, makeFunction) => {
    const objects = []
    const remember = (object) => {
      objects.push(object)
      return object
    }
    const fill = (object, entries, add) => {
      for (const entry of entries) add(object, entry)
      return object
    }
    const rebuild = {
      number: (digits) => Number(digits),
      bigint: (digits) => BigInt(digits),
      undefined: () => undefined,
      function: (number) => makeFunction(number),
      again: (number) => objects[number],
      typed: (kind, base64) => remember(new globalThis[kind](fromBase64(base64))),
      error: (name, message, stack) => {
        const Constructor = /Error$/.test(name) && typeof globalThis[name] === 'function' ? globalThis[name] : Error
        return Object.assign(remember(new Constructor(message)), { stack })
      },
      array: (...items) => fill(remember([]), items, (array, item) => array.push(walk(item))),
      date: (ms) => remember(new Date(ms)),
      regexp: (source, flags) => remember(new RegExp(source, flags)),
      map: (...entries) => fill(remember(new Map()), entries, (map, [key, value]) => map.set(walk(key), walk(value))),
      set: (...items) => fill(remember(new Set()), items, (set, item) => set.add(walk(item))),
      buffer: (base64) => remember(fromBase64(base64)),
      file: (name, path) => remember({ name, path }),
      object: (...entries) =>
        fill(remember({}), entries, (object, [key, value]) => {
          object[key] = walk(value)
        }),
    }
    const walk = (value) => (Array.isArray(value) ? rebuild[value[0]](...value.slice(1)) : value)
    return walk(JSON.parse(text))
  }

  return { encode, decode }
}
