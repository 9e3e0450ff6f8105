// Carries messages with ports between two processes, which cannot give each other a port: each port gets a number, and
// what is said over it is passed on under that number.
const { MessageChannel, MessagePort } = require('node:worker_threads')

/**
 * @param send gives a message without ports to the other process
 * @param isFirst the two ends count their ports with different signs
 */
exports.PortRelay = class PortRelay {
  #ports = new Map()
  #send
  #step
  #last = 0

  constructor(send, isFirst) {
    this.#send = send
    this.#step = isFirst ? 1 : -1
  }

  /** The message with a number for each port in it. */
  pack(message) {
    return replaced(message, (value) => (value instanceof MessagePort ? { portNumber: this.#keep(value) } : undefined))
  }

  /** The message with a port for each number in it. */
  unpack(message) {
    return replaced(message, (value) => {
      if (typeof value?.portNumber !== 'number') return undefined
      const { port1, port2 } = new MessageChannel()
      this.#watch(value.portNumber, port1)
      return port2
    })
  }

  /** Takes what the other end said about a port. Returns false for anything else. */
  take({ portNumber, message, isClosed }) {
    if (portNumber === undefined) return false
    const port = this.#ports.get(portNumber)
    if (isClosed) port?.close()
    else port?.postMessage(this.unpack(message))
    return true
  }

  closeAll() {
    for (const port of this.#ports.values()) port.close()
  }

  #keep(port) {
    this.#last += this.#step
    this.#watch(this.#last, port)
    return this.#last
  }

  #watch(portNumber, port) {
    this.#ports.set(portNumber, port)
    port.on('message', (message) => this.#send({ portNumber, message: this.pack(message) }))
    port.on('close', () => {
      this.#ports.delete(portNumber)
      this.#send({ portNumber, isClosed: true })
    })
  }
}

/** A copy of plain objects and lists, in which `replace` may give other values. */
function replaced(value, replace) {
  const other = replace(value)
  if (other !== undefined) return other
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace))
  if (value === null || Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, replace)]))
}
