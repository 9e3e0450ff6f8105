import { setImmediate } from 'node:timers/promises'
import { withBreath } from '../breath.ts'
import type { CoverageInput, CoverageReport } from '../contract/coverage.ts'
import type { JobProgress } from '../contract/job.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import type { Recognised } from '../transcripts/formats.ts'
import { textOf } from './compare-texts.ts'
import { COMPARED_LEFTOVERS, Comparison } from './comparison.ts'
import { coverageReport, settleByDesign } from './coverage-report.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { type ConversationRow, conversationOf, messageIdsOf, readMessages } from './read-memory.ts'
import { readTranscript, recogniseFor, type Side } from './read-transcript.ts'

export type CoverageOptions = {
  readonly db: ReadDb
  /** A native file keeps everything that it is given: whatever is not there is missing. */
  readonly isNative: boolean
}

/** What is kept of a message of the transcript: about 300 bytes, whatever it says. */
export type Entry = {
  readonly print: Fingerprint
  readonly line: number | null
  readonly atMs: number | null
  readonly side: Side
  readonly isCopied: boolean
}

/**
 * Compares a conversation with the transcript that the agent itself keeps: what never arrived, arrived twice, or
 * differs. Reads both as streams and holds hashes only; texts of what found no counterpart are read once more. Messages
 * are matched by what they say, not by ids, so that it works on every system's memory and every format.
 * @throws LcmError not_found, file_missing, file_not_readable, transcript_unreadable, cancelled
 */
