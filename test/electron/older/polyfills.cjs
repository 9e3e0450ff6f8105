// What the window and the main process use, and Chromium 114 and Node 18 do not have yet. The function stands alone: the
// window gets its text.
exports.polyfill = function polyfill(scope) {
  const add = (target, name, value) => {
    if (target[name] === undefined) Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
  add(scope.Promise, 'withResolvers', function () {
    let resolve
    let reject
    const promise = new this((done, fail) => {
      resolve = done
      reject = fail
    })
    return { promise, resolve, reject }
  })
  add(scope.Promise, 'try', (body, ...given) => new Promise((done) => done(body(...given))))
  const grouped = (items, keyOf) => {
    const groups = new Map()
    let index = 0
    for (const item of items) {
      const key = keyOf(item, index++)
      if (groups.has(key)) groups.get(key).push(item)
      else groups.set(key, [item])
    }
    return groups
  }
  add(scope.Map, 'groupBy', grouped)
  add(scope.Object, 'groupBy', (items, keyOf) => Object.fromEntries(grouped(items, keyOf)))
  add(scope.Array, 'fromAsync', async (items) => {
    const list = []
    for await (const item of items) list.push(item)
    return list
  })
  add(scope.Set.prototype, 'union', function (other) {
    return new Set([...this, ...other.keys()])
  })
  add(scope.Set.prototype, 'intersection', function (other) {
    return new Set([...this].filter((item) => other.has(item)))
  })
  add(scope.Set.prototype, 'difference', function (other) {
    return new Set([...this].filter((item) => !other.has(item)))
  })
  add(scope.Set.prototype, 'isSubsetOf', function (other) {
    return [...this].every((item) => other.has(item))
  })
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
  add(scope, 'Iterator', { from: (items) => items[Symbol.iterator]() })
  const lazily = {
    *map(body) {
      let index = 0
      for (const item of this) yield body(item, index++)
    },
    *filter(body) {
      let index = 0
      for (const item of this) if (body(item, index++)) yield item
    },
    *flatMap(body) {
      let index = 0
      for (const item of this) yield* body(item, index++)
    },
    *take(count) {
      let left = count
      for (const item of this) {
        if (left-- <= 0) return
        yield item
      }
    },
    *drop(count) {
      let left = count
      for (const item of this) if (left-- <= 0) yield item
    },
  }
  for (const [name, body] of Object.entries(lazily)) add(iterator, name, body)
  for (const name of ['some', 'every', 'find', 'reduce', 'forEach'])
    add(iterator, name, function (...given) {
      return [...this][name](...given)
    })
  add(iterator, 'toArray', function () {
    return [...this]
  })
  if (!('size' in scope.URLSearchParams.prototype))
    Object.defineProperty(scope.URLSearchParams.prototype, 'size', {
      get() {
        return [...this].length
      },
    })
  add(scope.URL, 'parse', (text, base) => {
    try {
      return new scope.URL(text, base)
    } catch {
      return null
    }
  })
  add(scope.AbortSignal, 'any', (signals) => {
    const all = new scope.AbortController()
    for (const signal of signals) {
      if (signal.aborted) all.abort(signal.reason)
      else signal.addEventListener('abort', () => all.abort(signal.reason), { once: true })
    }
    return all.signal
  })
}
