// A `Worker` whose thread runs in a process of the project's Node: an older Electron cannot load the binding of SQLite.
const { fork } = require('node:child_process')
const { EventEmitter } = require('node:events')
const { join } = require('node:path')
const { fileURLToPath } = require('node:url')
const { PortRelay } = require('./port-relay.cjs')

exports.RemoteWorker = class RemoteWorker extends EventEmitter {
  #child
  #relay

  constructor(url, { workerData, resourceLimits }) {
    super()
    const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
    this.#child = fork(join(__dirname, 'worker-process.cjs'), [], {
      execPath: process.env.LCM_NODE,
      execArgv: [],
      env,
      serialization: 'advanced',
      stdio: 'inherit',
    })
    this.#relay = new PortRelay((message) => this.#send(message), true)
    this.#send({ start: fileURLToPath(url), workerData: this.#relay.pack(workerData), resourceLimits })
    this.#child.on('message', (message) => {
      if (this.#relay.take(message)) return
      if (message.error) this.emit('error', Object.assign(new Error(message.error), { stack: message.error }))
      else this.emit('message', this.#relay.unpack(message.said))
    })
    this.#child.once('exit', (code) => {
      this.#relay.closeAll()
      this.emit('exit', code ?? 1)
    })
  }

  /** What a test kills. */
  get processId() {
    return this.#child.pid
  }

  postMessage(message) {
    this.#send({ said: this.#relay.pack(message) })
  }

  async terminate() {
    this.#child.kill('SIGKILL')
    return 1
  }

  unref() {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  #send(message) {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }
}
