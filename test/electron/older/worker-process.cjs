// Runs the built core thread for a `RemoteWorker`.
const { Worker } = require('node:worker_threads')
const { PortRelay } = require('./port-relay.cjs')

const send = (message) => process.connected && process.send(message, () => undefined)
const relay = new PortRelay(send, false)
let worker = null

function start({ start: path, workerData, resourceLimits }) {
  const given = relay.unpack(workerData)
  const ports = Object.values(given.keys ?? {}).filter((value) => typeof value === 'object')
  worker = new Worker(path, { workerData: given, resourceLimits, transferList: ports })
  worker.on('message', (said) => send({ said: relay.pack(said) }))
  worker.on('error', (error) => send({ error: error.stack ?? String(error) }))
  worker.once('exit', (code) => process.exit(code))
}

process.on('message', (message) => {
  if (relay.take(message)) return
  if (message.start) return start(message)
  const said = relay.unpack(message.said)
  worker.postMessage(said, said.port ? [said.port] : [])
})
process.once('disconnect', () => process.exit(1))
