import type { CoverageInput, CoverageReport } from '#core/contract/coverage.ts'
import type { JobProgress } from '#core/contract/job.ts'
import { LcmError } from '#core/errors.ts'
import type { BrokenChainRecord } from '#core/ingest/transcripts/format.ts'
import type { Recognised } from '#core/ingest/transcripts/formats.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { type ConversationHead, conversationHead, conversationsAround } from '#core/systems/records/conversations.ts'
import { forkPoint } from '#core/systems/records/forks.ts'
import { spokenMessages } from '#core/systems/records/messages.ts'
import { resumedWindow } from '#core/window/resume.ts'
import { inSlices, yieldToOthers } from '#core/yielding.ts'
import { YIELD_EVERY } from '../align.ts'
import { type Fingerprint, fingerprintOf } from '../fingerprint.ts'
import { readMessages } from '../read-memory.ts'
import type { HeldText } from './compare-texts.ts'
import { Comparison, type OpenGap } from './comparison.ts'
import { coverageReport, settleByDesign } from './coverage-report.ts'
import { leftoverOf, readTexts, storedTexts, WHOLE_TEXT, wantedTexts } from './leftover-texts.ts'
import { lostTexts, RawTexts } from './raw-texts.ts'
import { type Entry, openFor, readTranscript } from './read-transcript.ts'

export type CoverageOptions = {
  readonly db: ReadDb
  /** A native file stores everything that it receives, so what is not there is missing. */
  readonly isNative: boolean
}

/**
 * Compares a conversation with the agent's own transcript, and reports what never arrived, arrived twice, or differs.
 * It reads both as streams and keeps hashes only; the texts of messages without a counterpart are read a second time.
 * Messages are matched by content, not by id, so that this works for every system and format.
 * @throws LcmError not_found, file_missing, file_not_readable, transcript_unreadable, cancelled
 */
