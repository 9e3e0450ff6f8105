import { firstAbove } from '#core/binary-search.ts'
import type { Moment } from '#core/contract/time-travel.ts'
import { LcmError } from '#core/errors.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { Messages } from '#core/memory/messages.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import type { LoggedEvent } from './event-log.ts'

/** A moment in the order of the file's own records: the replacements and the messages before it. */
export type Point = {
  readonly atMs: number | null
  /** The number of logged events before the moment. */
  readonly events: number
  /** The `seq` of the newest message before the moment. */
  readonly newestSeq: number
  /** True when the log determines the order of these events and messages. */
  readonly isCertain: boolean
}

/** Returns the point of a moment, or null for a moment at or after the last record. */
export function locateMoment(moment: Moment, events: readonly LoggedEvent[], memory: Memory): Point | null {
  if ('now' in moment) return null
  if ('messageId' in moment) return afterMessage(moment.messageId, events, memory)
  if ('atMs' in moment) return atTime(moment.atMs, events, memory)
  const isMeant = (event: LoggedEvent): boolean =>
    'runId' in moment ? event.runId === moment.runId : event.eventId === moment.eventId
  const last = events.findLastIndex(isMeant)
  if (last >= 0) return afterEvent(last, events, memory)
  throw noSuchEvent(moment, events, memory.messages.conversationId)
}

function noSuchEvent(
  moment: { readonly runId: string } | { readonly eventId: number },
  events: readonly LoggedEvent[],
  conversationId: number,
): LcmError {
  const what =
    'runId' in moment ? `compaction run ${JSON.stringify(moment.runId)}` : `compaction event ${moment.eventId}`
  const known = 'runId' in moment ? knownRuns(events) : knownEvents(events)
  const message = `There is no ${what} in conversation ${conversationId}: ${known}, or name a message or a time.`
  return new LcmError('not_found', message, { ...moment })
}

/** Event numbers are shared by all conversations of a file. */
function knownEvents(events: readonly LoggedEvent[]): string {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return 'it was never compacted. Ask for the window as it is'
  return `its own are numbered between ${first.eventId} and ${last.eventId}. Name one of those`
}

function knownRuns(events: readonly LoggedEvent[]): string {
  const newest = events.findLast(({ runId }) => runId)?.runId
  if (newest === undefined)
    return events.length > 0 ? `its file names no runs; ${knownEvents(events)}` : knownEvents(events)
  return `its newest is ${JSON.stringify(newest)}. Name one of its own`
}

/** Returns the point after a message, before the next event, however soon that came. */
function afterMessage(id: string, events: readonly LoggedEvent[], memory: Memory): Point {
  const { messages: history } = memory
  const position = history.positionOf(messageNumber(id) ?? Number.NaN)
  const newestSeq = history.seqs[position]
  if (newestSeq === undefined) {
    throw new LcmError(
      'not_found',
      `There is no message "${id}" in conversation ${history.conversationId}: look for it with "lcm grep", or in Search, and name one of this conversation.`,
      { id },
    )
  }
  const atMs = history.createdAtMs[position] ?? Number.NaN
  const isLater = (event: LoggedEvent): boolean =>
    event.newestSeq === null ? event.atMs > atMs || coveredSeq(event, memory) > newestSeq : event.newestSeq >= newestSeq
  const next = events.findIndex(isLater)
  return point(Number.isNaN(atMs) ? null : atMs, next < 0 ? events.length : next, newestSeq, events)
}

function afterEvent(index: number, events: readonly LoggedEvent[], memory: Memory): Point {
  const event = events[index]
  return point(event?.atMs ?? null, index + 1, event ? newestAt(event, memory) : -1, events)
}

function atTime(atMs: number, events: readonly LoggedEvent[], memory: Memory): Point | null {
  const next = events.findIndex((event) => event.atMs > atMs)
  const happened = next < 0 ? events.length : next
  const { messages: history } = memory
  const there = messagesBy(history, atMs)
  const isSummaryLater = memory.summaries.rows.some((row) => (row.createdAtMs ?? Number.NEGATIVE_INFINITY) > atMs)
  if (happened === events.length && there === history.length && !isSummaryLater) return null
  const last = events[happened - 1]
  const newestSeq = Math.max(history.seqs[there - 1] ?? -1, last ? newestAt(last, memory) : -1)
  return point(atMs, happened, newestSeq, events)
}

function point(atMs: number | null, happened: number, newestSeq: number, events: readonly LoggedEvent[]): Point {
  const [last, next] = [events[happened - 1], events[happened]]
  const isAfterLast = last === undefined || last.newestSeq !== null
  // Clocks may disagree with the order in which rows were stored. Then no window was ever in this state.
  const isBeforeNext = next === undefined || (next.newestSeq !== null && newestSeq <= next.newestSeq)
  return { atMs, events: happened, newestSeq, isCertain: isAfterLast && isBeforeNext }
}

/** Returns the number of messages that existed at an event. */
export function messagesAt(event: LoggedEvent, memory: Memory): number {
  return firstAbove(memory.messages.seqs, newestAt(event, memory))
}

/**
 * Returns the `seq` of the newest message at an event. If it is not recorded, the clock decides, and it is at least
 * that of the messages that the summary covers.
 */
export function newestAt(event: LoggedEvent, memory: Memory): number {
  if (event.newestSeq !== null) return event.newestSeq
  const { messages: history } = memory
  return Math.max(history.seqs[messagesBy(history, event.atMs) - 1] ?? -1, coveredSeq(event, memory))
}

function coveredSeq({ summaryId }: LoggedEvent, memory: Memory): number {
  return memory.coverage.seqRange(memory.summaries.nodeOf(summaryId))?.lastSeq ?? -1
}

/**
 * Returns the number of messages that existed at a time, by the steady clock, or all of them when no message has a
 * time.
 */
const messagesBy = (history: Messages, atMs: number): number => firstAbove(history.clockMs, atMs)
