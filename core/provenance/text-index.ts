import { type TimeSlice, withoutYielding } from '../yielding.ts'
import { type Grouped, grouping, groupingUnits, lengthOf, listOf } from './grouped-lists.ts'
import { type Hit, MOST_OCCURRENCES, NumberList, type Occurrence, type SourceText, unitEnd } from './passages.ts'
import { mayDeny, polarityOf } from './polarity.ts'
import { anchorKey, anchorOffset, differsAt, type Specific, standsAt } from './specifics.ts'
import { keyOf, numberOfWord, scanTokens, type TokenKind, tokensOf } from './tokens.ts'
import { isTelling, LONGEST_WORD, termKey, type Vocabulary } from './vocabulary.ts'

/** How much text is scanned between two looks at the clock. */
const PIECE_CHARS = 10_000
/** At most this many units that were read in detail are kept, and the occurrences of this many specifics. */
const MOST_READ = 20_000
const MOST_FOUND = 50_000
export const NO_OCCURRENCES: readonly Occurrence[] = []

/**
 * A token of a unit: the numbers of its term and its anchor in the index, −1 for none. `key` is a term without a number:
 * only a closer look at the unit gives it.
 */
type ReadToken = Omit<Hit, 'place'> & { readonly anchor: number; readonly key: string | null }
type ReadTokens = {
  readonly tokens: readonly ReadToken[]
  readonly terms: ReadonlySet<number | string>
  /** For each of its negations the places of the tokens that it denies, the nearest first. */
  readonly scopes: readonly (readonly number[])[]
}

/** The words are remembered with their numbers until there are so many. */
const MOST_WORDS = 200_000

type Word = { readonly term: number; readonly anchor: number }

/**
 * Some texts, divided into units (lines and sentences), with the words of each. An index of all words is made once, and
 * the claims of any vocabulary are compared with it. An index for one vocabulary keeps only what that says.
 */
