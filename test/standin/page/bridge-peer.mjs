/**
 * One side of the bridge between a page's own world and the preload's isolated world. Both share the document, so
 * events on it carry text across; functions stay where they are and are called by number. Runs in pages, as text.
 *
 * @param codec the clone codec of this world
 * @param names the event names `{ sends, receives }`, mirrored on the other side
 * @param onNotice called with what is neither a call nor an answer
 */
export function makeBridgePeer(codec, names, onNotice) {
  const functions = new Map()
  const numbers = new WeakMap()
  const proxies = new Map()
  const unsettled = new Map()
  let lastNumber = 0
  let answer

  const register = (callable) => {
    let number = numbers.get(callable)
    if (number === undefined) {
      number = ++lastNumber
      numbers.set(callable, number)
      functions.set(number, callable)
    }
    return number
  }

  const send = (message) =>
    window.dispatchEvent(new CustomEvent(names.sends, { detail: codec.encode(message, register) }))

  // Events are delivered at once, so a call has its answer, or the promise of one, when `send` returns.
  const callRemote = (target, args) => {
    const call = ++lastNumber
    answer = undefined
    send({ kind: 'call', target, call, args })
    const { outcome, value } = answer ?? { outcome: 'returned', value: undefined }
    if (outcome === 'threw') throw value
    if (outcome === 'returned') return value
    return new Promise((resolve, reject) => unsettled.set(call, { resolve, reject }))
  }

  const proxyOf = (target) => {
    if (!proxies.has(target)) proxies.set(target, (...args) => callRemote(target, args))
    return proxies.get(target)
  }

  const asError = (reason) => (reason instanceof Error ? reason : new Error(String(reason)))

  const callLocal = ({ target, call, args }) => {
    const settle = (outcome, value) => send({ kind: 'settled', call, outcome, value })
    try {
      const value = functions.get(target)(...args)
      if (typeof value?.then !== 'function') return { outcome: 'returned', value }
      value.then(
        (result) => settle('returned', result),
        (reason) => settle('threw', asError(reason)),
      )
      return { outcome: 'promised' }
    } catch (reason) {
      return { outcome: 'threw', value: asError(reason) }
    }
  }

  window.addEventListener(names.receives, ({ detail }) => {
    const message = codec.decode(detail, proxyOf)
    switch (message.kind) {
      case 'call':
        send({ kind: 'answer', ...callLocal(message) })
        break
      case 'answer':
        answer = message
        break
      case 'settled':
        unsettled.get(message.call)?.[message.outcome === 'threw' ? 'reject' : 'resolve'](message.value)
        unsettled.delete(message.call)
        break
      default:
        onNotice(message)
    }
  })

  return { send }
}
