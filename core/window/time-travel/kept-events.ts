import { sharedWork } from '#core/keeping.ts'
import type { Links } from '#core/memory/links.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { Summaries } from '#core/memory/summaries.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { nextRecheckMs } from '#core/systems/reading/recheck-time.ts'
import { eventLogState, readingCompactionEvents } from '#core/systems/records/events.ts'
import { inSlices, withoutYielding } from '#core/yielding.ts'
import { countingLoggedTokens, inferringTokens } from './active-tokens.ts'
import { deriveEvents } from './derived-events.ts'
import type { LoggedEvent } from './event-log.ts'

/** The events of a conversation, oldest first, and the active tokens right after each as far as they are known. */
export type TimedEvents = {
  readonly events: readonly LoggedEvent[]
  /** From the log; null where it does not reach back, and empty without a log. */
  readonly logged: readonly (number | null)[]
  /** From creation times; empty when the log gives all of them. */
  readonly inferred: readonly number[]
}

/** What the events of a conversation follow from, beside its summaries and links. */
type State = {
  /** Of the file when the reading began. */
  readonly stamp: string
  readonly log: string
  readonly isBeside: boolean
}

type Kept = TimedEvents &
  State & {
    /** Until then they are not read again while everything but the stamp is as it was. */
    readonly recheckAtMs: number
    readonly links: Links
  }

export type KeptEventsOptions = {
  readonly db: ReadDb
  /** True when the file records every replacement in its windows. */
  readonly keepsLog: boolean
  /** Whether the summaries of a conversation without logged events took nobody's place. */
  readonly isBeside: (memory: Memory) => boolean
}

/**
 * Reads the events of conversations and keeps them until a summary, a link, an event, a pruning or a change by hand comes
 * or goes. A message that was appended changes none of them, and reading nine thousand takes a quarter of a second. What
 * another program changed in its place is read at the next check (`nextRecheckMs`).
 */
export class KeptEvents {
  readonly #options: KeptEventsOptions
  readonly #kept = new WeakMap<Summaries, Kept>()
  readonly #preparing = new Map<Summaries, Promise<TimedEvents>>()

  constructor(options: KeptEventsOptions) {
    this.#options = options
  }

  /** Call inside the snapshot in which the memory was read. */
  of(memory: Memory): TimedEvents {
    return withoutYielding(this.#read(memory))
  }

  /**
   * Reads what `of` returns in slices, so that others have their turn meanwhile. When something is logged during that, `of`
   * reads all of it again, at once.
   */
  async prepare(memory: Memory): Promise<void> {
    await sharedWork(this.#preparing, memory.summaries, () => inSlices(this.#read(memory)))
  }

  *#read(memory: Memory): Generator<void, TimedEvents> {
    const state = this.#stateOf(memory)
    const atHand = this.#atHand(memory, state)
    if (atHand) return atHand
    const read = yield* this.#reading(memory, state)
    // It is kept with the state of before, so that it is read again when something was logged during the reading.
    this.#kept.set(memory.summaries, read)
    return read
  }

  #stateOf(memory: Memory): State {
    const { db, isBeside: stand } = this.#options
    const { events, state } = eventLogState(db, memory.messages.conversationId)
    return { stamp: changeStamp(db), log: state, isBeside: events === 0 && stand(memory) }
  }

  #atHand({ summaries, links }: Memory, { stamp, log, isBeside }: State): TimedEvents | null {
    const kept = this.#kept.get(summaries)
    const isSame = kept?.links === links && kept.log === log && kept.isBeside === isBeside
    return isSame && (kept.stamp === stamp || performance.now() < kept.recheckAtMs) ? kept : null
  }

  *#reading(memory: Memory, state: State): Generator<void, Kept> {
    const startedMs = performance.now()
    const events = yield* this.#readingEvents(memory, state)
    const tokens = yield* this.#countingTokens(memory, events)
    return { ...state, recheckAtMs: nextRecheckMs(this.#options.db, startedMs), links: memory.links, events, ...tokens }
  }

  *#readingEvents(memory: Memory, { isBeside }: State): Generator<void, LoggedEvent[]> {
    const logged = yield* readingCompactionEvents(this.#options.db, memory.messages.conversationId)
    if (logged.length > 0) return logged
    return isBeside ? [] : deriveEvents(memory)
  }

  *#countingTokens(
    memory: Memory,
    events: readonly LoggedEvent[],
  ): Generator<void, Pick<TimedEvents, 'logged' | 'inferred'>> {
    const { db, keepsLog } = this.#options
    const isLogged = keepsLog && events.every((event) => event.runId !== '')
    const logged = isLogged ? yield* countingLoggedTokens(db, memory, events) : []
    const isWhole = logged.length > 0 && !logged.includes(null)
    return { logged, inferred: isWhole ? [] : yield* inferringTokens(memory, events) }
  }
}