export async function* checkCoverage(
  { db, isNative }: CoverageOptions,
  { conversationId, path, format }: CoverageInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CoverageReport> {
  const startedMs = performance.now()
  const conversation = conversationOf(db, conversationId)
  if (!conversation) {
    throw new LcmError('not_found', `There is no conversation ${conversationId}. "lcm stats" lists them.`)
  }
  const recognised = recogniseFor(path, format)
  const ids = messageIdsOf(db, conversationId)
  const right = yield* readRight(db, ids, signal)
  const reading = yield* readLeft(path, recognised, signal)
  const sessionId = sessionFor(conversation, reading, right)
  const left = reading.sessions.get(sessionId) ?? []

  const comparison = new Comparison(
    left.map(({ print }) => print),
    right,
  )
  await withBreath(comparison.matchHashes(), signal)
  if (conversation.parentId !== null) yield* settleCopies(db, conversation.parentId, left, comparison, signal)
  const wanted = new Set([...comparison.openLeft, ...comparison.differing.keys()].slice(0, 2 * COMPARED_LEFTOVERS))
  const texts = yield* readTexts(path, recognised, sessionId, wanted, signal)
  const open = comparison.openLeft.slice(0, COMPARED_LEFTOVERS)
  const lefts = open.map((index) => ({
    index,
    role: left[index]?.print.role ?? ('user' as const),
    text: texts.get(index) ?? '',
  }))
  const others = comparison.openRight.slice(0, COMPARED_LEFTOVERS)
  const storedTexts = storedTextsOf(db, ids, others)
  const rights = others.map((index) => ({
    index,
    role: right[index]?.role ?? ('user' as const),
    text: storedTexts.get(index) ?? '',
  }))
  await withBreath(comparison.matchTexts(lefts, rights), signal)
  const notes = isNative ? [] : settleByDesign(left, comparison)
  return coverageReport({
    db,
    conversationId,
    path,
    format: recognised.format.id,
    sessionId,
    ids,
    left,
    right,
    texts,
    comparison,
    notes,
    skippedLines: reading.skipped,
    sessions: reading.sessions.size,
    durationMs: performance.now() - startedMs,
  })
}

async function* readRight(
  db: ReadDb,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Fingerprint[]> {
  const prints: Fingerprint[] = []
  for (const batch of readMessages(db, ids)) {
    prints.push(...batch.map(({ said }) => fingerprintOf(said)))
    yield { done: prints.length, total: ids.length, unit: 'messages', note: 'Reading the memory' }
    await breathe(signal)
  }
  return prints
}

type Reading = { readonly sessions: Map<string, Entry[]>; readonly main: string | null; readonly skipped: number }

async function* readLeft(
  path: string,
  recognised: Recognised,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Reading> {
  const sessions = new Map<string, Entry[]>()
  let main: string | null = null
  let skipped = 0
  for await (const step of readTranscript(path, recognised)) {
    for (const { sessionId, said, line, atMs, side, isCopied } of step.messages) {
      const entries = sessions.get(sessionId) ?? []
      sessions.set(sessionId, entries)
      entries.push({ print: fingerprintOf(said), line, atMs, side, isCopied })
    }
    main ??= step.mainSessionId
    skipped += step.skipped
    yield { done: step.bytesRead, total: recognised.head.bytes, unit: 'bytes', note: 'Reading the transcript' }
    await breathe(signal)
  }
  return { sessions, main, skipped }
}

/** The session of the same name; else the one that shares the most with the memory, and the main one among equals. */
function sessionFor(
  { sessionId }: ConversationRow,
  { sessions, main }: Reading,
  right: readonly Fingerprint[],
): string {
  if (sessions.has(sessionId)) return sessionId
  const known = new Set(right.flatMap(({ any }) => any))
  let best = main !== null && sessions.has(main) ? main : ([...sessions.keys()][0] ?? sessionId)
  let most = sharedBy(sessions.get(best) ?? [], known)
  for (const [id, entries] of sessions) {
    const shared = sharedBy(entries, known)
    if (shared <= most) continue
    best = id
    most = shared
  }
  return best
}

const sharedBy = (entries: readonly Entry[], known: ReadonlySet<number>): number =>
  entries.reduce((count, { print }) => count + (print.any.some((key) => known.has(key)) ? 1 : 0), 0)

/** The copied beginning of a fork stands in the conversation that it was forked from. */
async function* settleCopies(
  db: ReadDb,
  parentId: number,
  left: readonly Entry[],
  comparison: Comparison,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  const seen = new Set<number>()
  for (let id: number | null = parentId; id !== null && !seen.has(id); ) {
    seen.add(id)
    const copies = comparison.openLeft.filter((index) => left[index]?.isCopied)
    if (copies.length === 0) return
    const known = new Set((yield* readRight(db, messageIdsOf(db, id), signal)).flatMap(({ any }) => any))
    for (const index of copies) if (left[index]?.print.any.some((key) => known.has(key))) comparison.settle(index)
    id = conversationOf(db, id)?.parentId ?? null
  }
}

/** Texts of some messages of a session, by their place in it. */
async function* readTexts(
  path: string,
  recognised: Recognised,
  sessionId: string,
  wanted: ReadonlySet<number>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Map<number, string>> {
  const texts = new Map<number, string>()
  if (wanted.size === 0) return texts
  let index = 0
  for await (const { messages, bytesRead } of readTranscript(path, recognised)) {
    for (const message of messages) {
      if (message.sessionId !== sessionId) continue
      if (wanted.has(index)) texts.set(index, textOf(message.said).slice(0, LONGEST_TEXT))
      index += 1
    }
    yield { done: bytesRead, total: recognised.head.bytes, unit: 'bytes', note: 'Comparing what differs' }
    await breathe(signal)
    if (texts.size === wanted.size) break
  }
  return texts
}

/** Of what has no counterpart so much is compared: 4,000 of them stay below 150 MB. */
const LONGEST_TEXT = 16_000

function storedTextsOf(db: ReadDb, ids: readonly number[], positions: readonly number[]): Map<number, string> {
  const positionOf = new Map(positions.map((position) => [ids[position] ?? 0, position]))
  const texts = new Map<number, string>()
  for (const batch of readMessages(db, [...positionOf.keys()])) {
    for (const { messageId, said } of batch) {
      texts.set(positionOf.get(messageId) ?? 0, textOf(said).slice(0, LONGEST_TEXT))
    }
  }
  return texts
}

async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate()
  if (signal.aborted) throw new LcmError('cancelled', 'The comparison was cancelled. Nothing was changed.')
}
