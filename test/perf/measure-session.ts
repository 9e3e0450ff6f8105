import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#core/contract/contract.ts'
import { compileCacheFolder } from '#core/doors/compile-cache.ts'
import { CoreHost } from '#core/doors/core-host.ts'
import { type Duration, megabytes, timed } from './statistics.ts'

export type SessionMeasure = {
  /** The list of conversations, from the start of the core's thread. */
  readonly firstAnswer: Duration
  /** What a window asks first, from the start of the core's thread: info, settings, list, strata and their messages. */
  readonly open: Duration
  /** The transcript in place of the strata. */
  readonly openTranscript: Duration
  /** The most memory that the process had, the thread of the integrity check included. */
  readonly peakMegabytes: number
  /** What it keeps when all was read. */
  readonly endMegabytes: number
}

/** The thread of a job ends ten seconds after its job, and V8 gives the pages of its heap back eight seconds later. */
const REST_MS = 22_000

const root = join(import.meta.dirname, '../..')
const LONGEST = 1
const QUERIES = ['refund', 'stale snapshot', 'the', 'why does the lease lock fail', 'webh*', 'SQLITE_BUSY']

/** One window's session on a file, over a port to a core in its thread, as in both hosts. */
export async function measureSession(path: string): Promise<SessionMeasure> {
  const built = join(root, 'out/main/worker.js')
  const workerUrl = pathToFileURL(existsSync(built) ? built : join(root, 'core/doors/worker.ts'))
  const startCore = () => {
    const cores = new CoreHost({ workerUrl, resourcesDir: join(root, 'resources') })
    const port = cores.connect(path)
    port.start()
    const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port }))
    return { cores, client }
  }

  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const { cores, client } = startCore()
  const whole = { conversationId: LONGEST, axis: 'messages' } as const
  const open = await timed(async () => {
    const [, , , strata] = await Promise.all([
      client.memory.info(),
      client.memory.settings(),
      client.conversations.list({}),
      client.strata.get(whole),
    ])
    await client.strata.messages({ ...whole, x0: 0, x1: strata.extent, buckets: 1024 })
  })
  await session(client)
  clearInterval(watch)
  await new Promise((resume) => setTimeout(resume, REST_MS))
  const endMegabytes = megabytes(process.memoryUsage.rss())
  await cores.close()

  const other = startCore()
  const openTranscript = await timed(() =>
    Promise.all([
      other.client.memory.info(),
      other.client.conversations.list({}),
      other.client.transcript.page({ conversationId: LONGEST, offset: 0, limit: 60, contentChars: 20_000 }),
    ]),
  )
  await other.cores.close()

  const third = startCore()
  const firstAnswer = await timed(() => third.client.conversations.list({}))
  await third.cores.close()
  return { firstAnswer, open, openTranscript, peakMegabytes: megabytes(peak), endMegabytes }
}

async function session(client: ContractRouterClient<Contract>): Promise<void> {
  const conversationId = LONGEST
  for (const axis of ['tokens', 'time', 'messages'] as const) await client.strata.get({ conversationId, axis })
  for (let page = 0; page < 40; page += 1) {
    await client.transcript.page({ conversationId, offset: page * 4000, limit: 60, contentChars: 20_000 })
  }
  for (const sort of ['newest', 'relevance'] as const) {
    for (const query of QUERIES) await client.retrieval.grep({ query, sort })
  }
  await client.context.assemble({ conversationId })
  const { jobId } = await client.jobs.start({ kind: 'integrity' })
  for (;;) {
    const job = (await client.jobs.list()).find((one) => one.jobId === jobId)
    if (job?.state === 'done') return
    if (job?.state !== 'running') throw new Error(`the integrity check ended as ${job?.state}`)
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

// A process of its own, whose memory is the core's. A home of its own, so that no list of recent files is touched.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to look into')
  const home = await mkdtemp(join(tmpdir(), 'lcm-bench-'))
  for (const name of ['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA']) process.env[name] = home
  for (const name of ['CONFIG', 'DATA', 'CACHE', 'STATE']) delete process.env[`XDG_${name}_HOME`]
  // As in the program that serves a window: its second start finds compiled code.
  const compileCache = compileCacheFolder(process.env)
  if (compileCache !== null) process.env.NODE_COMPILE_CACHE = compileCache
  try {
    console.log(JSON.stringify(await measureSession(path)))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
