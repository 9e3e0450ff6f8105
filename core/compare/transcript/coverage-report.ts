import type { CoverageReport } from '#core/contract/coverage.ts'
import type { TranscriptFormatId } from '#core/contract/import.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { messageNodeId } from '#core/systems/reading/node-id.ts'
import { plural, singleLine } from '#core/text.ts'
import { NONE } from '../align.ts'
import type { ComparedMessage, Fingerprint } from '../fingerprint.ts'
import { readMessages } from '../read-memory.ts'
import { type HeldText, textOf } from './compare-texts.ts'
import type { Comparison } from './comparison.ts'
import { LISTED, listedDifferences, textThatDiffers } from './listed-differences.ts'
import type { RawTextReport } from './raw-texts.ts'
import type { Entry } from './read-transcript.ts'

export type ReportInput = {
  readonly db: ReadDb
  readonly conversationId: number
  readonly path: string
  readonly format: TranscriptFormatId
  readonly sessionId: string
  /** Message ids of the memory, by position. */
  readonly ids: readonly number[]
  readonly left: readonly Entry[]
  readonly right: readonly Fingerprint[]
  /** Texts of the transcript's messages without an equal. */
  readonly texts: ReadonlyMap<number, HeldText>
  readonly comparison: Comparison
  readonly notes: readonly string[]
  /** Messages of the transcript whose texts were not compared with all their candidates. */
  readonly uncompared: ReadonlySet<number>
  /** Texts of the transcript that were looked for one by one. Null for another system's memory. */
  readonly rawTexts: RawTextReport | null
  /** The number of its messages that are stored in the conversation from which this one was forked. */
  readonly inAncestors: number
  readonly skippedLines: number
  /** The number of sessions in the transcript. */
  readonly sessions: number
  /** A time of `performance.now()`. */
  readonly startedMs: number
}

/**
 * Reports the findings in the order of the transcript, with excerpts. All are counted, and some of each kind are
 * listed. The caller may yield after each step.
 */
export function* coverageReport(input: ReportInput): Generator<void, CoverageReport> {
  const { conversationId, path, format, sessionId, ids, left, right, texts, comparison, skippedLines } = input
  const missing = comparison.openLeft
  const duplicates = [...comparison.duplicates].sort(([a], [b]) => a - b)
  const extra = comparison.openRight
  const listed = {
    missing: missing.slice(0, LISTED),
    duplicates: duplicates.slice(0, LISTED),
    differing: listedDifferences(comparison),
    extra: extra.slice(0, LISTED),
  }
  const alone = [...listed.duplicates.map(([position]) => position), ...listed.extra]
  const stored = yield* quotes(input, alone, (said) => excerptOf(textOf(said)))
  const differences = new Map(listed.differing.map(([index, { right: at, differs }]) => [at, { index, differs }]))
  const beside = yield* quotes(input, [...differences.keys()], (said, position) => {
    const { index, differs } = differences.get(position) ?? { index: NONE, differs: 'text' }
    return excerptsAround(texts.get(index)?.text ?? '', textThatDiffers(differs)(said))
  })
  const idAt = (position: number | null): string | null =>
    position === null ? null : messageNodeId(ids[position] ?? 0)
  const counts = {
    missing: missing.length,
    duplicated: duplicates.length,
    differing: comparison.differing.size,
    extra: extra.length,
  }
  const { lost = [], inFiles = 0, isCut = false } = input.rawTexts ?? {}
  // A message that is missing or differs is named as such, and not text by text.
  const faults = counts.missing + counts.duplicated + counts.differing
  const lostTexts = faults === 0 ? lost : []
  const ok = faults + lostTexts.length === 0
  const isWhole = input.rawTexts !== null && skippedLines + inFiles + comparison.inFiles === 0 && !isCut
  return {
    ok,
    isEverything: ok && isWhole && left.length === ids.length - counts.extra,
    conversationId,
    path,
    format,
    sessionId,
    inTranscript: left.length,
    inDatabase: ids.length,
    matched: left.length - counts.missing - counts.differing,
    counts,
    missing: listed.missing.map((index) => ({
      line: left[index]?.line ?? null,
      role: left[index]?.print.role ?? 'user',
      atMs: left[index]?.atMs ?? null,
      excerpt: excerptOf(texts.get(index)?.text ?? ''),
      afterMessageId: idAt(comparison.rightBefore(index)),
    })),
    duplicated: listed.duplicates.map(([position, index]) => ({
      line: left[index]?.line ?? null,
      messageId: messageNodeId(ids[position] ?? 0),
      firstMessageId: idAt(comparison.rightOf(index)),
      role: right[position]?.role ?? 'user',
      excerpt: stored.get(position) ?? '',
    })),
    differing: listed.differing.map(([index, { right: position, differs }]) => {
      const [excerpt = '', storedExcerpt = ''] = beside.get(position) ?? []
      const role = left[index]?.print.role ?? 'user'
      const line = left[index]?.line ?? null
      return { line, messageId: messageNodeId(ids[position] ?? 0), role, excerpt, storedExcerpt, differs }
    }),
    extra: listed.extra.map((position) => ({
      messageId: messageNodeId(ids[position] ?? 0),
      role: right[position]?.role ?? 'user',
      excerpt: stored.get(position) ?? '',
    })),
    lostTextCount: lostTexts.length,
    lostTexts: lostTexts.slice(0, LISTED).map(({ line, field, text }) => ({ line, field, excerpt: excerptOf(text) })),
    skippedLines,
    notes: [...input.notes, ...notesOn(input, missing)],
    durationMs: performance.now() - input.startedMs,
  }
}

