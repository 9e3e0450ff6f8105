import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { contentsOfSummaries } from '../systems/reading/texts.ts'
import { importedSummaries } from '../systems/records/events.ts'
import { messageHeads } from '../systems/records/messages.ts'
import { recordsOfCompactions } from '../systems/records/parts.ts'
import { summaryHeads, summaryRanges } from '../systems/records/summaries.ts'
import type { TimeSlice } from '../yielding.ts'
import type { SourceText } from './passages.ts'

/** A text repeats a summary when it contains this share of its letters, or this many letters. */
const MOST_OF_IT = 0.8
const LONG_QUOTATION = 160
/** At most this many summaries are read by one statement. */
const READ_AT_ONCE = 200

type Summary = {
  /**
   * The time of writing, which is not before the newest message that the summary reaches. Null when one of the two is
   * not known.
   */
  readonly atMs: number | null
  /** True when the agent wrote the summary and an import found it in the transcript. */
  readonly isAgents: boolean
  readonly letters: number
  readonly pieces: number
}
type Piece = { readonly start: number; readonly end: number; readonly letters: string }
/** `isWhole` is true when nearly all of a summary is repeated. */
type Copies = { readonly ranges: readonly Piece[]; readonly isWhole: boolean }
/** `isRecord` is true when the transcript records a compaction by this message. */
type MessageFacts = { readonly atMs: number | null; readonly isRecord: boolean }

/**
 * Finds texts of messages that repeat a summary word for word: in the message by which a transcript records a
 * compaction, in a prompt that continues from it, or in the result of a tool that read it. A summary is no evidence for
 * what it says itself, so these ranges are blanked before anything is compared. Texts from before the summary are kept,
 * because an extract rests on exactly those.
 */
export class SummaryCopies {
  readonly #db: ReadDb
  readonly #ids: readonly string[]
  readonly #summaries: Summary[] = []
  /** The numbers of the summaries that contain each piece, by its letters. */
  readonly #pieces = new Map<string, Set<number>>()
  readonly #holders = new Set<string>()
  #reading: Promise<void> | undefined

  /** @param ids the ids of the summary that is asked about and of those that it reaches */
  constructor(db: ReadDb, ids: readonly string[]) {
    this.#db = db
    this.#ids = ids
  }

  /** Returns notes for people about the texts that were looked at. */
  notes(): string[] {
    const [first, ...more] = this.#holders
    if (first === undefined) return []
    const who =
      more.length === 0 ? `${first} repeats` : `${first} and ${more.length.toLocaleString('en-US')} more repeat`
    return [`${who} this summary, or one below it, word for word: that is no source and was not compared.`]
  }

