import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { hostCalls } from '#core/contract/host.ts'
import { Core } from '#core/core.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { userFolders } from '#core/folders.ts'
import { heard } from '#core/host/heard.ts'
import { type HostCallName, HostedMemory } from '#core/host/hosted-memory.ts'
import type { JobExecutor } from '#core/jobs/jobs.ts'
import { Machine } from '#core/machine/machine.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import type { CoreThreadData } from '../core-host.ts'
import { THREAD_LIMITS } from '../heap.ts'
import { executeInThread } from '../job-thread.ts'
import { LineSplitter } from '../line-splitter.ts'
import { PROCEDURES, procedureCaller, runJob } from '../procedures.ts'
import { firstStopSignal } from '../stop-signals.ts'
import { Engine } from './engine.ts'

export type ServeEngineOptions = {
  readonly path: string
  readonly allowNewer: boolean
  readonly agent: string
  readonly summarizer: string
  readonly isAutomatic: boolean
  readonly resourcesDir: string
  /** The built or source `core/doors/worker`, in which jobs run. */
  readonly workerUrl: URL
  /** Called when a thread was left in a statement, so that the process will not end by itself. */
  readonly onStuck?: () => void
}

/** What answers the calls of a program. */
type Served = {
  readonly call: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** A message of an agent may hold a whole file. */
const MOST_LINE_BYTES = 64 * 1024 * 1024
/** When the input has ended, nobody waits for this program, and a busy computer needs long to end a thread. */
const PATIENCE_MS = 30_000

/** Runs a job to its end, as `job` of the library does. */
const JOB = 'job'

const isHostCall = (method: string): method is HostCallName => Object.hasOwn(hostCalls, method)

/**
 * Serves a memory to one program over standard input and output until the input ends or a signal arrives. What was
 * asked before the end is answered first.
 * @returns the exit code
 * @throws LcmError for a file that cannot be opened: before anything is served
 */
export async function serveEngine(options: ServeEngineOptions): Promise<number> {
  // Standard output belongs to the protocol, so other output goes to standard error.
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error
  const jobs = executeInThread(() => startJobThread(options))
  let served: Served | null = null
  let patienceMs: number | undefined
  try {
    served = await (isDatabaseAddress(options.path) ? onPostgres : onFile)(options, jobs.execute)
    const { call } = served
    const engine = new Engine({
      call,
      isKnown: (method) => isHostCall(method) || method === JOB || PROCEDURES.has(method),
      isWrite: (method) => method === 'ingest',
      isEndless: (method) => method === 'events',
      write: async (line) => {
        if (!process.stdout.write(line)) await once(process.stdout, 'drain')
      },
    })
    // Every answer that waits for a slow reader adds a listener.
    process.stdout.setMaxListeners(0)
    const ended = await Promise.race([readAll(engine).then(() => 'end' as const), firstStopSignal()])
    if (ended === 'end') patienceMs = PATIENCE_MS
    else engine.abort()
    return ended === 'SIGINT' ? 130 : 0
  } finally {
    await served?.close()
    if (!(await jobs.close(patienceMs))) options.onStuck?.()
  }
}

const kindOf = (spec: unknown): string => String((spec as { readonly kind?: unknown } | null)?.kind)

async function onFile(options: ServeEngineOptions, execute: JobExecutor): Promise<Served> {
  const { path, allowNewer, agent, summarizer, isAutomatic, resourcesDir } = options
  const core = new Core({
    path,
    open: { create: true, allowNewer, owner: ownerOf(agent) },
    machine: new Machine({ env: process.env, resourcesDir }),
    execute,
    isRemembered: false,
  })
  try {
    const { summarizers } = await core.lcm()
    summarizers.providersOf(summarizer)
  } catch (error) {
    await core.close()
    throw error
  }
  const host = new HostedMemory({ core, agent, summarizer, isAutomatic })
  const procedure = procedureCaller(core)
  const caller = { agent, memory: path, dataDir: userFolders(process.env).data }
  return {
    call: (method, params, signal) => {
      if (method === JOB) return heard(caller, kindOf(params), () => runJob(core, params, signal))
      if (!isHostCall(method)) return procedure(method, params, signal)
      return heard(caller, method, () => host.call(method, params, signal))
    },
    close: () => core.close(),
  }
}

async function onPostgres(options: ServeEngineOptions, execute: JobExecutor): Promise<Served> {
  const { path: address, agent, summarizer, isAutomatic, resourcesDir } = options
  const { openRemoteMemory, remoteProcedures } = await import('../remote-service.ts')
  const remote = await openRemoteMemory({
    ...{ address, agent, summarizer, isAutomatic, execute, owner: ownerOf(agent) },
    givenBy: 'argument',
    settings: loadSettings(process.env),
    machine: new Machine({ env: process.env, resourcesDir }),
  })
  const procedure = remoteProcedures(remote)
  return {
    call: async (method, params, signal) =>
      isHostCall(method) ? remote.call(method, params, signal) : procedure(method, params, signal),
    close: () => remote.close(),
  }
}

async function readAll(engine: Engine): Promise<void> {
  const lines = new LineSplitter({ mostBytes: MOST_LINE_BYTES, onTooLong: () => engine.refuseLine(MOST_LINE_BYTES) })
  for await (const piece of process.stdin) {
    for (const line of lines.take(piece as Buffer)) await engine.take(line)
  }
  for (const line of lines.end()) await engine.take(line)
  await engine.end()
}

const ownerOf = (agent: string): string => `lcm engine of ${agent}, pid ${process.pid}`

function startJobThread({ path, allowNewer, agent, resourcesDir, workerUrl }: ServeEngineOptions): Worker {
  const owner = ownerOf(agent)
  const workerData: CoreThreadData = {
    ...{ role: 'jobs', path, resourcesDir, owner, allowNewer },
    ...{ autoCompact: false, keys: null },
  }
  return new Worker(workerUrl, { workerData, resourceLimits: THREAD_LIMITS })
}