export class TextIndex {
  readonly texts: SourceText[] = []
  chars = 0
  readonly #sought: Vocabulary | null
  readonly #textOf = new NumberList()
  readonly #starts = new NumberList()
  readonly #ends = new NumberList()
  #roughScores = new Float32Array(0)
  #roughMarks = new Int32Array(0)
  /** Terms and anchors by the forms in which they are compared. */
  readonly #terms = new Map<string, number>()
  readonly #anchors = new Map<string, number>()
  readonly #words = new Map<string, Word | null>()
  /** The term, anchor, unit and range of each token. */
  readonly #tokens = {
    term: new NumberList(),
    anchor: new NumberList(),
    unit: new NumberList(),
    start: new NumberList(),
    end: new NumberList(),
  }
  #byTerm: Grouped | null = null
  #byAnchor: Grouped | null = null
  readonly #read = new Map<number, ReadTokens>()
  /** Whether each unit may deny something, as far as somebody asked. */
  readonly #mayDeny: boolean[] = []
  readonly #found = new Map<string, readonly Occurrence[]>()

  /** @param sought the vocabulary whose words are kept, or null for all words */
  constructor(sought: Vocabulary | null = null) {
    this.#sought = sought
  }

  get units(): number {
    return this.#starts.length
  }
  textOf(unit: number): number {
    return this.#textOf.at(unit)
  }
  startOf(unit: number): number {
    return this.#starts.at(unit)
  }
  endOf(unit: number): number {
    return this.#ends.at(unit)
  }
  /** A number for each unit, for whoever is just comparing. All are 0 between two comparisons. */
  get roughScores(): Float32Array {
    if (this.#roughScores.length < this.units) this.#roughScores = new Float32Array(this.units)
    return this.#roughScores
  }
  /** So many words of bits for each unit, likewise. */
  roughMarks(words: number): Int32Array {
    if (this.#roughMarks.length < this.units * words) this.#roughMarks = new Int32Array(this.units * words)
    return this.#roughMarks
  }

  async add(source: SourceText, slice: TimeSlice): Promise<void> {
    this.#byTerm = null
    this.#byAnchor = null
    this.#found.clear()
    const place = this.texts.push(source) - 1
    const { text } = source
    this.chars += text.length
    let sinceLook = 0
    for (let start = 0; start < text.length; ) {
      const end = unitEnd(text, start)
      this.#textOf.push(place)
      this.#starts.push(start)
      this.#ends.push(end)
      this.#addUnit(text, start, end)
      sinceLook += end - start
      start = end
      if (sinceLook < PIECE_CHARS) continue
      sinceLook = 0
      if (slice.isOver) await slice.yieldIfOver()
    }
  }

  #addUnit(text: string, from: number, to: number): void {
    const tokens = this.#tokens
    const unit = this.units - 1
    scanTokens(text, from, to, (kind, start, end) => {
      if (end - start > LONGEST_WORD || this.#sought?.mayHave(kind, text, start, end) === false) return
      const word = this.#wordOf(kind, text.slice(start, end))
      if (word === null) return
      tokens.term.push(word.term)
      tokens.anchor.push(word.anchor)
      tokens.unit.push(unit)
      tokens.start.push(start)
      tokens.end.push(end)
    })
  }

  #wordOf(kind: TokenKind, raw: string): Word | null {
    const known = this.#words.get(raw)
    if (known !== undefined) return known
    const number = kind === 'word' ? numberOfWord(raw) : undefined
    const [term, anchor] = [number ?? keyOf(kind, raw), anchorKey(kind, raw)]
    const isSought =
      this.#sought === null || this.#sought.termOf(term) !== undefined || this.#sought.anchors.has(anchor)
    const word = isSought ? { term: numbered(this.#terms, term), anchor: numbered(this.#anchors, anchor) } : null
    if (this.#words.size < MOST_WORDS) this.#words.set(raw, word)
    return word
  }

  termOf(key: string): number | undefined {
    return this.#terms.get(key)
  }

  anchorOf(key: string): number | undefined {
    return this.#anchors.get(key)
  }

  /** Makes the lists that all questions read, in pieces of some milliseconds. The first question would make them at once. */
  *preparing(): Generator<void, void> {
    this.#byTerm ??= yield* this.#groupingTerms()
    this.#byAnchor ??= yield* this.#groupingAnchors()
  }

  #groupingTerms(): Generator<void, Grouped> {
    return groupingUnits(this.#tokens.term.all, this.#tokens.unit.all, this.#terms.size)
  }

  #groupingAnchors(): Generator<void, Grouped> {
    return grouping(this.#tokens.anchor.all, this.#anchors.size)
  }

  unitsWith(term: number): Int32Array {
    this.#byTerm ??= withoutYielding(this.#groupingTerms())
    return listOf(this.#byTerm, term)
  }

  frequencyOf(term: number): number {
    this.#byTerm ??= withoutYielding(this.#groupingTerms())
    return lengthOf(this.#byTerm, term)
  }

  /** Whether a specific stands anywhere. */
  has(specific: Specific): boolean {
    const anchor = this.#anchors.get(specific.anchor)
    return anchor !== undefined && this.occurrencesOf(specific, anchor).length > 0
  }

  /** Returns where a specific stands whose anchor has this number. */
  occurrencesOf(specific: Specific, anchor: number): readonly Occurrence[] {
    const known = this.#found.get(specific.same)
    if (known) return known
    const found = this.#occurrences(specific, anchor)
    if (this.#found.size >= MOST_FOUND) this.#found.clear()
    this.#found.set(specific.same, found)
    return found
  }

  #occurrences(specific: Specific, anchor: number): readonly Occurrence[] {
    this.#byAnchor ??= withoutYielding(this.#groupingAnchors())
    const { unit: unitOf, start, end } = this.#tokens
    const found: Occurrence[] = []
    const offset = anchorOffset(specific)
    for (const token of listOf(this.#byAnchor, anchor)) {
      const unit = unitOf.at(token)
      const text = this.textOf(unit)
      const whole = this.texts[text]?.text ?? ''
      // Most names have a word that many texts have, and differ from them in the others.
      if (offset >= 0 && differsAt(whole, start.at(token) - offset, specific.key)) continue
      const place = standsAt(specific, whole, start.at(token), end.at(token))
      const last = found.at(-1)
      if (!place || (last?.text === text && last.start === place[0])) continue
      found.push({ text, unit, start: place[0], end: place[1] })
      if (found.length >= MOST_OCCURRENCES) break
    }
    return found.length === 0 ? NO_OCCURRENCES : found
  }

  /** Whether a unit may deny something. False tells so of most units without a closer look. */
  mayDeny(unit: number): boolean {
    const known = this.#mayDeny[unit]
    if (known !== undefined) return known
    const text = this.texts[this.textOf(unit)]?.text ?? ''
    const may = mayDeny(text.slice(this.startOf(unit), this.endOf(unit)))
    this.#mayDeny[unit] = may
    return may
  }

  /** Reads the words of a unit, and which of them are denied. */
  read(unit: number): ReadTokens {
    const known = this.#read.get(unit)
    if (known) return known
    const text = this.texts[this.textOf(unit)]?.text ?? ''
    const from = this.startOf(unit)
    const piece = text.slice(from, this.endOf(unit))
    const all = tokensOf(piece)
    const { denied, scopes, soft } = polarityOf(piece, all, (place) => {
      const token = all[place]
      return token !== undefined && isTelling(token, piece)
    })
    const tokens = all.map((token, place): ReadToken => {
      const { kind, start, end } = token
      const anchor =
        end - start > LONGEST_WORD ? undefined : this.#anchors.get(anchorKey(kind, piece.slice(start, end)))
      const key = termKey(token, piece)
      const term = this.#terms.get(key)
      return {
        term: term ?? -1,
        key: term === undefined ? key : null,
        anchor: anchor ?? -1,
        start: start + from,
        end: end + from,
        isDenied: denied.has(place),
        isSoft: soft.has(place),
      }
    })
    const terms = new Set(tokens.map(({ term, key }) => key ?? term))
    const read = { tokens, terms, scopes }
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.set(unit, read)
    return read
  }
}

function numbered(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, numbers.size)
  return numbers.size - 1
}
