import type { GrepHit, GrepRequest, GrepResult, GrepStep } from '../../../core/contract/retrieval.ts'
import { streamTyped } from './beginnings.ts'

/** How a search reaches the core. */
export type SearchDoor = {
  /** The first page as it comes in. */
  readonly stream: (request: GrepRequest, signal: AbortSignal) => Promise<AsyncIterable<GrepStep>>
  /** A later page, by its cursor. */
  readonly page: (request: GrepRequest, signal: AbortSignal) => Promise<GrepResult>
}

export type SearchState = {
  /** What was asked last; null before anything was. */
  readonly request: GrepRequest | null
  /** What is answered: the last word may be taken for a beginning. */
  readonly asked: GrepRequest | null
  readonly phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  readonly pages: readonly (readonly GrepHit[])[]
  /** The pages answer an earlier question. */
  readonly isStale: boolean
  /** Hits so far, shown or not. */
  readonly found: number
  /** Rows whose text was looked at, of those that have to be; both 0 when the index alone answers. */
  readonly scanned: number
  readonly rows: number
  /** What is said of the whole; null until it ended by itself. */
  readonly result: GrepStep['result']
  readonly nextCursor: string | null
  readonly isFetchingMore: boolean
  readonly error: unknown
  /** When it began. */
  readonly askedAtMs: number
}

/**
 * How long the hits of the former question stay in sight while the next one has none yet, so that typing does not
 * flicker.
 */
const PATIENCE_MS = 250

const NOTHING: SearchState = {
  request: null,
  asked: null,
  phase: 'idle',
  pages: [],
  isStale: false,
  found: 0,
  scanned: 0,
  rows: 0,
  result: null,
  nextCursor: null,
  isFetchingMore: false,
  error: null,
  askedAtMs: 0,
}

/**
 * One search at a time: whatever is asked next ends what is being answered, up to the core. The last good answer stays,
 * marked as stale, until there is something of the next.
 */
export class SearchSession {
  private readonly door: SearchDoor
  private readonly clock: () => number
  private readonly listeners = new Set<() => void>()
  private state: SearchState
  private running: AbortController | null = null

  /** @param before an answer that was kept from an earlier session */
  constructor(door: SearchDoor, before: SearchState = NOTHING, clock: () => number = Date.now) {
    this.door = door
    this.state = before
    this.clock = clock
  }

  readonly snapshot = (): SearchState => this.state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Asks, unless that is what was answered or is being answered. null ends the search. */
  ask(request: GrepRequest | null): void {
    if (request === null) {
      this.abort()
      this.become(NOTHING)
    } else if (!this.isOf(request) || !(this.running || this.state.phase === 'done')) this.begin(request)
  }

  /** Asks the same again. */
  again(): void {
    if (this.state.request !== null) this.begin(this.state.request)
  }

  /** Ends a search that still runs; what it found stays. */
  stop(): void {
    this.abort()
    if (this.state.phase === 'running') this.patch({ phase: 'stopped' })
  }

  /** Fetches the next page, if there is one and it is not on its way. */
  more(): void {
    const { asked, nextCursor, phase, isFetchingMore } = this.state
    if (asked === null || nextCursor === null || phase !== 'done' || isFetchingMore) return
    const running = this.start()
    this.patch({ isFetchingMore: true, error: null })
    this.door.page({ ...asked, cursor: nextCursor }, running.signal).then(
      ({ hits, nextCursor: next }) => {
        if (running.signal.aborted) return
        this.running = null
        this.patch({ pages: [...this.state.pages, hits], nextCursor: next, isFetchingMore: false })
      },
      (error: unknown) => {
        if (running.signal.aborted) return
        this.running = null
        this.patch({ error, isFetchingMore: false })
      },
    )
  }

  private begin(request: GrepRequest): void {
    const running = this.start()
    this.patch({
      request,
      asked: request,
      phase: 'running',
      isStale: this.state.pages.length > 0,
      found: 0,
      scanned: 0,
      rows: 0,
      nextCursor: null,
      isFetchingMore: false,
      error: null,
      askedAtMs: this.clock(),
    })
    this.follow(request, running.signal).then(
      () => this.end(running),
      (error: unknown) => {
        if (!running.signal.aborted) this.patch({ phase: 'failed', error })
        this.end(running)
      },
    )
  }

  private async follow(request: GrepRequest, signal: AbortSignal): Promise<void> {
    let hits: readonly GrepHit[] = []
    for await (const step of streamTyped(request, (one) => this.door.stream(one, signal))) {
      if (signal.aborted) return
      if (step.hits.length > 0) hits = [...hits, ...step.hits]
      const { found, scanned, rows, result } = step
      const isWorthShowing = hits.length > 0 || result !== null || this.clock() - this.state.askedAtMs > PATIENCE_MS
      this.patch({
        found,
        scanned,
        rows,
        asked: step.asked ?? request,
        ...(isWorthShowing && { pages: [hits], isStale: false, result }),
        ...(result && { phase: 'done', nextCursor: result.nextCursor }),
      })
    }
  }

  private isOf(request: GrepRequest): boolean {
    return JSON.stringify(request) === JSON.stringify(this.state.request)
  }

  private start(): AbortController {
    this.abort()
    this.running = new AbortController()
    return this.running
  }

  private end(running: AbortController): void {
    if (this.running === running) this.running = null
  }

  private abort(): void {
    this.running?.abort()
    this.running = null
  }

  private patch(patch: Partial<SearchState>): void {
    this.become({ ...this.state, ...patch })
  }

  private become(state: SearchState): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
}
