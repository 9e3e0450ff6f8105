import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JobResult, JobSpec } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { Core } from '../core.ts'
import type { HostedConversations } from '../database.ts'
import { LcmError } from '../errors.ts'
import { removeDatabase } from '../sqlite/new-file.ts'
import { makeProcessFolder } from '../sqlite/process-folder.ts'
import { NATIVE_CAPABILITIES } from '../systems/opening/open.ts'
import { readPulledFrom } from '../systems/opening/pulled-from.ts'
import {
  type HostCallName,
  HostedMemory,
  type NamedConversation,
  parsedInput,
  requireOneConversation,
} from './hosted-memory.ts'

type RemoteMemoryOptions = {
  readonly conversations: HostedConversations
  readonly agent: string
  readonly summarizer: string
  readonly isAutomatic: boolean
  /** A folder of this process alone is made in it. */
  readonly folder: string
  /** How tokens are counted in conversations that are new. */
  readonly tokenEstimator: string
  readonly now: () => number
  readonly openCore: (path: string) => Core
  /** At most this many conversations stay open. */
  readonly mostOpen?: number
}

type WorkingFile = { readonly path: string; readonly core: Core; readonly host: HostedMemory }

/**
 * A conversation with its file, which is replaced when PostgreSQL refuses what it holds. Calls to one conversation are
 * made one after another.
 */
type Working = {
  readonly conversationId: number
  file: WorkingFile
  /** An automatic compaction may have changed the window since the last push. */
  isCompacted: boolean
  last: Promise<unknown>
}

/** After this many conflicts with other writers a call ends in `locked`. */
const MOST_ATTEMPTS = 8
const MOST_OPEN = 64

/**
 * The memory of agents in PostgreSQL: the calls of `HostedMemory` on the same services, over a file of each
 * conversation. Before a call the file is brought up to date; what the call stores is written to PostgreSQL in one
 * transaction before it is answered. A process removes its files when it ends, and those of one that was killed when it
 * begins. Nothing is lost with them, because PostgreSQL has everything.
 */
export class RemoteMemory {
  readonly #options: RemoteMemoryOptions
  readonly #folder: string
  readonly #working = new Map<number, Promise<Working>>()
  #files = 0
  #isClosed = false

  constructor(options: RemoteMemoryOptions) {
    this.#options = options
    this.#folder = makeProcessFolder(options.folder, 'service-')
  }

  /** What is known of the memory without looking at a conversation. */
  info(): MemoryInfo {
    const path = this.#options.conversations.shown
    return {
      ...{ path, fileName: path, system: 'native', systemLabel: 'LCM Inspector in PostgreSQL', systemVersion: null },
      ...{ readOnly: false, readOnlyReason: null, access: 'in_place', capabilities: NATIVE_CAPABILITIES },
      ...{ bytes: 0, modifiedAtMs: this.#options.now() },
    }
  }

  /** @throws LcmError when the tables are missing or of another version, and what connecting may throw */
  open(): Promise<void> {
    return this.#options.conversations.open()
  }

  /**
   * Validates the input of one of the calls of a host and makes it.
   * @throws LcmError as `HostedMemory`, and locked when others write to the same conversation all the time
   */
  async call(name: HostCallName, input: unknown, signal: AbortSignal): Promise<unknown> {
    const asked = parsedInput(name, input)
    if ('everywhere' in asked && asked.everywhere === true) {
      throw new LcmError('unsupported', 'Over PostgreSQL a recall is of one conversation: leave "everywhere" out.')
    }
    const id = await this.#idOf(asked, name === 'ingest')
    const body = async (working: Working): Promise<unknown> => {
      const answer = await this.#stored(working, name, { input, signal })
      return name === 'status' ? { ...(answer as object), path: this.#options.conversations.shown } : answer
    }
    return this.#within(id, body)
  }

  /**
   * Calls a procedure on the file of one conversation, for reading.
   * @throws LcmError conversation_required, and as the procedure
   */
  async read<T>(conversationId: unknown, body: (core: Core) => Promise<T>): Promise<T> {
    if (typeof conversationId !== 'number') {
      throw new LcmError(
        'conversation_required',
        'Over PostgreSQL every call names its conversation: add conversationId.',
      )
    }
    return this.#within(conversationId, async (working) => {
      await this.#settle(working, new AbortController().signal)
      return body(working.file.core)
    })
  }

  /** Runs a job that only reads. */
  async job(conversationId: unknown, spec: JobSpec, signal: AbortSignal): Promise<JobResult> {
    return this.read(conversationId, async (core) => {
      const { info } = await core.lcm()
      return core.jobs.result(core.jobs.start({ path: info.path, create: false, spec }), signal)
    })
  }

