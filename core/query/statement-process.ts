import { Worker } from 'node:worker_threads'
import { toErrorInfo } from '../errors.ts'
import { openMemory } from '../systems/opening/open.ts'
import { yieldToOthers } from '../yielding.ts'
import { executeStatement, listTables } from './execute-statement.ts'
import { PARENT_PIPE, type StatementEnd, type StatementReply, type StatementTask } from './run-statement.ts'

/**
 * The process that runs one statement: SQLite cannot be interrupted in the middle of one, but a process can be killed.
 * It opens the memory for reading only, answers, and ends.
 */

/** How Electron's processes hear from their parent. */
type ParentPort = {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  postMessage(message: unknown): void
}
const port = (process as { parentPort?: ParentPort }).parentPort
const listener = (task: unknown) =>
  void answer(task as StatementTask)
    .then(reply)
    .then(() => process.disconnect?.())

/** A statement that needs more fails, and the computer goes on. */
const HEAP_BYTES = 1024 * 1024 * 1024

async function answer({ path, allowNewer, cacheDir, asked }: StatementTask): Promise<StatementEnd> {
  try {
    const memory = await openMemory(path, { readOnly: true, allowNewer, ...(cacheDir !== undefined && { cacheDir }) })
    try {
      memory.read.value(`PRAGMA hard_heap_limit = ${HEAP_BYTES}`)
      // Nothing is sent while a statement runs.
      await reply({ kind: 'begins' })
      if (asked.kind === 'tables') return { kind: 'tables', tables: listTables(memory.read) }
      return { kind: 'answer', answer: executeStatement(memory.read, asked.sql, asked.limit) }
    } finally {
      memory.close()
    }
  } catch (error) {
    return { kind: 'failed', error: toErrorInfo(error) }
  }
}

/** Sends a message, and returns when it is on its way. */
async function reply(message: StatementReply): Promise<void> {
  if (port) {
    port.postMessage(message)
    await yieldToOthers()
  } else await new Promise<void>((sent) => process.send?.(message, () => sent()))
}

/**
 * Ends this process when its parent has ended. It is a thread, because a statement blocks the thread that hears of the
 * parent's end; its program is a text, so that the bundle needs no other file. Electron's processes end with their
 * parent.
 */
const WATCH = /* js */ `
const { workerData } = require('node:worker_threads')
const { Socket } = require('node:net')
const end = () => process.kill(process.pid, 'SIGKILL')
new Socket({ fd: workerData, readable: true, writable: false }).on('error', end).on('close', end).resume()
`
if (!port) new Worker(WATCH, { eval: true, execArgv: [], workerData: PARENT_PIPE }).unref()

if (port) port.on('message', ({ data }) => listener(data))
else process.once('message', listener)
