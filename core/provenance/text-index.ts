import type { TimeSlice } from '../yielding.ts'
import {
  Growing,
  type Hit,
  MOST_OCCURRENCES,
  MOST_POSTINGS,
  type Occurrence,
  type Passages,
  type ReadUnit,
  type SourceText,
  unitEnd,
} from './passages.ts'
import { polarityOf } from './polarity.ts'
import { anchorKey, type Specific, standsAt } from './specifics.ts'
import { keyOf, numberOfWord, scanTokens, type TokenKind, tokensOf } from './tokens.ts'
import { isTelling, LONGEST_WORD, termKey, type Vocabulary } from './vocabulary.ts'

/** How much text is scanned between two looks at the clock. */
const PIECE_CHARS = 10_000
/** So many units that were read in detail are kept, and the occurrences of so many specifics. */
const MOST_READ = 20_000
const MOST_FOUND = 50_000
const NO_UNITS = new Int32Array(0)
const NO_OCCURRENCES: readonly Occurrence[] = []

/**
 * A token of a unit: the numbers of its term and its anchor in the index, −1 for none. `key` is a term without a number:
 * only a closer look at the unit gives it.
 */
type ReadToken = Omit<Hit, 'place'> & { readonly anchor: number; readonly key: string | null }
type ReadTokens = {
  readonly tokens: readonly ReadToken[]
  readonly terms: ReadonlySet<number | string>
  readonly denies: boolean
}

/**
 * Some texts with all their words, so that the claims of any vocabulary can be compared with them. It is made once and
 * asked many times. (A `PassageIndex` is made for one vocabulary, and holds only what that says.)
 */
