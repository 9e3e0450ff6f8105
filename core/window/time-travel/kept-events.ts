import type { Links } from '#core/memory/links.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { Summaries } from '#core/memory/summaries.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from '#core/systems/change-stamp.ts'
import { eventLogState } from '#core/systems/records/events.ts'
import { restUntil } from '#core/systems/rest.ts'
import { inferredActiveTokens, loggedActiveTokens } from './active-tokens.ts'
import { deriveEvents } from './derived-events.ts'
import { type LoggedEvent, readEvents } from './event-log.ts'

/** The events of a conversation, oldest first, and the active tokens right after each as far as they are known. */
export type TimedEvents = {
  readonly events: readonly LoggedEvent[]
  /** From the log; null where it does not reach back, and empty without a log. */
  readonly logged: readonly (number | null)[]
  /** From creation times; empty when the log gives all of them. */
  readonly inferred: readonly number[]
}

type Kept = TimedEvents & {
  /** Of the file when the events were read. */
  readonly stamp: string
  /** Until then they are not read again while everything below is as it was. */
  readonly restUntilMs: number
  readonly links: Links
  readonly log: string
  readonly isBeside: boolean
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
 * another program changed in its place is read when a rest ends (`restUntil`).
 */
export class KeptEvents {
  readonly #options: KeptEventsOptions
  readonly #kept = new WeakMap<Summaries, Kept>()

  constructor(options: KeptEventsOptions) {
    this.#options = options
  }

  /** Call inside the snapshot in which the memory was read. */
  of(memory: Memory): TimedEvents {
    const { db, isBeside: stand } = this.#options
    const log = eventLogState(db, memory.messages.conversationId)
    const isBeside = log.events === 0 && stand(memory)
    const kept = this.#kept.get(memory.summaries)
    const isSame = kept?.links === memory.links && kept.log === log.state && kept.isBeside === isBeside
    const stamp = changeStamp(db)
    const startedMs = performance.now()
    if (isSame && (kept.stamp === stamp || startedMs < kept.restUntilMs)) return kept
    const events = this.#read(memory, isBeside)
    const tokens = this.#tokensOf(memory, events)
    const restUntilMs = restUntil(db, startedMs)
    const timed = { stamp, restUntilMs, links: memory.links, log: log.state, isBeside, events, ...tokens }
    this.#kept.set(memory.summaries, timed)
    return timed
  }

  #read(memory: Memory, isBeside: boolean): LoggedEvent[] {
    const logged = readEvents(this.#options.db, memory.messages.conversationId)
    if (logged.length > 0) return logged
    return isBeside ? [] : deriveEvents(memory)
  }

  #tokensOf(memory: Memory, events: readonly LoggedEvent[]): Pick<TimedEvents, 'logged' | 'inferred'> {
    const { db, keepsLog } = this.#options
    const isLogged = keepsLog && events.every((event) => event.runId !== '')
    const logged = isLogged ? loggedActiveTokens(db, memory, events) : []
    const isWhole = logged.length > 0 && !logged.includes(null)
    return { logged, inferred: isWhole ? [] : inferredActiveTokens(memory, events) }
  }
}
