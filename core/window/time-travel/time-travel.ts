import { firstAbove } from '#core/binary-search.ts'
import type { Provider, RenderedContext } from '#core/contract/context.ts'
import type {
  CompactionMark,
  CompactionMarksInput,
  ContextAt,
  ContextAtInput,
  ContextDifference,
  DifferenceInput,
  Moment,
  Pruning,
  Timeline,
  TimelineInput,
} from '#core/contract/time-travel.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { Messages } from '#core/memory/messages.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { prunedByRun, readPruned } from '#core/systems/reading/pruned-outputs.ts'
import { compactionEvents } from '#core/systems/records/events.ts'
import type { System } from '#core/systems/system.ts'
import type { ContextAssembler } from '../context-assembler.ts'
import { type Placements, storedPlacements } from '../placements.ts'
import type { PastEntries } from '../read-window.ts'
import { storedTokens } from './active-tokens.ts'
import { compactionMarks } from './compaction-marks.ts'
import { type Edit, type LoggedEvent, readEdits, readReplacementsAfter } from './event-log.ts'
import { KeptEvents } from './kept-events.ts'
import { locateMoment, messagesAt, newestAt, type Point } from './point.ts'
import { reconstruct } from './reconstruct.ts'
import { undoReplacements } from './undo.ts'
import { ownSummaries, standBeside } from './window-rule.ts'

export type TimeTravelOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly context: ContextAssembler
  /** True when the file records every replacement in its windows. */
  readonly keepsLog: boolean
  /** How the system makes summaries, for windows without a log. */
  readonly summaries: System['summaries']
}

/** Which of the events are wanted. */
type EventPart = Partial<Pick<TimelineInput, 'fromEvent' | 'limit'>>

/** The entries of a past window. Without `placed` they are the stored ones. */
export type PastWindow = PastEntries & {
  /** True when the window was inferred from creation times, or from records whose order is not certain. */
  readonly reconstructed: boolean
  readonly atMs: number | null
  /** The number of compaction events before the moment. */
  readonly events: number
}

/**
 * The context window after any message or replacement. It is exact for files with a log, because replacements are
 * undone from the stored window backwards. Otherwise it is inferred from creation times, and marked as such.
 */
export class TimeTravel {
  readonly #options: TimeTravelOptions

  readonly #events: KeptEvents

  constructor(options: TimeTravelOptions) {
    this.#options = options
    const { db, keepsLog } = options
    this.#events = new KeptEvents({ db, keepsLog, isBeside: (memory) => this.#isBeside(memory) })
  }

  /**
   * Reads the events of a conversation whose memory was read in pieces, so that others have their turn meanwhile. Does
   * nothing where no memory is kept.
   */
  async prepare(conversationId: number): Promise<void> {
    const memory = this.#options.reader.keptMemory(conversationId)
    if (memory) await this.#events.prepare(memory)
  }

