// MessageChannelMain: two ports in the main process, either of which may move into a page.
import { EventEmitter } from 'node:events'
import { notHere } from './not-here.mjs'

/** One end of a channel. */
class MessagePortMain extends EventEmitter {
  #peer
  #page
  #started = false
  #closed = false
  #queue = []

  static connect(one, other) {
    one.#peer = other
    other.#peer = one
  }

  postMessage(data, transfer = []) {
    if (transfer.length > 0) notHere('MessagePortMain.postMessage with ports')
    const copy = structuredClone(data)
    setImmediate(() => this.#peer.#receive(copy))
  }

  start() {
    this.#started = true
    setImmediate(() => this.#flush())
  }

  close() {
    if (this.#closed) return
    this.#closed = true
    this.#page?.close()
    setImmediate(() => {
      this.emit('close')
      this.#peer.close()
    })
  }

  /** Hands this end to a page, which gets what was sent so far and everything after it. */
  moveToPage(page) {
    this.#page = page
    this.#flush()
  }

  /** A message arrived from the page that holds this end. */
  receiveFromPage(data) {
    this.#peer.#receive(data)
  }

  #receive(data) {
    if (this.#closed) return
    this.#queue.push(data)
    this.#flush()
  }

  #flush() {
    if (!this.#page && !this.#started) return
    for (const data of this.#queue.splice(0)) {
      if (this.#page) this.#page.post(data)
      else this.emit('message', { data, ports: [] })
    }
  }
}

/** As in Electron. */
export class MessageChannelMain {
  port1 = new MessagePortMain()
  port2 = new MessagePortMain()

  constructor() {
    MessagePortMain.connect(this.port1, this.port2)
  }
}
