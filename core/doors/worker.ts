import { join } from 'node:path'
import { MessageChannel, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { readFirstView } from '../browse/read-first-view.ts'
import { Core } from '../core.ts'
import { logEvent } from '../log.ts'
import { Machine } from '../machine/machine.ts'
import type { StartStatement } from '../query/run-statement.ts'
import { createRouter } from '../router.ts'
import { cipherOver } from '../settings/cipher-port.ts'
import type { Confirm } from '../settings/confirmation.ts'
import { FileKeyStore } from '../settings/key-store.ts'
import { type CoreThreadData, type FromCoreThread, keysFor, type ToCoreThread } from './core-host.ts'
import { frameDoor } from './frame-door.ts'
import { keepHeapSmall, THREAD_LIMITS } from './heap.ts'
import { executeInThread } from './job-thread.ts'
import { startRecording } from './recording.ts'

/**
 * The core thread. Without a role it answers calls over the ports that it is sent, and starts a second thread of itself
 * for jobs. With the role `jobs` it runs those.
 */
const data = workerData as CoreThreadData
const port = parentPort
if (!port) throw new Error('core/doors/worker is a worker thread: start it through CoreHost')
keepHeapSmall()
const recorder = startRecording(process.env)
logEvent('debug', 'process', 'thread.started', { role: data.role })

/**
 * The transport asks of every call whether it is a form, and Node loads all of `fetch` with its class of forms, even when
 * it is only replaced. A frame is text, so no call is a form, and a class without instances answers the same.
 */
Reflect.deleteProperty(globalThis, 'FormData')
Object.assign(globalThis, { FormData: class {} })

const machine = new Machine({ env: process.env, resourcesDir: data.resourcesDir })
// The sample of the app stays unchanged. The user's own copy of it is opened instead.
const isSample = data.path !== null && data.path === join(data.resourcesDir, 'sample.db')
const keyStorage = data.keys && { path: data.keys.path, cipher: cipherOver(data.keys.cipher) }
const open = {
  owner: data.owner,
  allowNewer: data.allowNewer,
  cacheDir: machine.folders.cache,
  ...(keyStorage && { keys: new FileKeyStore(keyStorage.path, keyStorage.cipher) }),
}

if (data.role === 'jobs') {
  // The thread that answers does without what jobs alone need: it is a third of the code.
  const { serveJobs } = await import('./run-job.ts')
  serveJobs(port, open, () => recorder.flush())
} else {
  const startThread = (): Worker => {
    // The job thread reaches the keychain through this thread.
    const keys = keysFor(keyStorage)
    const workerData: CoreThreadData = { ...data, role: 'jobs', keys }
    return new Worker(new URL(import.meta.url), {
      workerData,
      resourceLimits: THREAD_LIMITS,
      transferList: keys ? [keys.cipher] : [],
    })
  }
  /** Only the process that owns the windows or the terminal can ask. When it ends, nothing is granted. */
  const confirm: Confirm = (asked) => {
    const { port1, port2 } = new MessageChannel()
    port.postMessage({ kind: 'confirm', asked, port: port2 } satisfies FromCoreThread, [port2])
    return new Promise((done) => {
      port1.once('message', done)
      port1.once('close', () => done('nobody_to_ask'))
    })
  }
  /** Electron does not run as Node, so its main process starts the process of a statement. */
  const startStatement: StartStatement = () => {
    const { port1, port2 } = new MessageChannel()
    port.postMessage({ kind: 'statement', port: port2 } satisfies FromCoreThread, [port2])
    return {
      send: (task) => port1.postMessage(task),
      onReply: (listener) => {
        port1.on('message', listener)
        port1.once('close', () => listener(null))
      },
      kill: () => port1.close(),
    }
  }
  const jobs = executeInThread(startThread)
  const core = new Core({
    path: isSample ? machine.samplePath() : data.path,
    open,
    machine,
    execute: jobs.execute,
    autoCompact: data.autoCompact,
    confirm,
    ...(process.versions.electron !== undefined && { startStatement }),
  })
  const serve = frameDoor(createRouter(core))
  const tell = (message: FromCoreThread): void => port.postMessage(message)
  const clients = new Set<MessagePort>()
  port.on('message', (message: ToCoreThread) => {
    if (message.kind === 'connect') {
      const client: MessagePort = message.port
      clients.add(client)
      client.on('close', () => clients.delete(client))
      serve(client)
      client.start()
      return
    }
    if (message.kind === 'prepare') {
      // What fails is asked for again by the window, and the answer says why.
      core
        .lcm()
        .then(readFirstView)
        .catch(() => undefined)
      return
    }
    if (message.kind === 'ping') return tell({ kind: 'awake' })
    tell({ kind: 'closing' })
    void core
      .close()
      .then(() => jobs.close())
      .then(async (isWhole) => {
        await recorder.close()
        tell({ kind: 'closed', isWhole })
      })
      .finally(() => {
        for (const client of clients) client.close()
        port.close()
      })
  })
}