  /** Stores what is left of compactions that ended, and removes the files. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const opened of [...this.#working.values()]) {
      const working = await opened.catch(() => null)
      if (working) await this.#forget(working)
    }
    await this.#options.conversations.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Does a call and stores what it changed. When somebody else was quicker, all of it is done again. */
  async #stored(
    working: Working,
    name: HostCallName,
    { input, signal }: { readonly input: unknown; readonly signal: AbortSignal },
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#settle(working, signal)
        const answer = await working.file.host.call(name, input, signal)
        if (name === 'compact' || (name === 'assemble' && hasCompacted(answer))) working.isCompacted = true
        if (name === 'ingest' || working.isCompacted) await this.#push(working)
        return answer
      } catch (error) {
        if (!(error instanceof LcmError) || error.code !== 'conflict') throw error
        await this.#startAgain(working)
        if (attempt >= MOST_ATTEMPTS) {
          throw new LcmError(
            'locked',
            `Other programs write to conversation ${working.conversationId} all the time, and nothing was stored: try again in a moment.`,
          )
        }
      }
    }
  }

  /** Stores what a compaction left, and reads what others stored. */
  async #settle(working: Working, signal: AbortSignal): Promise<void> {
    if (working.isCompacted) await this.#push(working)
    const { conversationId } = working
    const { path, core } = working.file
    const { read } = await core.lcm()
    const origin = readPulledFrom(read)
    const now = await this.#options.conversations.revision(conversationId)
    const isSame = now?.appends === origin?.appends && now?.changes === origin?.changes
    if (!isSame) await this.#options.conversations.pull(conversationId, path, signal)
  }

  /** Writes in one transaction what the file holds more. */
  async #push(working: Working): Promise<void> {
    const { core } = working.file
    const db = (await core.lcm()).requireWrite('store')
    const wasCompacted = working.isCompacted
    // A run that goes on will have more to store.
    if (!isRunning(core)) working.isCompacted = false
    try {
      await this.#options.conversations.push(db)
    } catch (error) {
      working.isCompacted = wasCompacted
      throw error
    }
  }

  /** Drops what the file holds and PostgreSQL does not: its rows are never deleted, so another file takes its place. */
  async #startAgain(working: Working): Promise<void> {
    const { core, path } = working.file
    for (const jobId of runningIn(core)) {
      core.jobs.cancel(jobId)
      await core.jobs.wait(jobId)
    }
    working.file = await this.#makeFile(working)
    working.isCompacted = false
    await core.close()
    removeDatabase(path)
  }

  async #idOf(
    { sessionId, conversationId, title }: NamedConversation & { readonly title?: string | undefined },
    isNew: boolean,
  ): Promise<number> {
    const { conversations, agent, tokenEstimator, now } = this.#options
    requireOneConversation({ sessionId, conversationId })
    if (conversationId !== undefined) return conversationId
    const session = { agent, sessionId: sessionId ?? '' }
    const known = await conversations.find(session)
    if (known !== null) return known
    if (isNew) return conversations.claim(session, { title: title ?? null, tokenEstimator, atMs: now() })
    throw new LcmError(
      'not_found',
      `${agent} has no session ${JSON.stringify(sessionId)} in ${conversations.tenant}: store its first messages.`,
    )
  }

  async #within<T>(conversationId: number, body: (working: Working) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LcmError('no_memory_open', 'This memory is closed.')
    const opened = this.#working.get(conversationId) ?? this.#opening(conversationId)
    // Moved to the end: the first in the map is the one that was not used for longest, and is closed first.
    this.#working.delete(conversationId)
    this.#working.set(conversationId, opened)
    const working = await opened
    const run = working.last.then(() => body(working))
    working.last = run.catch(() => undefined)
    return run
  }

  #opening(conversationId: number): Promise<Working> {
    const opened = this.#openFile(conversationId)
    this.#working.set(conversationId, opened)
    opened.catch(() => this.#working.delete(conversationId))
    void this.#closeOldest()
    return opened
  }

  async #openFile(conversationId: number): Promise<Working> {
    const working: Pick<Working, 'conversationId' | 'isCompacted' | 'last'> & { file: WorkingFile | null } = {
      ...{ conversationId, isCompacted: false, last: Promise.resolve() },
      file: null,
    }
    working.file = await this.#makeFile(working as Working)
    return working as Working
  }

  async #makeFile(working: Working): Promise<WorkingFile> {
    const { conversations, agent, summarizer, isAutomatic, openCore } = this.#options
    this.#files += 1
    const path = join(this.#folder, `${working.conversationId}-${this.#files}.db`)
    await conversations.pull(working.conversationId, path, new AbortController().signal)
    const core = openCore(path)
    const host = new HostedMemory({ core, agent, summarizer, isAutomatic })
    core.subscribe((event) => {
      if (event.kind !== 'job' || event.job.kind !== 'compact' || working.file.core !== core) return
      working.isCompacted = true
      // What a compaction in the background wrote is stored as soon as nothing else is under way.
      if (event.job.state !== 'running') void this.#storeSoon(working)
    })
    return { path, core, host }
  }

  async #storeSoon(working: Working): Promise<void> {
    const run = working.last.then(async () => {
      if (!working.isCompacted) return
      try {
        await this.#push(working)
      } catch (error) {
        if (!(error instanceof LcmError) || error.code !== 'conflict') throw error
        await this.#startAgain(working)
      }
    })
    // The next call tries again, and tells its caller.
    working.last = run.catch(() => undefined)
    await working.last
  }

  /** The files that were not asked for longest make room. */
  async #closeOldest(): Promise<void> {
    const [oldest] = this.#working.keys()
    if (this.#working.size <= (this.#options.mostOpen ?? MOST_OPEN) || oldest === undefined) return
    const opened = this.#working.get(oldest)
    this.#working.delete(oldest)
    const working = await opened?.catch(() => null)
    if (working) await this.#forget(working)
  }

  async #forget(working: Working): Promise<void> {
    for (let last: Promise<unknown> | null = null; last !== working.last; ) {
      last = working.last
      await last
    }
    for (const jobId of runningIn(working.file.core)) await working.file.core.jobs.wait(jobId)
    if (working.isCompacted) await this.#storeSoon(working)
    await working.file.core.close()
    removeDatabase(working.file.path)
  }
}

const runningIn = (core: Core): string[] =>
  core.jobs.list().flatMap(({ jobId, kind, state }) => (kind === 'compact' && state === 'running' ? [jobId] : []))
const isRunning = (core: Core): boolean => runningIn(core).length > 0

const hasCompacted = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'compaction' in answer && answer.compaction !== null