export class TextIndex {
  readonly texts: SourceText[] = []
  chars = 0
  readonly #textOf = new Growing()
  readonly #starts = new Growing()
  readonly #ends = new Growing()
  /** Terms and anchors by the forms in which they are compared. */
  readonly #terms = new Map<string, number>()
  readonly #anchors = new Map<string, number>()
  readonly #words = new Map<string, { readonly term: number; readonly anchor: number }>()
  /** By token: its term, anchor, unit and range. */
  readonly #tokens = {
    term: new Growing(),
    anchor: new Growing(),
    unit: new Growing(),
    start: new Growing(),
    end: new Growing(),
  }
  #byTerm: Grouped | null = null
  #byAnchor: Grouped | null = null
  #roughScores = new Float32Array(0)
  readonly #read = new Map<number, ReadTokens>()
  readonly #found = new Map<string, readonly Occurrence[]>()

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
  get roughScores(): Float32Array {
    if (this.#roughScores.length < this.units) this.#roughScores = new Float32Array(this.units)
    return this.#roughScores
  }

  async add(source: SourceText, slice: TimeSlice): Promise<void> {
    const place = this.texts.push(source) - 1
    const { text } = source
    this.chars += text.length
    this.#byTerm = null
    this.#byAnchor = null
    this.#found.clear()
    let sinceLook = 0
    for (let start = 0; start < text.length; ) {
      const end = unitEnd(text, start)
      this.#addUnit(place, text, start, end)
      sinceLook += end - start
      start = end
      if (sinceLook < PIECE_CHARS) continue
      sinceLook = 0
      if (slice.isOver) await slice.yieldIfOver()
    }
  }

  #addUnit(place: number, text: string, from: number, to: number): void {
    const unit = this.#starts.length
    this.#textOf.push(place)
    this.#starts.push(from)
    this.#ends.push(to)
    const tokens = this.#tokens
    scanTokens(text, from, to, (kind, start, end) => {
      if (end - start > LONGEST_WORD) return
      const { term, anchor } = this.#wordOf(kind, text.slice(start, end))
      tokens.term.push(term)
      tokens.anchor.push(anchor)
      tokens.unit.push(unit)
      tokens.start.push(start)
      tokens.end.push(end)
    })
  }

  #wordOf(kind: TokenKind, raw: string): { readonly term: number; readonly anchor: number } {
    const known = this.#words.get(raw)
    if (known) return known
    const number = kind === 'word' ? numberOfWord(raw) : undefined
    const word = {
      term: numbered(this.#terms, number ?? keyOf(kind, raw)),
      anchor: numbered(this.#anchors, anchorKey(kind, raw)),
    }
    this.#words.set(raw, word)
    return word
  }

  termOf(key: string): number | undefined {
    return this.#terms.get(key)
  }

  anchorOf(key: string): number | undefined {
    return this.#anchors.get(key)
  }

  unitsWith(term: number): Int32Array {
    this.#byTerm ??= unitsByTerm(this.#tokens.term.all, this.#tokens.unit.all, this.#terms.size)
    return of(this.#byTerm, term)
  }

  frequencyOf(term: number): number {
    this.#byTerm ??= unitsByTerm(this.#tokens.term.all, this.#tokens.unit.all, this.#terms.size)
    return lengthOf(this.#byTerm, term)
  }

  /** Returns where a specific stands whose anchor has this number. */
  occurrencesOf(specific: Specific, anchor: number): readonly Occurrence[] {
    const key = `${specific.kind} ${specific.key}`
    const known = this.#found.get(key)
    if (known) return known
    const found = this.#occurrences(specific, anchor)
    if (this.#found.size >= MOST_FOUND) this.#found.clear()
    this.#found.set(key, found)
    return found
  }

  #occurrences(specific: Specific, anchor: number): readonly Occurrence[] {
    this.#byAnchor ??= groupedBy(this.#tokens.anchor.all, this.#anchors.size)
    const { unit: unitOf, start, end } = this.#tokens
    const found: Occurrence[] = []
    for (const token of of(this.#byAnchor, anchor)) {
      const unit = unitOf.at(token)
      const text = this.textOf(unit)
      const place = standsAt(specific, this.texts[text]?.text ?? '', start.at(token), end.at(token))
      const last = found.at(-1)
      if (!place || (last?.text === text && last.start === place[0])) continue
      found.push({ text, unit, start: place[0], end: place[1] })
      if (found.length >= MOST_OCCURRENCES) break
    }
    return found.length === 0 ? NO_OCCURRENCES : found
  }

  /** Reads the words of a unit, and which of them are denied. */
  read(unit: number): ReadTokens {
    const known = this.#read.get(unit)
    if (known) return known
    const text = this.texts[this.textOf(unit)]?.text ?? ''
    const from = this.startOf(unit)
    const piece = text.slice(from, this.endOf(unit))
    const all = tokensOf(piece)
    const { denied, soft } = polarityOf(piece, all, (place) => {
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
    const read = { tokens, terms, denies: denied.size > 0 }
    if (this.#read.size >= MOST_READ) this.#read.clear()
    this.#read.set(unit, read)
    return read
  }
}

/** What an index has of the claims of one vocabulary. It costs nothing for what the claims do not say. */
export class IndexView implements Passages {
  readonly vocabulary: Vocabulary
  readonly #index: TextIndex
  /** By term of the vocabulary: its number in the index, −1 for none. And the other way round. */
  readonly #terms: number[] = []
  readonly #own = new Map<number, number>()
  /** By anchor of the index: the specifics of the vocabulary; and the anchor of each of those. */
  readonly #specifics = new Map<number, readonly number[]>()
  readonly #anchors = new Map<number, number>()
  readonly #read = new Map<number, ReadUnit>()

  constructor(vocabulary: Vocabulary, index: TextIndex) {
    this.vocabulary = vocabulary
    this.#index = index
    for (const [term, key] of vocabulary.keys.entries()) {
      const known = index.termOf(key)
      this.#terms.push(known ?? -1)
      if (known !== undefined) this.#own.set(known, term)
    }
    for (const [key, specifics] of vocabulary.anchors) {
      const anchor = index.anchorOf(key)
      if (anchor === undefined) continue
      this.#specifics.set(anchor, specifics)
      for (const specific of specifics) this.#anchors.set(specific, anchor)
    }
  }

  get texts(): readonly SourceText[] {
    return this.#index.texts
  }
  get units(): number {
    return this.#index.units
  }
  textOf(unit: number): number {
    return this.#index.textOf(unit)
  }
  startOf(unit: number): number {
    return this.#index.startOf(unit)
  }
  endOf(unit: number): number {
    return this.#index.endOf(unit)
  }
  unitsWith(term: number): Int32Array {
    return this.#index.unitsWith(this.#terms[term] ?? -1)
  }
  frequencyOf(term: number): number {
    return this.#index.frequencyOf(this.#terms[term] ?? -1)
  }
  get roughScores(): Float32Array {
    return this.#index.roughScores
  }

  occurrencesOf(specific: number): readonly Occurrence[] {
    const first = this.vocabulary.firstOf[specific] ?? specific
    const anchor = this.#anchors.get(first)
    const sought = this.vocabulary.specifics[first]
    return anchor === undefined || !sought ? NO_OCCURRENCES : this.#index.occurrencesOf(sought, anchor)
  }

  holds(unit: number, term: number): boolean {
    const known = this.#terms[term] ?? -1
    const { terms } = this.#index.read(unit)
    return terms.has(known < 0 ? (this.vocabulary.keys[term] ?? -1) : known)
  }

  read(unit: number): ReadUnit {
    const known = this.#read.get(unit)
    if (known) return known
    const { tokens, denies } = this.#index.read(unit)
    const text = this.texts[this.textOf(unit)]?.text ?? ''
    const hits: Hit[] = []
    const specifics = new Map<number, readonly [number, number]>()
    for (const [place, { term, key, anchor, start, end, isDenied, isSoft }] of tokens.entries()) {
      const own = key === null ? this.#own.get(term) : this.vocabulary.termOf(key)
      if (own !== undefined) hits.push({ term: own, place, start, end, isDenied, isSoft })
      for (const specific of this.#specifics.get(anchor) ?? []) {
        const sought = this.vocabulary.specifics[specific]
        const found = sought && !specifics.has(specific) && standsAt(sought, text, start, end)
        if (found) specifics.set(specific, found)
      }
    }
    const read = { hits, denies, specifics }
    this.#read.set(unit, read)
    return read
  }
}

/** Lists of numbers, one after the other: the list of `group` begins at `begins[group]`. */
type Grouped = { readonly begins: Int32Array; readonly values: Int32Array }

const of = ({ begins, values }: Grouped, group: number): Int32Array =>
  group < 0 || group + 1 >= begins.length ? NO_UNITS : values.subarray(begins[group], begins[group + 1])

const lengthOf = ({ begins }: Grouped, group: number): number =>
  group < 0 || group + 1 >= begins.length ? 0 : (begins[group + 1] as number) - (begins[group] as number)

/** Groups the indexes of some items by a number that each has. */
function groupedBy(groups: Int32Array, count: number): Grouped {
  const begins = new Int32Array(count + 1)
  for (const group of groups) begins[group + 1] = (begins[group + 1] as number) + 1
  for (let group = 0; group < count; group += 1)
    begins[group + 1] = (begins[group + 1] as number) + (begins[group] as number)
  const next = begins.slice()
  const values = new Int32Array(groups.length)
  for (let item = 0; item < groups.length; item += 1) {
    const group = groups[item] as number
    values[next[group] as number] = item
    next[group] = (next[group] as number) + 1
  }
  return { begins, values }
}

/** Groups the units in which terms stand by the terms, each unit once. */
function unitsByTerm(terms: Int32Array, units: Int32Array, count: number): Grouped {
  const grouped = groupedBy(terms, count)
  const begins = new Int32Array(count + 1)
  const values = new Int32Array(grouped.values.length)
  let length = 0
  for (let term = 0; term < count; term += 1) {
    const begin = length
    for (const token of of(grouped, term)) {
      const unit = units[token] as number
      if ((length > begin && values[length - 1] === unit) || length - begin >= MOST_POSTINGS) continue
      values[length] = unit
      length += 1
    }
    begins[term + 1] = length
  }
  return { begins, values: values.slice(0, length) }
}

function numbered(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, numbers.size)
  return numbers.size - 1
}
