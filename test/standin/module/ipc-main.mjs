// ipcMain, and what arrives from pages.
import { EventEmitter } from 'node:events'
import { MessageChannelMain } from './message-ports.mjs'

class IpcMain extends EventEmitter {
  #handlers = new Map()

  handle(channel, handler) {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }

  handleOnce(channel, handler) {
    this.handle(channel, (...args) => {
      this.removeHandler(channel)
      return handler(...args)
    })
  }

  removeHandler(channel) {
    this.#handlers.delete(channel)
  }

  /** Calls the handler; a failure becomes Electron's message, without the error's class. */
  async invoke(event, channel, args) {
    try {
      const handler = this.#handlers.get(channel)
      if (!handler) throw new Error(`No handler registered for '${channel}'`)
      return { value: await handler(event, ...args) }
    } catch (error) {
      console.error(`Error occurred in handler for '${channel}':`, error)
      return { error: `Error invoking remote method '${channel}': ${error}` }
    }
  }
}

export const ipcMain = new IpcMain()

/** The messages of one page: calls, sends, and the ports that were moved into it. */
export class PageMessages {
  #contents
  #post
  #ports = new Map()
  #lastPort = 0

  constructor(contents, post) {
    this.#contents = contents
    this.#post = post
  }

  /** Sends to the page; ports among `transfer` move into it. */
  send(channel, args, transfer = []) {
    const ports = transfer.map((port) => this.#moveIn(port, `main-${++this.#lastPort}`))
    this.#post({ kind: 'send', channel, args, ports })
    // A port's first messages must not overtake the port.
    for (const [index, port] of transfer.entries()) port.moveToPage(this.#pageEnd(ports[index]))
  }

  receive(message) {
    switch (message.kind) {
      case 'invoke':
        void ipcMain
          .invoke(this.#event(), message.channel, message.args)
          .then((answer) => this.#reply(message.id, message.channel, answer))
        break
      case 'send':
        ipcMain.emit(message.channel, this.#event(message.ports.map((id) => this.#moveOut(id))), ...message.args)
        break
      case 'port-message':
        this.#ports.get(message.id)?.receiveFromPage(message.data)
        break
      case 'port-closed':
        this.#ports.get(message.id)?.close()
        this.#ports.delete(message.id)
        break
    }
  }

  /** The document is gone, and with it the ends that it held. */
  closePorts() {
    for (const port of this.#ports.values()) port.close()
    this.#ports.clear()
  }

  #reply(id, channel, answer) {
    try {
      this.#post({ kind: 'reply', id, ...answer })
    } catch (error) {
      this.#post({ kind: 'reply', id, error: `Error invoking remote method '${channel}': ${error}` })
    }
  }

  #event(ports = []) {
    const contents = this.#contents
    const reply = (channel, ...args) => this.send(channel, args)
    return { sender: contents, senderFrame: contents.mainFrame, processId: 1, frameId: 1, ports, reply }
  }

  #moveIn(port, id) {
    this.#ports.set(id, port)
    return id
  }

  #moveOut(id) {
    const { port1, port2 } = new MessageChannelMain()
    this.#moveIn(port2, id)
    port2.moveToPage(this.#pageEnd(id))
    return port1
  }

  #pageEnd(id) {
    return {
      post: (data) => this.#post({ kind: 'port-message', id, data }),
      close: () => this.#post({ kind: 'port-closed', id }),
    }
  }
}