/**
 * When another system's memory has no message of some kind at all, the system leaves them out by design. They are not
 * lost, and a note mentions them once.
 */
export function settleByDesign(left: readonly Entry[], comparison: Comparison): string[] {
  const kinds: readonly (readonly [string, (entry: Entry) => boolean])[] = [
    ['thoughts of the model', ({ print }) => print.holds === 'thoughts'],
    ['messages of the model that are calls of tools only', ({ print }) => print.holds === 'calls'],
    ['what tools answered', ({ print }) => print.role === 'tool'],
    ['system messages', ({ print }) => print.role === 'system'],
    ['what the program itself put between', ({ side }) => side === 'harness'],
    ['branches that were given up', ({ side }) => side === 'abandoned'],
  ]
  const open = new Set(comparison.openLeft)
  return kinds.flatMap(([name, is]) => {
    const all = left.flatMap((entry, index) => (is(entry) ? index : []))
    if (all.length < 2 || !all.every((index) => open.has(index)) || all.length === left.length) return []
    for (const index of all) {
      comparison.settle(index)
      open.delete(index)
    }
    return [`This memory keeps none of this kind, so it is not counted as missing: ${name} (${all.length}).`]
  })
}

function notesOn(
  { left, comparison, sessions, sessionId, uncompared, rawTexts, inAncestors }: ReportInput,
  missing: readonly number[],
): string[] {
  const notes: string[] = []
  const doubtful = missing.filter((index) => uncompared.has(index)).length
  if (doubtful > 0)
    notes.push(
      `So much differs that not all of it was compared: ${doubtful} of the missing may be in the memory in another shape (changed, cut or joined).`,
    )
  const last = missing.at(-1)
  const tail = last === left.length - 1 ? tailOf(missing) : 0
  if (tail > 0)
    notes.push(
      `${tail} of the missing ${tail === 1 ? 'is' : 'are'} the newest of the transcript: the memory may not have taken ${tail === 1 ? 'it' : 'them'} yet.`,
    )
  if (sessions > 1) notes.push(`The transcript holds ${sessions} sessions; compared was ${sessionId}.`)
  if (inAncestors > 0)
    notes.push(
      `${plural(inAncestors, 'message')} of the transcript ${inAncestors === 1 ? 'stands' : 'stand'} in the conversation that this one was forked from.`,
    )
  if (rawTexts?.isCut) notes.push('So many texts were not found at once that some of them were not looked for.')
  if (rawTexts && rawTexts.inFiles > comparison.inFiles)
    notes.push(`${rawTexts.inFiles} long texts of which a part is a file in the memory were not compared.`)
  if (comparison.inFiles > 0)
    notes.push(`${comparison.inFiles} long texts are files in the memory; the files were not compared.`)
  if (comparison.outOfOrder > 0)
    notes.push(`${comparison.outOfOrder} messages stand in another order than in the transcript.`)
  return notes
}

/** Counts the sorted positions that form an unbroken run at the end. */
function tailOf(positions: readonly number[]): number {
  let count = 1
  while (positions.at(-count - 1) === (positions.at(-count) ?? 0) - 1) count += 1
  return count
}

/** Returns quotes of some messages of the memory, by their position. */
function* quotes<Quote>(
  { db, ids }: ReportInput,
  positions: readonly number[],
  quote: (said: ComparedMessage, position: number) => Quote,
): Generator<void, ReadonlyMap<number, Quote>> {
  const positionOf = new Map(positions.map((position) => [ids[position] ?? 0, position]))
  const found = new Map<number, Quote>()
  for (const batch of readMessages(db, [...positionOf.keys()])) {
    for (const { messageId, said } of batch) {
      const position = positionOf.get(messageId) ?? NONE
      found.set(position, quote(said, position))
    }
    yield
  }
  return found
}

const LONGEST = 200
const BEFORE = 40

/** Returns the beginning of a text as one line. */
const excerptOf = (text: string): string => cut(text, 0)

/** Returns excerpts of two texts from shortly before their first difference. */
function excerptsAround(a: string, b: string): [string, string] {
  const left = singleLine(a)
  const right = singleLine(b)
  const most = Math.min(left.length, right.length)
  let same = 0
  while (same < most && left[same] === right[same]) same += 1
  const from = same <= LONGEST / 2 ? 0 : same - BEFORE
  return [cut(left, from), cut(right, from)]
}

function cut(text: string, from: number): string {
  const line = singleLine(text.slice(from, from + 8 * LONGEST))
  const characters = [...line.slice(0, 2 * LONGEST)]
  const shown = characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join('')}…`
  return (from > 0 ? `…${shown}` : shown).toWellFormed()
}
