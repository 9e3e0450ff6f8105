import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { LcmEvent } from '../core/contract/event.ts'
import type { Job } from '../core/contract/job.ts'
import { api, type Client, onConnectionChange } from './api.ts'
import { withJob } from './job-list.ts'
import { PacedWork } from './paced-work.ts'

/** What the window knows about changes of its file. */
export type LiveState = {
  /** When the file last changed while it was watched, or null. */
  readonly changedAtMs: number | null
  readonly paused: boolean
  /** True when something changed while paused. */
  readonly behind: boolean
}

/** What shows that a message was written. It is asked for first, and with nothing beside it. */
const NEWEST = 'transcript.newest'
/** What counts messages is asked for next, so that it need not wait for what takes long. */
const LISTS = 'conversations.list'
/**
 * The watch and the numbers of rows are asked for by a clock. At each change of the file, they would read it again and again.
 */
const BY_CLOCK = ['watch.look', 'sql.run']
/** A busy agent writes many times a second. The window follows at this pace. */
const PAUSE_MS = 150
/** What takes long is repeated in at most a fifth of the time, so that it keeps the newest messages waiting seldom. */
const PAUSE_SHARE = 4
const RETRY_EVENTS_MS = 1000

/**
 * Listens to the core's events and repeats queries that are on screen. The old answer stays until the new one arrives.
 * Events carry no data, so a missed one is made up for by fetching.
 */
export class LiveFeed {
  private readonly client: Client
  private readonly queries: QueryClient
  private readonly listeners = new Set<() => void>()
  private state: LiveState = { changedAtMs: null, paused: false, behind: false }
  private readonly messages = new PacedWork(
    async () => {
      await this.queries.invalidateQueries({ predicate: (query) => procedureOf(query) === NEWEST })
      if (!this.state.paused) this.lists.soon()
    },
    () => PAUSE_MS,
  )
  private readonly lists = new PacedWork(async () => {
    await this.queries.invalidateQueries({ predicate: (query) => procedureOf(query) === LISTS })
    if (!this.state.paused) this.others.soon()
  }, pauseAfter)
  private readonly others = new PacedWork(
    () =>
      this.queries.invalidateQueries({
        predicate: (query) => isOfFile(query) && ![NEWEST, LISTS, ...BY_CLOCK].includes(procedureOf(query)),
      }),
    pauseAfter,
  )

  constructor(client: Client, queries: QueryClient) {
    this.client = client
    this.queries = queries
  }

  readonly snapshot = (): LiveState => this.state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Stops following, or catches up with missed changes. */
  readonly togglePause = (): void => {
    const { paused, behind } = this.state
    this.become({ paused: !paused, behind: paused ? false : this.holdStill() })
    if (paused && behind) this.messages.soon()
  }

  /**
   * Holds back fetches that are waiting or running, because their answers would be newer than the rest. Returns true
   * when there were any.
   */
  private holdStill(): boolean {
    const isDue = [this.messages, this.lists, this.others].map((work) => work.stop()).includes(true)
    const isAgain = (query: Query): boolean => isOfFile(query) && query.state.data !== undefined
    const isFetching = this.queries.isFetching({ predicate: isAgain }) > 0
    void this.queries.cancelQueries({ predicate: isAgain, fetchStatus: 'fetching' })
    return isDue || isFetching
  }

  /** Follows the core until the signal is aborted. */
  start(signal: AbortSignal): void {
    let hasBeenOpen = false
    const stopWatching = onConnectionChange((state) => {
      if (state !== 'open') return
      // Queries from before the first connection wait for it and need not be repeated.
      if (hasBeenOpen) void this.queries.invalidateQueries()
      hasBeenOpen = true
    })
    signal.addEventListener('abort', stopWatching)
    void this.listen(signal)
  }

  private async listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of await this.client.events(undefined, { signal })) this.receive(event)
      } catch {
        // The state of the connection reports the loss. Here it is enough to listen again.
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_EVENTS_MS))
    }
  }

  private receive(event: LcmEvent): void {
    if (event.kind === 'job') this.receiveJob(event.job)
    else if (event.kind === 'notes') void this.queries.invalidateQueries({ queryKey: api.notes.key() })
    else this.receiveChange(event.atMs)
  }

  private receiveChange(atMs: number): void {
    this.become({ changedAtMs: atMs, behind: this.state.paused })
    if (!this.state.paused) this.messages.soon()
  }

  private receiveJob(job: Job): void {
    this.queries.setQueryData(api.jobs.list.queryKey(), (jobs) => jobs && withJob(jobs, job))
    if (job.state !== 'running') void this.refreshAfter(job)
  }

  private async refreshAfter({ kind }: Job): Promise<void> {
    // The job runs after every change of the file, and changes only from where an answer comes.
    if (kind === 'index' && this.state.paused) return
    const reports = reportsOf(kind)
    if (reports === null) return this.messages.soon()
    await Promise.all(reports.map((queryKey) => this.queries.invalidateQueries({ queryKey })))
  }

  private become(patch: Partial<LiveState>): void {
    this.state = { ...this.state, ...patch }
    for (const listener of this.listeners) listener()
  }
}

/** Returns the queries that show what a job found, or null for a job that may have written to the file. */
function reportsOf(kind: Job['kind']): QueryKey[] | null {
  switch (kind) {
    case 'integrity':
      return [api.integrity.key()]
    case 'repair_plan':
      return [api.repair.key()]
    case 'index':
    case 'embed':
      return [api.retrieval.key()]
    case 'storage':
    case 'coverage':
    case 'probe':
    case 'compare':
    case 'compaction_preview':
    case 'repair_export':
    case 'surgery_preview':
      return []
    default:
      return null
  }
}

/** Data outside the file does not change with it. */
const isOfFile = ({ queryKey: [path] }: Query): boolean => !(Array.isArray(path) && path[0] === 'machine')

const procedureOf = ({ queryKey: [path] }: Query): string => (Array.isArray(path) ? path.join('.') : '')

const pauseAfter = (tookMs: number): number => Math.max(PAUSE_MS, PAUSE_SHARE * tookMs)

export const LiveContext = createContext<LiveFeed | null>(null)

/** The live feed of this window and its state. */
export function useLive(): LiveState & { readonly togglePause: () => void } {
  const feed = useContext(LiveContext)
  if (feed === null) throw new Error('useLive needs a LiveContext')
  return { ...useSyncExternalStore(feed.subscribe, feed.snapshot), togglePause: feed.togglePause }
}