export async function* checkCoverage(
  { db, isNative }: CoverageOptions,
  { conversationId, path, format }: CoverageInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CoverageReport> {
  const conversation = conversationHead(db, conversationId)
  if (!conversation) {
    throw new LcmError('not_found', `There is no conversation ${conversationId}. "lcm stats" lists them.`)
  }
  const opened = await openFor(path, format)
  try {
    return yield* compareWith(opened, { db, isNative }, { conversationId, path, format }, conversation, signal)
  } finally {
    opened.close()
  }
}

async function* compareWith(
  recognised: Recognised,
  { db, isNative }: CoverageOptions,
  { conversationId, path }: CoverageInput,
  conversation: NonNullable<ReturnType<typeof conversationHead>>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CoverageReport> {
  const startedMs = performance.now()
  const ids = spokenMessages(db, conversationId)
  const right = yield* readRight(db, ids, signal)
  // Only an import stores texts as they are.
  const isImported = isNative && conversation.importer === recognised.format.id
  const raw = isImported ? new RawTexts(recognised.format.asides) : null
  const reading = yield* readLeft(path, recognised, raw, signal)
  const sessionId = await inSlices(sessionFor(conversation, reading, right), signal)
  const left = reading.sessions.get(sessionId) ?? []

  const comparison = new Comparison(
    left.map(({ print }) => print),
    right,
  )
  await inSlices(comparison.matchHashes(), signal)
  const before = comparison.openLeft.length
  if (conversation.parentId !== null) {
    const copied = copiedEntries(db, conversationId, left, comparison)
    yield* settleCopies({ db, path, recognised, sessionId, left }, conversation.parentId, copied, comparison, signal)
  }
  const inAncestors = before - comparison.openLeft.length
  const { gaps, cutOff } = comparison.openGaps()
  const texts = yield* readTexts(path, recognised, sessionId, wantedTexts(comparison, gaps), signal)
  const notHeld = await matchTexts({ db, comparison, gaps, left, texts, right, ids }, signal)
  const uncompared = new Set([...cutOff, ...notHeld])
  const notes = [
    ...chainNotes(db, conversationId, reading.chains, sessionId),
    ...(isNative ? [] : settleByDesign(left, comparison)),
  ]
  const conversations = raw ? conversationsAround(db, conversationId, [...reading.sessions.keys()]) : []
  const rawTexts = raw && (yield* lostTexts(db, path, recognised, raw, conversations, signal))
  const report = coverageReport({
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
    uncompared,
    rawTexts,
    inAncestors,
    skippedLines: reading.skipped,
    sessions: reading.sessions.size,
    startedMs,
  })
  return await inSlices(report, signal)
}

type MatchedTexts = {
  readonly db: ReadDb
  readonly comparison: Comparison
  readonly gaps: readonly OpenGap[]
  readonly left: readonly Entry[]
  readonly texts: ReadonlyMap<number, HeldText>
  readonly right: readonly Fingerprint[]
  readonly ids: readonly number[]
}

/** Compares the texts of what no hash matched. Returns the left positions for whose texts there was no room. */
async function matchTexts(
  { db, comparison, gaps, left, texts, right, ids }: MatchedTexts,
  signal: AbortSignal,
): Promise<number[]> {
  const notHeld: number[] = []
  for (const { lefts, rights } of gaps) {
    const ours = lefts.flatMap((index) => leftoverOf(index, left[index]?.print, texts.get(index)))
    const stored = storedTexts(db, ids, rights)
    const theirs = rights.flatMap((index) => leftoverOf(index, right[index], stored.get(index)))
    const isWhole = ours.length === lefts.length && theirs.length === rights.length
    if (!isWhole) notHeld.push(...lefts)
    await inSlices(comparison.matchTexts(ours, theirs), signal)
    await yieldToOthers(signal)
  }
  return notHeld
}

/** Says what a resume would load, in the figures of the memory where it was imported from this transcript. */
function chainNotes(db: ReadDb, conversationId: number, chains: Reading['chains'], sessionId: string): string[] {
  const last = chains.find((chain) => chain.sessionId === sessionId)?.breaks.at(-1)
  if (!last) return []
  const resume = resumedWindow(db, new MemoryReader(db), conversationId)?.resume
  const isSame = resume?.line === last.line && resume.parentId === last.parentId
  const text = isSame
    ? resume.text
    : `the parent of line ${last.line} cannot be followed: whoever resumes this session sees nothing of what was said before it, unless it was compacted since`
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}. "lcm mend" writes a copy of the transcript that loads all.`]
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
    await yieldToOthers(signal)
  }
  return prints
}

type Reading = {
  readonly sessions: Map<string, Entry[]>
  readonly main: string | null
  readonly skipped: number
  readonly chains: readonly BrokenChainRecord[]
}

async function* readLeft(
  path: string,
  recognised: Recognised,
  raw: RawTexts | null,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Reading> {
  const sessions = new Map<string, Entry[]>()
  let main: string | null = null
  let skipped = 0
  const chains: BrokenChainRecord[] = []
  for await (const step of readTranscript(path, recognised, raw?.observe)) {
    for (const { sessionId, said, line, atMs, side, isCopied } of step.messages) {
      const entries = sessions.get(sessionId) ?? []
      sessions.set(sessionId, entries)
      entries.push({ print: fingerprintOf(said), line, atMs, side, isCopied })
    }
    main ??= step.mainSessionId
    skipped += step.skipped
    chains.push(...step.chains)
    yield { done: step.bytesRead, total: recognised.head.bytes, unit: 'bytes', note: 'Reading the transcript' }
    await yieldToOthers(signal)
  }
  return { sessions, main, skipped, chains }
}

/**
 * Returns the session with the same id, or the one that shares the most with the memory; among equals, the main
 * session.
 */
function* sessionFor(
  { sessionId }: ConversationHead,
  { sessions, main }: Reading,
  right: readonly Fingerprint[],
): Generator<void, string> {
  if (sessions.has(sessionId)) return sessionId
  const known = yield* keysOf(right)
  let best = main !== null && sessions.has(main) ? main : ([...sessions.keys()][0] ?? sessionId)
  let most = sharedBy(sessions.get(best) ?? [], known)
  for (const [id, entries] of sessions) {
    yield
    const shared = sharedBy(entries, known)
    if (shared <= most) continue
    best = id
    most = shared
  }
  return best
}

function* keysOf(prints: readonly Fingerprint[]): Generator<void, ReadonlySet<number>> {
  const keys = new Set<number>()
  for (const [index, { any }] of prints.entries()) {
    if (index % YIELD_EVERY === 0) yield
    for (const key of any) keys.add(key)
  }
  return keys
}

const sharedBy = (entries: readonly Entry[], known: ReadonlySet<number>): number =>
  entries.reduce((count, { print }) => count + (print.any.some((key) => known.has(key)) ? 1 : 0), 0)

/**
 * Returns the entries that may be copies from the session that was forked. Some say so. In a fork that does not say it,
 * these are the entries before the first one of its own.
 */
function copiedEntries(
  db: ReadDb,
  conversationId: number,
  left: readonly Entry[],
  comparison: Comparison,
): ReadonlyMap<number, Fingerprint> {
  const open = new Set(comparison.openLeft)
  // The system prompt of a fork is stored with the fork. The copies stand behind it.
  const firstOwn = left.findIndex(({ print }, index) => !open.has(index) && print.role !== 'system')
  const isBeginning = (index: number): boolean => firstOwn === -1 || index < firstOwn
  const isFork = forkPoint(db, conversationId) !== null
  return new Map(
    left.flatMap(({ print, isCopied }, index): [number, Fingerprint][] =>
      open.has(index) && (isCopied || (isFork && isBeginning(index))) ? [[index, print]] : [],
    ),
  )
}

type OfFork = {
  readonly db: ReadDb
  readonly path: string
  readonly recognised: Recognised
  readonly sessionId: string
  readonly left: readonly Entry[]
}

/** The copied beginning of a forked session is stored in the conversation from which it was forked. */
async function* settleCopies(
  fork: OfFork,
  parentId: number,
  copied: ReadonlyMap<number, Fingerprint>,
  comparison: Comparison,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  const { db } = fork
  const openCopies = (): number[] => comparison.openLeft.filter((index) => copied.has(index))
  const seen = new Set<number>()
  for (let id: number | null = parentId; id !== null && !seen.has(id); ) {
    seen.add(id)
    const copies = openCopies()
    if (copies.length === 0) return
    const ids = spokenMessages(db, id)
    const right = yield* readRight(db, ids, signal)
    const known = await inSlices(keysOf(right), signal)
    for (const index of copies) if (copied.get(index)?.any.some((key) => known.has(key))) comparison.settle(index)
    const others = new Set(openCopies())
    if (others.size > 0)
      for (const index of yield* sameTextsIn(fork, others, right, ids, signal)) comparison.settle(index)
    id = conversationHead(db, id)?.parentId ?? null
  }
}

/**
 * Returns the copied messages whose text an ancestor holds in another form. The ancestor may have moved a long text into
 * a file.
 */
async function* sameTextsIn(
  { db, path, recognised, sessionId, left }: OfFork,
  copies: ReadonlySet<number>,
  right: readonly Fingerprint[],
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<JobProgress, number[]> {
  const prints = left.map(({ print }) => print)
  const comparison = new Comparison(prints, right)
  await inSlices(comparison.matchHashes(), signal)
  const gaps = comparison.openGaps().gaps.flatMap(({ lefts, rights }): OpenGap[] => {
    const some = lefts.filter((index) => copies.has(index))
    return some.length === 0 ? [] : [{ lefts: some, rights }]
  })
  const wanted = new Map(gaps.flatMap(({ lefts }) => lefts.map((index) => [index, WHOLE_TEXT])))
  const texts = yield* readTexts(path, recognised, sessionId, wanted, signal)
  await matchTexts({ db, comparison, gaps, left, texts, right, ids }, signal)
  return [...copies].filter((index) => comparison.rightOf(index) !== null && !comparison.differing.has(index))
}
