// One connection to Chromium's DevTools protocol, shared by all pages through session ids.
import { EventEmitter } from 'node:events'

/** Emits `<sessionId>:<method>` with the parameters for every event; the browser's own session id is empty. */
export class DevTools extends EventEmitter {
  #socket
  #lastId = 0
  #waiting = new Map()

  /** Connects to the address that Chromium printed. */
  static async connect(address) {
    const devTools = new DevTools()
    devTools.setMaxListeners(0)
    await devTools.#open(address)
    return devTools
  }

  #open(address) {
    const opened = Promise.withResolvers()
    this.#socket = new WebSocket(address)
    this.#socket.onopen = () => opened.resolve()
    this.#socket.onerror = () => opened.reject(new Error(`no DevTools connection to ${address}`))
    this.#socket.onclose = () => this.emit('closed')
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(data))
    return opened.promise
  }

  /** Sends a command and answers with its result. */
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#lastId
    const answered = Promise.withResolvers()
    this.#waiting.set(id, { ...answered, method })
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    return answered.promise
  }

  #receive({ id, method, params, result, error, sessionId = '' }) {
    if (id === undefined) {
      this.emit(`${sessionId}:${method}`, params)
      return
    }
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(`${waiting.method}: ${error.message}`))
    else waiting?.resolve(result)
  }
}