  /** Yields the texts of messages, in which copies of a summary are replaced by spaces so that offsets stay. */
  async *sift(
    texts: Iterable<SourceText>,
    numbers: readonly number[],
    slice: TimeSlice,
  ): AsyncGenerator<SourceText, void, undefined> {
    this.#reading ??= this.#read(slice)
    await this.#reading
    const facts = this.#factsOf(numbers)
    for (const [number, group] of groupedByMessage(texts)) {
      const known = facts.get(number) ?? { atMs: null, isRecord: false }
      const copies: Copies[] = []
      for (const { text } of group) copies.push(await this.#copiesIn(text, known, slice))
      const id = group[0]?.id ?? ''
      const isRecord = copies.some(({ isWhole }) => isWhole) && known.isRecord
      if (copies.some(({ isWhole }) => isWhole)) this.#holders.add(id)
      // The agent's reasoning while it wrote the summary is no source of it either.
      if (isRecord) continue
      for (const [place, source] of group.entries()) yield blanked(source, copies[place]?.ranges ?? [])
    }
  }

  async #read(slice: TimeSlice): Promise<void> {
    for (let start = 0; start < this.#ids.length; start += READ_AT_ONCE) {
      const ids = this.#ids.slice(start, start + READ_AT_ONCE)
      for (const { content, atMs, isAgents } of readSnapshot(this.#db, () => readSummaries(this.#db, ids))) {
        const pieces = [...piecesOf(content)]
        for (const { letters } of pieces) {
          const holders = this.#pieces.get(letters) ?? new Set()
          this.#pieces.set(letters, holders.add(this.#summaries.length))
        }
        const letters = pieces.reduce((sum, piece) => sum + piece.letters.length, 0)
        this.#summaries.push({ atMs, isAgents, letters, pieces: pieces.length })
        await slice.yieldIfOver()
      }
    }
  }

  #factsOf(numbers: readonly number[]): Map<number, MessageFacts> {
    const records = recordsOfCompactions(this.#db, numbers)
    const heads = messageHeads(this.#db, numbers)
    return new Map(heads.map(({ id, createdAtMs }) => [id, { atMs: createdAtMs, isRecord: records.has(id) }]))
  }

  /** Returns the pieces that repeat a summary which is older than the message. */
  async #copiesIn(text: string, message: MessageFacts, slice: TimeSlice): Promise<Copies> {
    const eligible = this.#summaries.map((summary) => mayRepeat(summary, message))
    if (!eligible.includes(true)) return { ranges: [], isWhole: false }
    const bySummary = new Map<number, Map<string, Piece[]>>()
    const note = (summary: number, letters: string, piece: Piece): void => {
      if (eligible[summary] !== true) return
      const held = bySummary.get(summary) ?? new Map<string, Piece[]>()
      const known = held.get(letters) ?? []
      known.push(piece)
      bySummary.set(summary, held.set(letters, known))
    }
    let count = 0
    for (const piece of piecesOf(text)) {
      count += 1
      if (count % 500 === 0 && slice.isOver) await slice.yieldIfOver()
      for (const summary of this.#pieces.get(piece.letters) ?? []) note(summary, piece.letters, piece)
    }
    const ranges: Piece[] = []
    let isWhole = false
    for (const [place, held] of bySummary) {
      const summary = this.#summaries[place]
      if (!summary) continue
      const letters = held.keys().reduce((sum, key) => sum + key.length, 0)
      const isMost = letters >= MOST_OF_IT * summary.letters
      if (!isMost && !(isLater(message, summary.atMs) && letters >= LONG_QUOTATION)) continue
      isWhole ||= isMost
      for (const pieces of held.values()) ranges.push(...pieces)
    }
    return { ranges, isWhole }
  }
}

type SummaryText = Pick<Summary, 'atMs' | 'isAgents'> & { readonly content: string }

/** Returns the summaries that exist, in the order of their ids. */
function readSummaries(db: ReadDb, ids: readonly string[]): SummaryText[] {
  const heads = new Map(summaryHeads(db, ids).map((head) => [head.id, head]))
  const ranges = summaryRanges(db, ids)
  const contents = new Map(contentsOfSummaries(db, ids))
  const unknown = ids.filter((id) => heads.get(id)?.level === 'unknown')
  const imported = importedSummaries(db, unknown)
  return ids.flatMap((id) => {
    const head = heads.get(id)
    if (!head) return []
    const latestAtMs = ranges.get(id)?.latestAtMs ?? null
    const isDated = head.createdAtMs !== null && latestAtMs !== null
    return {
      content: String(contents.get(id) ?? ''),
      atMs: isDated ? Math.max(head.createdAtMs, latestAtMs) : null,
      isAgents: imported.has(id),
    }
  })
}

/**
 * The agent's own summary is the same text wherever it stands in the transcript. Other summaries can be repeated only
 * by later messages and never by their own sources.
 */
function mayRepeat({ atMs, isAgents, letters, pieces }: Summary, message: MessageFacts): boolean {
  if (letters === 0) return false
  if (message.isRecord || (isAgents && pieces > 1)) return true
  return isLater(message, atMs)
}

const isLater = (message: MessageFacts, atMs: number | null): boolean =>
  atMs !== null && message.atMs !== null && message.atMs > atMs

function* groupedByMessage(texts: Iterable<SourceText>): Generator<[number, SourceText[]]> {
  let group: SourceText[] = []
  for (const text of texts) {
    if (group[0] && group[0].id !== text.id) {
      yield [messageNumber(group[0].id) ?? -1, group]
      group = []
    }
    group.push(text)
  }
  if (group[0]) yield [messageNumber(group[0].id) ?? -1, group]
}

/**
 * Yields the pieces of a text, reduced to letters and digits, so that white space, bullets and escapes make no
 * difference.
 */
function* piecesOf(text: string): Generator<Piece> {
  const cut = (start: number, end: number): Piece[] => {
    const letters = end - start > LONGEST ? '' : text.slice(start, end).replace(NO_LETTERS, '').toLowerCase()
    return letters === '' ? [] : [{ start, end, letters }]
  }
  let start = 0
  for (const { index, 0: mark } of text.matchAll(ENDS)) {
    yield* cut(start, index + mark.length)
    start = index + mark.length
  }
  yield* cut(start, text.length)
}

/** A longer piece is data and no sentence. */
const LONGEST = 20_000
/** Places at which a quotation may begin or end: line ends, sentence ends, colons, quotation marks and tags. */
const ENDS = /\n|\\[nr]|\\?"|[.!?:](?=\s)|[。！？：“”<>]/g
/** Escapes of JSON count as the characters for which they stand. */
const NO_LETTERS = /\\[ntr"\\]?|[^\p{L}\p{M}\p{N}\\]+/gu

function blanked(source: SourceText, ranges: readonly Piece[]): SourceText {
  if (ranges.length === 0) return source
  const kept: string[] = []
  let at = 0
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue
    // Line ends stay, so that the texts before and after are not read as one sentence.
    kept.push(source.text.slice(at, start), source.text.slice(start, end).replace(/[^\n]/g, ' '))
    at = end
  }
  return { ...source, text: kept.join('') + source.text.slice(at), stored: source.text }
}
