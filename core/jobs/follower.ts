import { sep } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Job } from '../contract/job.ts'
import type { ChangedTables } from '../contract/remote.ts'
import type { FollowState } from '../contract/servers.ts'
import type { DatabaseServers } from '../database.ts'
import { toErrorInfo } from '../errors.ts'
import type { Lcm } from '../lcm.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readPulledFrom } from '../systems/opening/pulled-from.ts'
import { changeStamp } from '../systems/reading/change-stamp.ts'
import type { Jobs } from './jobs.ts'

/** The server is asked this often whether something was written. */
const ASK_EVERY_MS = 2000
/** After a failure it is asked less often. */
const AFTER_FAILURE_MS = 15_000

/** A memory as far as it is followed. */
type Followed = Pick<Lcm, 'info' | 'read'>

const NOT_PULLED: FollowState = { state: 'not_pulled', askedAtMs: null, reason: null, changes: null }

/**
 * Keeps the file of a conversation in step with PostgreSQL while somebody looks at it: it asks how often something was
 * written there, and has the file brought up to date when that has changed.
 */
export class Follower {
  readonly #jobs: Jobs
  readonly #clock: Clock
  readonly #servers: () => Promise<DatabaseServers>
  #isAsking = false
  #nextAtMs = 0
  #pullId: string | null = null
  #state: FollowState = NOT_PULLED
  /** What was changed in the file, at its last state: everything that was changed is read again to tell. */
  #own: { readonly of: ReadDb; readonly stamp: string; readonly changes: ChangedTables | null } | null = null

  constructor(jobs: Jobs, clock: Clock, servers: () => Promise<DatabaseServers>) {
    this.#jobs = jobs
    this.#clock = clock
    this.#servers = servers
  }

  /** The last that is known of the memory. */
  state({ info }: Followed): FollowState {
    return info.pulledFrom === undefined ? NOT_PULLED : this.#state
  }

  /** Is called again and again, and asks the server now and then. */
  look(lcm: Followed): void {
    if (lcm.info.pulledFrom === undefined || this.#isAsking || this.#clock() < this.#nextAtMs) return
    this.#isAsking = true
    void this.#ask(lcm)
      .then((state) => {
        this.#state = { ...state, askedAtMs: this.#clock() }
        this.#nextAtMs = this.#clock() + (state.state === 'unreachable' ? AFTER_FAILURE_MS : ASK_EVERY_MS)
      })
      .catch((error: unknown) => {
        const { message } = toErrorInfo(error)
        this.#state = { ...this.#state, state: 'unreachable', askedAtMs: this.#clock(), reason: message }
        this.#nextAtMs = this.#clock() + AFTER_FAILURE_MS
      })
      .finally(() => {
        this.#isAsking = false
      })
  }

  onJob(job: Job): void {
    if (job.state === 'running') return
    // It may have changed the file, or pushed what was changed.
    this.#nextAtMs = 0
    if (job.jobId !== this.#pullId) return
    this.#pullId = null
    if (job.state !== 'failed') return
    const isChanged = job.error?.code === 'conflict'
    const reason = isChanged ? null : (job.error?.message ?? null)
    const state = isChanged ? 'changed_here' : 'unreachable'
    this.#state = { ...this.#state, state, askedAtMs: this.#clock(), reason }
    this.#nextAtMs = this.#clock() + AFTER_FAILURE_MS
  }

  async #ask({ info, read }: Followed): Promise<Omit<FollowState, 'askedAtMs'>> {
    const servers = await this.#servers()
    const origin = readPulledFrom(read)
    if (origin === null) return { state: 'still', reason: null, changes: null }
    const { address, tenant, conversationId } = origin
    const changes = await this.#changesIn(read, conversationId, servers)
    const isChanged = changes !== null && changes.length > 0
    const still = isChanged ? 'changed_here' : 'still'
    // A file that the user made by "lcm pull" stays as it is until it is pulled again.
    if (!info.path.startsWith(servers.folder + sep)) return { state: still, reason: null, changes }
    const now = await servers.revision({ address, tenant, conversationId })
    if (now === null) {
      const reason = 'The conversation is not there any more, or not to be seen.'
      return { state: 'unreachable', reason, changes }
    }
    if (isChanged) return { state: 'changed_here', reason: null, changes }
    const isSame = now.appends === origin.appends && now.changes === origin.changes
    if (!isSame && this.#pullId === null) {
      const spec = { kind: 'pull' as const, address, tenant, conversationId }
      this.#pullId = this.#jobs.start({ path: info.path, create: false, spec })
    }
    const isRefused = changes === null && this.#state.state === 'changed_here' && !isSame
    return { state: isRefused ? 'changed_here' : 'live', reason: null, changes }
  }

  async #changesIn(read: ReadDb, conversationId: number, servers: DatabaseServers): Promise<ChangedTables | null> {
    const stamp = changeStamp(read)
    if (this.#own?.of !== read || this.#own.stamp !== stamp) {
      this.#own = { of: read, stamp, changes: await servers.ownChanges(read, conversationId) }
    }
    return this.#own.changes
  }
}
