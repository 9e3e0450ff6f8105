import { type MessagePort, parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { ENDLESS } from '#test/builders/hostile-schemas.ts'

/** A core thread that answers messages, and never returns from a statement when it is told to hang. */
parentPort?.on('message', (message: { kind: string; port: MessagePort }) => {
  if (message.kind === 'ping') parentPort?.postMessage({ kind: 'awake' })
  if (message.kind === 'close') process.exit(0)
  if (message.kind !== 'connect') return
  message.port.on('message', (said: string) => {
    if (said === 'hang') new Database(':memory:').prepare(`${ENDLESS} SELECT count(*) FROM n`).get()
    message.port.postMessage(said)
  })
})
