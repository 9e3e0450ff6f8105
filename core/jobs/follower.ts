import { sep } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Job } from '../contract/job.ts'
import type { FollowState } from '../contract/servers.ts'
import { toErrorInfo } from '../errors.ts'
import type { Lcm } from '../lcm.ts'
import type { Servers } from '../remote/servers.ts'
import { readPulledFrom } from '../systems/pulled-from.ts'
import type { Jobs } from './jobs.ts'

/** The server is asked this often whether something was written. */
const ASK_EVERY_MS = 2000
/** After a failure it is asked less often. */
const AFTER_FAILURE_MS = 15_000

/** Jobs that change what a memory holds. */
const CHANGING: ReadonlySet<Job['kind']> = new Set(['compact', 'repair', 'surgery', 'undo', 'explore'])
const CHANGED: FollowState = { state: 'changed_here', askedAtMs: null, reason: 'Has changes that were not pushed to' }

/**
 * Keeps the file of a conversation in step with PostgreSQL while somebody looks at it: it asks how often something was
 * written there, and has the file brought up to date when that has changed.
 */
export class Follower {
  readonly #jobs: Jobs
  readonly #clock: Clock
  readonly #servers: () => Promise<Servers>
  #isAsking = false
  #nextAtMs = 0
  #pullId: string | null = null
  /** A job of this program has changed the file since it was last pushed. */
  #isChanged = false
  #state: FollowState = { state: 'not_pulled', askedAtMs: null, reason: null }

  constructor(jobs: Jobs, clock: Clock, servers: () => Promise<Servers>) {
    this.#jobs = jobs
    this.#clock = clock
    this.#servers = servers
  }

  /** The last that is known of the memory. */
  state({ info }: Lcm): FollowState {
    return info.pulledFrom === undefined ? { state: 'not_pulled', askedAtMs: null, reason: null } : this.#state
  }

  /** Is called again and again, and asks the server now and then. */
  look(lcm: Lcm): void {
    if (lcm.info.pulledFrom === undefined || this.#isAsking || this.#clock() < this.#nextAtMs) return
    this.#isAsking = true
    void this.#ask(lcm)
      .then((state) => {
        this.#state = { ...state, askedAtMs: this.#clock() }
        this.#nextAtMs = this.#clock() + (state.state === 'live' ? ASK_EVERY_MS : AFTER_FAILURE_MS)
      })
      .catch((error: unknown) => {
        const { message } = toErrorInfo(error)
        this.#state = { state: 'unreachable', askedAtMs: this.#clock(), reason: message }
        this.#nextAtMs = this.#clock() + AFTER_FAILURE_MS
      })
      .finally(() => {
        this.#isAsking = false
      })
  }

  onJob(job: Job): void {
    if (job.state === 'done' && CHANGING.has(job.kind)) {
      this.#isChanged = true
      this.#state = CHANGED
    }
    if (job.state === 'done' && job.kind === 'push') {
      this.#isChanged = false
      this.#state = { state: 'live', askedAtMs: this.#clock(), reason: null }
      this.#nextAtMs = 0
    }
    if (job.jobId !== this.#pullId || job.state === 'running') return
    this.#pullId = null
    if (job.state !== 'failed') return
    const isChanged = job.error?.code === 'conflict'
    this.#state = {
      state: isChanged ? 'changed_here' : 'unreachable',
      askedAtMs: this.#clock(),
      reason: job.error?.message ?? null,
    }
    this.#nextAtMs = this.#clock() + AFTER_FAILURE_MS
  }

  async #ask({ info, read }: Lcm): Promise<Omit<FollowState, 'askedAtMs'>> {
    const servers = await this.#servers()
    const origin = readPulledFrom(read)
    // A file that the user made by "lcm pull" stays as it is until it is pulled again.
    if (origin === null || !info.path.startsWith(servers.folder + sep)) return { state: 'still', reason: null }
    const { address, tenant, conversationId } = origin
    const now = await servers.revision({ address, tenant, conversationId })
    if (now === null)
      return { state: 'unreachable', reason: 'The conversation is not there any more, or not to be seen.' }
    if (this.#isChanged) return CHANGED
    const isSame = now.appends === origin.appends && now.changes === origin.changes
    if (!isSame && this.#pullId === null) {
      const spec = { kind: 'pull' as const, address, tenant, conversationId }
      this.#pullId = this.#jobs.start({ path: info.path, create: false, spec })
    }
    return { state: this.#state.state === 'changed_here' && !isSame ? 'changed_here' : 'live', reason: null }
  }
}
