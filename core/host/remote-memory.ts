import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { hostCalls } from '../contract/host.ts'
import type { JobResult, JobSpec } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { Core } from '../core.ts'
import { LcmError } from '../errors.ts'
import type { Postgres } from '../postgres/connect.ts'
import {
  type ConversationKey,
  claimConversation,
  conversationOfSession,
  readHead,
} from '../postgres/conversation-rows.ts'
import { requireVersion } from '../postgres/migrate.ts'
import type { Objects } from '../remote/objects/configured.ts'
import { pullConversation } from '../remote/pull.ts'
import { pushChanges } from '../remote/push.ts'
import { removeDatabase } from '../sqlite/new-file.ts'
import { makeProcessFolder } from '../sqlite/process-folder.ts'
import { NATIVE_CAPABILITIES } from '../systems/open.ts'
import { readPulledFrom } from '../systems/pulled-from.ts'
import { type HostCallName, HostedMemory } from './hosted-memory.ts'

type RemoteMemoryOptions = {
  readonly connect: () => Promise<Postgres>
  /** The address without a password. */
  readonly shown: string
  readonly tenant: string
  readonly agent: string
  readonly summarizer: string
  readonly isAutomatic: boolean
  /** A folder of this process alone is made in it. */
  readonly folder: string
  /** How tokens are counted in conversations that are new. */
  readonly tokenEstimator: string
  /** Where large files lie; null where their texts stay in their messages. */
  readonly objects: Objects | null
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
  readonly key: ConversationKey
  file: WorkingFile
  /** An automatic compaction may have changed the window since the last push. */
  isCompacted: boolean
  last: Promise<unknown>
}

