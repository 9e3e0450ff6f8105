import type { GrepHit, GrepRequest, GrepResult, GrepStep } from '#core/contract/retrieval.ts'

/** The calls that a search makes to the core. */
export type SearchDoor = {
  /** Returns the first page as it arrives. */
  readonly stream: (request: GrepRequest, signal: AbortSignal) => Promise<AsyncIterable<GrepStep>>
  /** Returns a later page, by its cursor. */
  readonly page: (request: GrepRequest, signal: AbortSignal) => Promise<GrepResult>
}

export type SearchState = {
  /** The last request, or null before the first one. */
  readonly request: GrepRequest | null
  /** The request that is answered, whose last word may be a prefix. */
  readonly asked: GrepRequest | null
  readonly phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  readonly pages: readonly (readonly GrepHit[])[]
  /** The request that found the pages, or null while there are none. */
  readonly foundBy: GrepRequest | null
  /** True when the pages answer an earlier request. */
  readonly isStale: boolean
  /** The number of hits so far, shown or not. */
  readonly found: number
  /** Rows whose text was read, and rows that have to be read. Both are 0 when the index alone answers. */
  readonly scanned: number
  readonly rows: number
  /** The result of the whole search, or null until it has ended by itself. */
  readonly result: GrepStep['result']
  readonly nextCursor: string | null
  readonly isFetchingMore: boolean
  readonly error: unknown
  /** The time of the request. */
  readonly askedAtMs: number
}

/**
 * How long the hits of the previous search stay in sight while the next one has none, so that typing does not flicker.
 */
const PATIENCE_MS = 250

const NOTHING: SearchState = {
  request: null,
  asked: null,
  phase: 'idle',
  pages: [],
  foundBy: null,
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
 * Runs one search at a time. A new request cancels the running one, down to the core. The last good answer stays,
 * marked as stale, until the next one has hits.
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

  /** Starts a search, unless it is the one that was answered or is running. Null ends the search. */
  ask(request: GrepRequest | null): void {
    if (request === null) {
      this.abort()
      this.become(NOTHING)
    } else if (!this.isOf(request) || !(this.running || this.state.phase === 'done')) this.begin(request)
  }

  /** Repeats the last request. */
  again(): void {
    if (this.state.request !== null) this.begin(this.state.request)
  }

  /** Cancels a running search. Its hits stay. */
  stop(): void {
    this.abort()
    if (this.state.phase === 'running') this.patch({ phase: 'stopped' })
  }

  /** Fetches the next page, unless there is none or it is being fetched. */
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
      const asked = step.asked ?? request
      this.patch({
        found,
        scanned,
        rows,
        asked,
        ...(isWorthShowing && { pages: [hits], foundBy: asked, isStale: false, result }),
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

/** A step, and the request that it answers when that differs from the typed one. */
type TypedStep = GrepStep & { readonly asked?: GrepRequest }

const OPERATORS = new Set(['OR', 'AND', 'NOT', 'NEAR'])

/** Returns the words with the last one as a prefix, or null when it is not a word or must be complete. */
export function withBeginning(query: string): string | null {
  const last = /(?:^|[\s(])([\p{L}\p{N}_]{2,})$/u.exec(query)?.[1]
  if (last === undefined || OPERATORS.has(last)) return null
  const isQuoted = (query.split('"').length - 1) % 2 === 1
  return isQuoted ? null : `${query}*`
}

/**
 * Answers words while they are being typed: where no text has all of them, the last one is taken for the beginning of a
 * word. What was typed to its end is thereby found as it stands, and what was not is found too.
 */
async function* streamTyped(
  request: GrepRequest,
  stream: (request: GrepRequest) => Promise<AsyncIterable<GrepStep>>,
): AsyncGenerator<TypedStep, void> {
  // What was asked as a question is one, whichever words the answers have.
  const mayBegin = request.mode === 'full_text' && request.match !== 'question'
  const begun = mayBegin ? withBeginning(request.query) : null
  let held: GrepStep[] | null = begun === null ? null : []
  for await (const step of await stream(request)) {
    const isAnswer = step.hits.some((hit) => !hit.isPartial)
    if (held === null || isAnswer) {
      yield* held ?? []
      held = null
      yield step
    } else held.push(step)
  }
  if (held === null || begun === null) return
  const asked = { ...request, query: begun, match: 'all' as const }
  let isBetter = false
  for await (const step of await stream(asked)) {
    isBetter ||= step.found > 0
    if (isBetter) yield { ...step, asked, result: step.result && { ...step.result, notes: noted(step.result.notes) } }
  }
  if (!isBetter) yield* held
}

const noted = (notes: readonly string[]): string[] => ['The last word is taken for the beginning of one.', ...notes]
