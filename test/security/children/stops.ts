import { Worker } from 'node:worker_threads'
import { CoreHost, type CoreThreadData } from '#core/doors/core-host.ts'
import { executeInThread } from '#core/doors/job-thread.ts'
import { afterPatience } from '#core/doors/patience.ts'
import { workerUrl } from '#test/builders/built-program.ts'
import { jobWhen, openWindow, resourcesDir, startCores } from '#test/jobs/core-client.ts'

/** Stops what is in the middle of a statement that does not end, and prints how long each stop took, as JSON. */
const [endless = '', sound = ''] = process.argv.slice(2)

/**
 * Measures how long a stop took, in tenths of a second: by the clock, or by the time that this process was on a processor
 * where a busy machine left it less.
 */
async function measured<T>(stop: () => Promise<T>): Promise<{ ticks: number; answer: T }> {
  const begunMs = performance.now()
  const before = process.cpuUsage()
  const answer = await stop()
  const { user, system } = process.cpuUsage(before)
  return { ticks: Math.min(performance.now() - begunMs, (user + system) / 1000) / 100, answer }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const workerData: CoreThreadData = {
  role: 'jobs',
  path: null,
  resourcesDir,
  owner: 'test',
  allowNewer: false,
  autoCompact: false,
  keys: null,
}

/**
 * A scan that has worked for so long and said nothing is in the middle of a statement. Time of the processor, of all
 * threads: on a busy machine, one that waits for its turn is silent too.
 */
const SILENT_WORK_MS = 600

const workedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Waits until what is heard stays the same, from when something is heard on. */
async function silence(heard: () => Promise<unknown> | unknown): Promise<void> {
  for (let [last, sinceMs] = [await heard(), workedMs()]; ; ) {
    await pause(50)
    const now = await heard()
    if (now === last && now !== undefined && workedMs() - sinceMs > SILENT_WORK_MS) return
    if (now !== last) [last, sinceMs] = [now, workedMs()]
  }
}

async function cancelJob(): Promise<unknown> {
  const jobs = executeInThread(() => new Worker(workerUrl, { workerData }))
  const abort = new AbortController()
  const scan = (path: string, onNote: (note: string) => void) =>
    jobs.execute({ path, create: false, spec: { kind: 'integrity' } }, abort.signal, ({ note }) => onNote(note ?? ''))
  const notes: string[] = []
  const running = scan(endless, (note) => notes.push(note)).catch((error: { code: string }) => error.code)
  await silence(() => notes.length || undefined)
  const cancelled = await measured(async () => {
    abort.abort()
    return running
  })
  const next = await jobs.execute(
    { path: sound, create: false, spec: { kind: 'integrity' } },
    new AbortController().signal,
    () => undefined,
  )
  const closed = await measured(() => jobs.close())
  return { cancelled, next: next.kind, closed }
}

async function stopHost(): Promise<unknown> {
  const cores = startCores()
  const { client } = openWindow(cores, endless)
  const { jobId } = await client.jobs.start({ kind: 'integrity' })
  await silence(async () => (await jobWhen(client, jobId, () => true)).progress?.done)
  return measured(() => cores.close())
}

async function leaveWindow(): Promise<unknown> {
  const cores = new CoreHost({ workerUrl: new URL('./hanging-core.ts', import.meta.url), resourcesDir })
  const told = async (...words: string[]) => {
    const port = cores.connect(endless)
    port.start()
    for (const word of words) port.postMessage(word)
    const [heard] = await Promise.race([
      new Promise<string[]>((done) => port.on('message', (word: string) => done([word]))),
      new Promise<string[]>((done) => setTimeout(() => done(['nothing']), words[0] === 'hang' ? 300 : 20_000)),
    ])
    port.close()
    return heard
  }
  const first = await told('hello')
  const hung = await told('hang')
  // Longer than the core has to answer.
  await new Promise<void>((done) => void afterPatience(2000, done))
  const again = await told('hello')
  return { first, hung, again, closed: await measured(() => cores.close()) }
}

const stops: Readonly<Record<string, () => Promise<unknown>>> = { cancelJob, stopHost, leaveWindow }
const said = await stops[process.argv[4] ?? '']?.()
process.stdout.write(`${JSON.stringify(said)}\n`, () => process.kill(process.pid, 'SIGKILL'))