  /**
   * Returns what a time slider over a conversation needs.
   * @throws LcmError not_found
   */
  timeline(conversationId: number, { fromEvent = 0, limit }: EventPart = {}): Timeline {
    return readSnapshot(this.#options.db, () => {
      const memory = this.#options.reader.memory(conversationId)
      const { messages: history } = memory
      const { events } = this.#events.of(memory)
      const logged = new Set(events.map((event) => event.summaryId))
      const isComplete = events.every((event) => event.newestSeq !== null) && !unlogged(memory, logged)
      const prunings = this.#prunings(memory)
      const beside = events.length > 0 ? 0 : ownSummaries(memory).length
      const end = Math.min(events.length, fromEvent + (limit ?? events.length))
      return {
        ...span(history, events),
        messages: history.length,
        isExact: this.#options.keepsLog && isComplete,
        events: this.#withActiveTokens(memory)
          .slice(fromEvent, end)
          .map(({ newestSeq, ...event }) => ({ ...event, messages: messagesAt({ ...event, newestSeq }, memory) })),
        ...(end < events.length ? { nextEvent: end } : {}),
        ...(prunings.length > 0 ? { prunings } : {}),
        ...(beside > 0 ? { beside } : {}),
      }
    })
  }

  /**
   * Returns the compactions among some messages, oldest first, without the rest of the timeline.
   * @throws LcmError not_found
   */
  compactions({ conversationId, from, to }: CompactionMarksInput): CompactionMark[] {
    return compactionMarks(this.timeline(conversationId)).filter(({ position }) => position >= from && position < to)
  }

  /**
   * Returns the window at a moment, under a budget as for `ContextAssembler.assemble`.
   * @throws LcmError not_found
   */
  contextAt(input: ContextAtInput): ContextAt {
    const { moment, ...assembled } = input
    return readSnapshot(this.#options.db, () => {
      const { placed, until, ...when } = this.entriesAt(input.conversationId, moment)
      return { ...this.#options.context.assemble(assembled, { placed, until }), ...when }
    })
  }

  /**
   * Returns what would have been sent at a moment, like `ContextAssembler.render`.
   * @throws LcmError not_found
   */
  render(input: ContextAtInput, provider: Provider): RenderedContext {
    const { moment, ...assembled } = input
    return readSnapshot(this.#options.db, () => {
      return this.#options.context.render(assembled, provider, this.entriesAt(input.conversationId, moment))
    })
  }

  /**
   * Returns what left the window and what entered it between two moments.
   * @throws LcmError not_found
   */
  difference({ from, to, ...input }: DifferenceInput): ContextDifference {
    return readSnapshot(this.#options.db, () =>
      differenceOf(this.contextAt({ ...input, moment: from }), this.contextAt({ ...input, moment: to })),
    )
  }

  /**
   * Returns the entries alone, for `ContextAssembler`.
   * @throws LcmError not_found
   */
  entriesAt(conversationId: number, moment: Moment): PastWindow {
    return readSnapshot(this.#options.db, () => {
      const memory = this.#options.reader.memory(conversationId)
      const { events } = this.#events.of(memory)
      const point =
        this.#atPruning(moment, events, conversationId) ??
        locateMoment(moment, events, memory) ??
        this.#beforeEdits(moment, events, memory)
      if (!point) {
        return { reconstructed: false, atMs: span(memory.messages, events).lastAtMs, events: events.length }
      }
      const when = { atMs: point.atMs, events: point.events }
      // As with replacements, pruning right after a message had not happened yet.
      const until = {
        newestSeq: point.newestSeq,
        atMs: 'messageId' in moment ? Number.NEGATIVE_INFINITY : (point.atMs ?? Number.POSITIVE_INFINITY),
      }
      const exact = this.#undo(memory, events, point, moment)
      if (exact) return { placed: exact, until, reconstructed: !point.isCertain, ...when }
      if (this.#isEnd(memory, events, point)) return { reconstructed: true, ...when }
      return { placed: reconstruct(memory, knownAt(point, events, memory)), until, reconstructed: true, ...when }
    })
  }

  /**
   * Returns the entries right before a run, by undoing what is logged since. They are exact also when summaries of
   * another system stood there, of which no log says when they came. Null when the log does not lead back to them.
   */
  entriesBeforeRun(conversationId: number, runId: string): Placements | null {
    return readSnapshot(this.#options.db, () => {
      if (!this.#options.keepsLog) return null
      const memory = this.#options.reader.memory(conversationId)
      const events = compactionEvents(this.#options.db, conversationId)
      const first = events.findIndex((event) => event.runId === runId)
      const newestSeq = events[first]?.newestSeq ?? null
      if (newestSeq === null) return null
      const before = events[first - 1]?.eventId ?? 0
      const hadHappened = (edit: Edit): boolean => edit.newestSeq !== null && newestSeq > edit.newestSeq
      const replacements = readReplacementsAfter(this.#options.db, conversationId, before, hadHappened)
      const undone = replacements && undoReplacements(storedPlacements(memory), replacements)
      return undone && withoutLater(undone, memory, newestSeq)
    })
  }

  /** Adds active tokens to each event: from the log as far as it reaches, otherwise from creation times. */
  #withActiveTokens(memory: Memory) {
    const { events, logged, inferred } = this.#events.of(memory)
    return events.map((event, index) => {
      const end: Point = { atMs: event.atMs, events: index + 1, newestSeq: newestAt(event, memory), isCertain: true }
      const isNow = logged.length === 0 && this.#isEnd(memory, events, end)
      const guessed = isNow ? storedTokens(memory) : inferred[index]
      return { ...event, activeTokens: logged[index] ?? guessed ?? 0 }
    })
  }

  #prunings({ messages: history }: Memory): Pruning[] {
    const outputs = readPruned(this.#options.db, history.conversationId)
    return Array.from(prunedByRun(outputs), ([runId, pruned]) => {
      const { atMs = 0, newestSeq = 0 } = outputs.find((output) => output.runId === runId) ?? {}
      return { runId, atMs, messages: firstAbove(history.seqs, newestSeq), ...pruned }
    })
  }

  /** Returns the point right after a run that replaced nothing and pruned the content of some messages. */
  #atPruning(moment: Moment, events: readonly LoggedEvent[], conversationId: number): Point | null {
    if (!('runId' in moment)) return null
    const pruned = readPruned(this.#options.db, conversationId).find(({ runId }) => runId === moment.runId)
    if (!pruned) return null
    const { atMs, newestSeq } = pruned
    const later = events.findIndex((event) =>
      event.newestSeq === null || event.newestSeq === newestSeq ? event.atMs > atMs : event.newestSeq > newestSeq,
    )
    return { atMs, events: later < 0 ? events.length : later, newestSeq, isCertain: true }
  }

  /** Returns the point of a time after all messages and compactions, and before a change by hand. */
  #beforeEdits(moment: Moment, events: readonly LoggedEvent[], { messages: history }: Memory): Point | null {
    if (!('atMs' in moment) || !this.#options.keepsLog) return null
    const edits = readEdits(this.#options.db, history.conversationId, events.at(-1)?.eventId ?? 0) ?? []
    if (edits.every((edit) => edit.atMs <= moment.atMs)) return null
    return { atMs: moment.atMs, events: events.length, newestSeq: history.seqs.at(-1) ?? -1, isCertain: true }
  }

  #isBeside(memory: Memory): boolean {
    return this.#options.summaries === 'beside' || standBeside(memory)
  }

  /**
   * True when every known event had happened and no change by hand came later, so that the window is the present one.
   */
  #isEnd({ messages: history }: Memory, events: readonly LoggedEvent[], point: Point): boolean {
    return (
      point.events === events.length &&
      point.newestSeq >= (history.seqs.at(-1) ?? -1) &&
      events.every((event) => event.runId === '') &&
      readEdits(this.#options.db, history.conversationId, 0)?.length === 0
    )
  }

  /**
   * Returns null without a log, or when the log does not lead to the stored window or does not reach back far enough.
   */
  #undo(memory: Memory, events: readonly LoggedEvent[], point: Point, moment: Moment): Placements | null {
    const { db, keepsLog } = this.#options
    // Without a log nothing can be undone, unless no entry was ever replaced: then the window only grew.
    if (!keepsLog && (events.length > 0 || !this.#isBeside(memory))) return null
    if (events.some((event) => event.runId === '')) return null
    const { messages: history } = memory
    const { conversationId } = history
    const last = events[point.events - 1]
    const hadHappened = (edit: Edit): boolean =>
      'atMs' in moment ? edit.atMs <= moment.atMs : edit.newestSeq !== null && point.newestSeq > edit.newestSeq
    const replacements = readReplacementsAfter(db, conversationId, last?.eventId ?? 0, hadHappened)
    const stored = storedPlacements(memory)
    const undone = replacements && undoReplacements(stored, replacements)
    if (!undone) return null
    // Before the first event there were no summaries, except some whose creation is not known.
    if (point.events === 0 && undone.some((entry) => typeof entry === 'string')) return null
    return withoutLater(undone, memory, point.newestSeq)
  }
}

/** Leaves out the messages that came later. */
const withoutLater = (placed: Placements, { messages }: Memory, newestSeq: number): Placements =>
  placed.filter(
    (entry) => typeof entry === 'string' || !((messages.seqs[messages.positionOf(entry)] ?? -1) > newestSeq),
  )

/** Returns the first and the last time that messages and events name. */
function span(history: Messages, events: readonly LoggedEvent[]): Pick<Timeline, 'firstAtMs' | 'lastAtMs'> {
  const times = [history.clockMs[0], history.clockMs.at(-1), events[0]?.atMs, events.at(-1)?.atMs].filter(
    (time): time is number => time !== undefined && !Number.isNaN(time),
  )
  if (times.length === 0) return { firstAtMs: null, lastAtMs: null }
  return { firstAtMs: Math.min(...times), lastAtMs: Math.max(...times) }
}

/**
 * A summary existed when its event had happened. Without an event, it existed when everything that it was made from
 * existed.
 */
function knownAt({ atMs, newestSeq, events: happened }: Point, events: readonly LoggedEvent[], memory: Memory) {
  const there = new Set(events.slice(0, happened).map((event) => event.summaryId))
  const later = new Set(events.slice(happened).map((event) => event.summaryId))
  const isMade = (node: number): boolean => {
    const { id, createdAtMs } = memory.summaries.at(node)
    if (there.has(id)) return true
    const isOlder = (createdAtMs ?? Number.NEGATIVE_INFINITY) <= (atMs ?? Number.POSITIVE_INFINITY)
    return !later.has(id) && isOlder && (memory.coverage.seqRange(node)?.lastSeq ?? -1) <= newestSeq
  }
  return { newestSeq, isMade }
}

const unlogged = (memory: Memory, logged: ReadonlySet<string>): boolean =>
  ownSummaries(memory).some((node) => !logged.has(memory.summaries.at(node).id))

/**
 * Returns what left a window and what entered it. Removing `left` from the earlier items and adding `entered`, each at
 * its ordinal, gives the later ones.
 */
function differenceOf(before: ContextAt, after: ContextAt): ContextDifference {
  const { items: earlier, ...beforeFigures } = before
  const { items: later, ...afterFigures } = after
  const [was, is] = [new Set(earlier.map((item) => item.id)), new Set(later.map((item) => item.id))]
  const left = earlier.filter((item) => !is.has(item.id))
  const entered = later.filter((item) => !was.has(item.id))
  return {
    before: beforeFigures,
    after: afterFigures,
    left,
    entered,
    stayed: earlier.length - left.length,
  }
}
