// A core thread that dies as soon as anybody calls it.
import { type MessagePort, parentPort } from 'node:worker_threads'

parentPort?.on('message', (message: { kind: string; port: MessagePort }) => {
  if (message.kind !== 'connect') return process.exit(0)
  message.port.on('message', () => {
    throw new Error('the core is out of its mind')
  })
})
