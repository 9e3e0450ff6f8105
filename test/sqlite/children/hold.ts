// A thread of this process that reads a file row by row. It begins at once and ends on a message.
import { parentPort, workerData } from 'node:worker_threads'
import { connectReadOnly, openPatiently } from '#core/sqlite/route.ts'

const { path, cacheDir } = workerData as { path: string; cacheDir: string }
const { db, access, close } = await openPatiently(path, cacheDir, connectReadOnly)
const rows = db.iterate('SELECT rowid FROM messages')
rows.next()
parentPort?.postMessage(access)
parentPort?.once('message', () => {
  const left = [...rows].length
  close()
  parentPort?.postMessage(left + 1)
})