/** After so many conflicts with other writers a call ends in `locked`. */
const MOST_ATTEMPTS = 8
const MOST_OPEN = 64
const MOST_IDLE = 4

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
  readonly #idle: Postgres[] = []
  #files = 0
  #isClosed = false

  constructor(options: RemoteMemoryOptions) {
    this.#options = options
    this.#folder = makeProcessFolder(options.folder, 'service-')
  }

  /** What is known of the memory without looking at a conversation. */
  info(): MemoryInfo {
    const path = this.#options.shown
    return {
      ...{ path, fileName: path, system: 'native', systemLabel: 'LCM Inspector in PostgreSQL', systemVersion: null },
      ...{ readOnly: false, readOnlyReason: null, access: 'in_place', capabilities: NATIVE_CAPABILITIES },
      ...{ bytes: 0, modifiedAtMs: this.#options.now() },
    }
  }

  /** @throws LcmError when the tables are missing or of another version, and what connecting may throw */
  open(): Promise<void> {
    return this.#withDb(requireVersion)
  }

  /**
   * Validates the input of one of the calls of a host and makes it.
   * @throws LcmError as `HostedMemory`, and locked when others write to the same conversation all the time
   */
  async call(name: HostCallName, input: unknown, signal: AbortSignal): Promise<unknown> {
    const parsed = hostCalls[name].input.safeParse(input ?? {})
    // The host names the field that is wrong, on whatever memory it stands.
    if (!parsed.success)
      throw new LcmError('invalid_argument', `The input of ${name} is not valid: ${parsed.error.message}`)
    const asked = parsed.data as { sessionId?: string; conversationId?: number; title?: string; project?: string }
    if ('everywhere' in asked && asked.everywhere === true) {
      throw new LcmError('unsupported', 'Over PostgreSQL a recall is of one conversation: leave "everywhere" out.')
    }
    const key = await this.#keyOf(asked, name === 'ingest')
    const body = async (working: Working): Promise<unknown> => {
      const answer = await this.#stored(working, name, { input, signal })
      return name === 'status' ? { ...(answer as object), path: this.#options.shown } : answer
    }
    return this.#within(key, body)
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
    const key = await this.#keyOf({ conversationId }, false)
    return this.#within(key, async (working) => {
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
    for (const db of this.#idle.splice(0)) await db.close()
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
            `Other programs write to conversation ${working.key.conversationId} all the time, and nothing was stored: try again in a moment.`,
          )
        }
      }
    }
  }

  /** Stores what a compaction left, and reads what others stored. */
  async #settle(working: Working, signal: AbortSignal): Promise<void> {
    if (working.isCompacted) await this.#push(working)
    const { key } = working
    const { path, core } = working.file
    const { read } = await core.lcm()
    const origin = readPulledFrom(read)
    const head = await this.#withDb((db) => db.read(key.tenant, (query) => readHead(query, key)))
    const isSame = head?.revision.appends === origin?.appends && head?.revision.changes === origin?.changes
    if (!isSame) await this.#pull(key, path, signal)
  }

  /** Writes in one transaction what the file holds more. */
  async #push(working: Working): Promise<void> {
    const { core } = working.file
    const db = (await core.lcm()).requireWrite('store')
    const wasCompacted = working.isCompacted
    // A run that goes on will have more to store.
    if (!isRunning(core)) working.isCompacted = false
    try {
      await this.#withDb((to) => pushChanges(to, db, { objects: this.#options.objects }))
    } catch (error) {
      working.isCompacted = wasCompacted
      throw error
    }
  }

  async #pull(key: ConversationKey, to: string, signal: AbortSignal): Promise<void> {
    await this.#withDb(async (from) => {
      const job = pullConversation({ from, key, to, objects: this.#options.objects }, signal)
      while (!(await job.next()).done);
    })
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

  async #keyOf(
    { sessionId, conversationId, title }: { sessionId?: string; conversationId?: number; title?: string },
    isNew: boolean,
  ): Promise<ConversationKey> {
    const { tenant, agent, tokenEstimator, now } = this.#options
    if ((sessionId === undefined) === (conversationId === undefined)) {
      throw new LcmError('conversation_required', 'Name one conversation: by its sessionId, or by its conversationId.')
    }
    if (conversationId !== undefined) return { tenant, conversationId }
    const session = { importer: agent, session_id: sessionId ?? '' }
    const known = await this.#withDb((db) => db.read(tenant, (query) => conversationOfSession(query, tenant, session)))
    if (known !== null) return { tenant, conversationId: known }
    if (!isNew) {
      throw new LcmError(
        'not_found',
        `${agent} has no session ${JSON.stringify(sessionId)} in ${tenant}: store its first messages.`,
      )
    }
    const at = now()
    const row = {
      ...session,
      ...{
        logical_key: null,
        source_uri: null,
        title: title ?? null,
        archived_at: null,
        created_at: at,
        updated_at: at,
      },
    }
    const made = await this.#withDb((db) =>
      db.write(tenant, (query) => claimConversation(query, tenant, { row, parentId: null, tokenEstimator })),
    )
    return { tenant, conversationId: made.conversationId }
  }

  async #within<T>(key: ConversationKey, body: (working: Working) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LcmError('no_memory_open', 'This memory is closed.')
    const opened = this.#working.get(key.conversationId) ?? this.#opening(key)
    // Moved to the end: the first in the map is the one that was not used for longest, and is closed first.
    this.#working.delete(key.conversationId)
    this.#working.set(key.conversationId, opened)
    const working = await opened
    const run = working.last.then(() => body(working))
    working.last = run.catch(() => undefined)
    return run
  }

  #opening(key: ConversationKey): Promise<Working> {
    const opened = this.#openFile(key)
    this.#working.set(key.conversationId, opened)
    opened.catch(() => this.#working.delete(key.conversationId))
    void this.#closeOldest()
    return opened
  }

  async #openFile(key: ConversationKey): Promise<Working> {
    const working: Pick<Working, 'key' | 'isCompacted' | 'last'> & { file: WorkingFile | null } = {
      ...{ key, isCompacted: false, last: Promise.resolve() },
      file: null,
    }
    working.file = await this.#makeFile(working as Working)
    return working as Working
  }

  async #makeFile(working: Working): Promise<WorkingFile> {
    const { agent, summarizer, isAutomatic, openCore } = this.#options
    this.#files += 1
    const path = join(this.#folder, `${working.key.conversationId}-${this.#files}.db`)
    await this.#pull(working.key, path, new AbortController().signal)
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

  /** Runs the body on a connection of its own. One that failed is not used again. */
  async #withDb<T>(body: (db: Postgres) => Promise<T>): Promise<T> {
    const db = this.#idle.pop() ?? (await this.#options.connect())
    try {
      const result = await body(db)
      this.#release(db)
      return result
    } catch (error) {
      const isSound = error instanceof LcmError && (error.code === 'conflict' || error.code === 'not_found')
      if (isSound) this.#release(db)
      else await db.close()
      throw error
    }
  }

  #release(db: Postgres): void {
    if (this.#idle.length < MOST_IDLE && !this.#isClosed) this.#idle.push(db)
    else void db.close()
  }
}

const runningIn = (core: Core): string[] =>
  core.jobs.list().flatMap(({ jobId, kind, state }) => (kind === 'compact' && state === 'running' ? [jobId] : []))
const isRunning = (core: Core): boolean => runningIn(core).length > 0

const hasCompacted = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'compaction' in answer && answer.compaction !== null
