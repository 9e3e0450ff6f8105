import { weightsOf } from '../indexes/native-text-index.ts'
import { NO_ROWS } from '../indexes/row-set.ts'
import type { Nearness } from '../meaning/nearness.ts'
import { type AskedWord, isSpeaker, mayBeSpeaker, tellingWords } from '../planning/question-words.ts'
import type { Searched } from '../planning/search.ts'
import { rankedTerms } from '../query/index-expression.ts'
import { ExpressionMatcher, type Fields } from '../query/matcher.ts'
import { smallLetters } from '../query/text-folding.ts'
import { type HitOrder, type Placed, rowOf } from './hit-order.ts'
import { type First, lifted, meanings, ownShare } from './question.ts'
import type { ScoreParts } from './ranking.ts'
import { density, rarity, wordScore } from './word-scores.ts'

export type ScanOptions = {
  readonly limit: number
  /** Rows that earlier pages gave, by the kind of their corpus. */
  readonly seen: Readonly<Record<string, ReadonlySet<number>>>
  /** The words of a question. Null when hits are ranked by their words alone. */
  readonly words: readonly AskedWord[] | null
  /** See `tellingWords`. */
  readonly isAsked: boolean
  /** What a question finds by what it says. */
  readonly near: Nearness['rows']
  readonly first: First
}

/** What was read of one row: how long it is, and how often each form of each term stands in it, by weight. */
type Read = {
  readonly index: number
  readonly tokens: number
  readonly forms: ReadonlyMap<string, number>
  readonly isHit: boolean
  /** True when it has a word that is searched for by its letters. */
  readonly hasLiteral: boolean
  /** For each pair of characters that is searched for: whether it has it. */
  readonly pairs: readonly boolean[]
}

/** Stands before a form with which a text begins. */
const BEGINNING = '^'

type Scored = { readonly hit: Placed; readonly score: number; readonly parts: ScoreParts }

/** The best hits first when there is no index: all texts are read before the first hit is known. */
export class ScanOrder implements HitOrder {
  readonly countsAll = true
  readonly rows: number
  scanned = 0
  readonly #searches: readonly Searched[]
  readonly #options: ScanOptions
  readonly #read: Read[][]
  readonly #literals: ExpressionMatcher | null
  readonly #pairs: readonly AskedWord[]
  /** The terms that may be names of speakers. */
  readonly #speakers: ReadonlySet<number>
  #page: Scored[] = []
  #found = 0
  #at = 0
  #looked = 0

  constructor(searches: readonly Searched[], options: ScanOptions) {
    this.#searches = searches
    this.#options = options
    this.#read = searches.map(() => [])
    this.rows = searches.reduce((sum, { candidates }) => sum + candidates.length, 0)
    this.#literals = anyOf((options.words ?? []).filter((word) => isLiteral(word) && !isPair(word)))
    this.#pairs = (options.words ?? []).filter(isPair)
    const names = this.#terms().flatMap((word, term) => (mayBeSpeaker(word) ? [term] : []))
    this.#speakers = new Set(names)
    if (this.isDone) this.#rank()
  }

  get isDone(): boolean {
    return this.scanned === this.rows
  }

  get progress(): number {
    return this.scanned + this.#at
  }

  get isPageDone(): boolean {
    return this.isDone
  }

  get page(): readonly Placed[] {
    return this.#page.map(({ hit }) => hit)
  }

  get found(): number {
    return this.isDone
      ? this.#found
      : this.#read.reduce((sum, rows) => sum + rows.filter(({ isHit }) => isHit).length, 0)
  }

  partsOf(wanted: Placed): ScoreParts | undefined {
    if (this.#options.words === null) return undefined
    return this.#page.find(({ hit }) => hit.searched === wanted.searched && hit.index === wanted.index)?.parts
  }

  async step(): Promise<void> {
    const searched = this.#searches[this.#at]
    if (!searched) return
    const { candidates, verifier, catalogue } = searched
    const batch = candidates.subarray(this.#looked, this.#looked + verifier.size)
    const { isHit, texts } = await verifier.verify(batch, true)
    batch.forEach((index, at) => {
      const fields = texts.get(catalogue.rows[index] as number)
      if (fields) this.#read[this.#at]?.push(this.#count(searched, index, fields, isHit[at] ?? false))
    })
    this.#looked += batch.length
    this.scanned += batch.length
    if (this.#looked === candidates.length) {
      this.#at += 1
      this.#looked = 0
    }
    if (this.isDone) this.#rank()
  }

  #count({ corpus, plan }: Searched, index: number, fields: Fields, isHit: boolean): Read {
    const weights = weightsOf(corpus.kind === 'message' ? 'messages' : 'summaries')
    const forms = new Map<string, number>()
    let tokens = 0
    fields.forEach((field, at) => {
      const counted = plan.counter?.count(field)
      tokens += counted?.tokens ?? 0
      const add = (key: string, count: number): Map<string, number> =>
        forms.set(key, (forms.get(key) ?? 0) + count * (weights[at] ?? 1))
      counted?.terms.forEach(({ counts, first }, term) => {
        for (const [form, count] of counts) add(`${term} ${form}`, count)
        if (first !== null && this.#speakers.has(term)) add(`${BEGINNING}${term} ${first}`, 1)
      })
    })
    const hasLiteral = this.#literals?.matches(fields) ?? false
    const small = this.#pairs.length === 0 ? [] : fields.map(smallLetters)
    const pairs = this.#pairs.map((pair) => small.some((text) => holdsPair(text, pair)))
    return { index, tokens, forms, isHit, hasLiteral, pairs }
  }

  #rank(): void {
    const isTelling = this.#telling()
    const pairs = this.#tellingPairs()
    const { near, first } = this.#options
    const bases = this.#read.map((read) => withPairs(wordScores(read, isTelling), read, pairs))
    const scale = bases.reduce((most, base) => base.values().reduce((a, b) => Math.max(a, b), most), 0)
    const scored = this.#searches.flatMap((searched, at): Scored[] => {
      const read = this.#read[at] ?? []
      const base = bases[at] ?? new Map<number, number>()
      const meaning = meanings(searched, near, scale)
      const hasWord = (one: Read): boolean =>
        one.isHit && (one.hasLiteral || pairs.some((pair) => one.pairs[pair]) || [...one.forms.keys()].some(isTelling))
      const hits = read.filter((one) => hasWord(one) || meaning.has(one.index))
      this.#found += hits.length
      const isSimple = this.#options.words === null
      const share = (index: number): number => (isSimple ? 1 : ownShare(searched, index))
      const own = new Map(hits.map(({ index }) => [index, (base.get(index) ?? 0) * share(index)]))
      const withAll = isSimple || first === 'best' ? null : this.#withAll(searched, hits, isTelling, pairs)
      const { scores, partsOf } = isSimple
        ? plainly(own)
        : lifted(searched, own, { withAll, lifts: new Map(), meaning })
      return hits.map(({ index }) => ({
        hit: { searched, index },
        score: scores.get(index) ?? 0,
        parts: partsOf(index),
      }))
    })
    const isNew = ({ hit }: Scored): boolean => !this.#options.seen[hit.searched.corpus.kind]?.has(rowOf(hit))
    this.#page = scored
      .filter(isNew)
      .sort((a, b) => b.score - a.score || a.hit.searched.order - b.hit.searched.order || b.hit.index - a.hit.index)
      .slice(0, this.#options.limit)
    this.#read.length = 0
  }

  /** The words of the question, by their terms. */
  #terms(): AskedWord[] {
    return (this.#options.words ?? []).flatMap((word) => rankedTerms(word.expression).map(() => word))
  }

  /** Returns whether a form belongs to a word that tells something, or is that of a speaker at the beginning. */
  #telling(): (form: string) => boolean {
    if (this.#options.words === null) return () => true
    const rows = new Map<string, number>()
    for (const { forms } of this.#read.flat())
      for (const form of forms.keys()) rows.set(form, (rows.get(form) ?? 0) + 1)
    const found = this.#terms().map((word, term) => ({
      term,
      word,
      rows: isLiteral(word)
        ? 1
        : Math.max(0, ...Array.from(rows, ([form, count]) => (form.startsWith(`${term} `) ? count : 0))),
    }))
    const words = found.filter(({ word }) => !isPair(word))
    const known = tellingWords(words, this.rows, this.#options.isAsked)
    const telling = new Set(known.map(({ term }) => term))
    const begun = (term: number): number =>
      this.#read.flat().filter(({ forms }) => forms.keys().some((form) => form.startsWith(`${BEGINNING}${term} `)))
        .length
    const speakers = new Set(known.flatMap(({ term, rows: all }) => (isSpeaker(all, begun(term)) ? [term] : [])))
    return (form) =>
      form.startsWith(BEGINNING) ? speakers.has(Number.parseInt(form.slice(1), 10)) : telling.has(termOf(form))
  }

  /** The pairs of characters that tell something. */
  #tellingPairs(): readonly number[] {
    const all = this.#read.flat()
    const found = this.#pairs.map((word, pair) => ({ pair, word, rows: all.filter((one) => one.pairs[pair]).length }))
    return tellingWords(found, this.rows, this.#options.isAsked).map(({ pair }) => pair)
  }

  /** The rows with all telling words, ascending, when there are several. */
  #withAll(
    { catalogue }: Searched,
    hits: readonly Read[],
    isTelling: (form: string) => boolean,
    pairs: readonly number[],
  ): Float64Array {
    const termsOf = (one: Read): Set<number> =>
      new Set([
        ...[...one.forms.keys()].filter((form) => !form.startsWith(BEGINNING) && isTelling(form)).map(termOf),
        // Terms are counted upwards from 0.
        ...pairs.filter((pair) => one.pairs[pair]).map((pair) => -1 - pair),
      ])
    const all = new Set(this.#read.flat().flatMap((one) => [...termsOf(one)]))
    if (all.size < 2) return NO_ROWS
    const rows = hits
      .filter((hit) => termsOf(hit).size === all.size)
      .map(({ index }) => catalogue.rows[index] as number)
    return Float64Array.from(rows).sort()
  }
}

const termOf = (form: string): number => Number.parseInt(form, 10)

const isLiteral = ({ expression }: AskedWord): boolean =>
  expression.kind === 'term' && expression.term.kind === 'literal'

const isPair = ({ pairAfter }: AskedWord): boolean => pairAfter !== null

/** As the index of trigrams finds it: at the end of a text only behind the character before it (see `TextIndex.pairs`). */
function holdsPair(small: string, { text, pairAfter }: AskedWord): boolean {
  const at = small.indexOf(text)
  if (at < 0) return false
  return at + text.length < small.length || (pairAfter !== '' && small.endsWith(`${pairAfter}${text}`))
}

const anyOf = (words: readonly AskedWord[]): ExpressionMatcher | null =>
  words.length === 0 ? null : new ExpressionMatcher({ kind: 'any', of: words.map(({ expression }) => expression) })

/** Adds what pairs of characters count to the rows that have them. */
function withPairs(base: Map<number, number>, read: readonly Read[], pairs: readonly number[]): Map<number, number> {
  for (const pair of pairs) {
    const holding = read.filter((one) => one.pairs[pair])
    const score = rarity(holding.length, read.length)
    for (const { index } of holding) base.set(index, (base.get(index) ?? 0) + score)
  }
  return base
}

const plainly = (scores: ReadonlyMap<number, number>) => ({
  scores,
  partsOf: (index: number): ScoreParts => ({
    words: scores.get(index) ?? 0,
    neighbours: 0,
    summary: 0,
    hasAll: false,
  }),
})

/** What words count, by index. */
function wordScores(read: readonly Read[], isTelling: (form: string) => boolean): Map<number, number> {
  const occurrences = read.map(({ forms }) => {
    const words = new Map<string | number, number>()
    for (const [form, count] of forms) {
      // All forms of a word are one word.
      const word = form.startsWith(BEGINNING) ? form : termOf(form)
      if (isTelling(form)) words.set(word, (words.get(word) ?? 0) + count)
    }
    return words
  })
  const rows = new Map<string | number, number>()
  for (const words of occurrences) for (const word of words.keys()) rows.set(word, (rows.get(word) ?? 0) + 1)
  const average = Math.max(1e-9, read.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, read.length))
  const scoreOf = (tokens: number, words: ReadonlyMap<string | number, number>): number =>
    Array.from(words, ([word, count]) =>
      wordScore(rarity(rows.get(word) ?? 0, read.length), density(count, tokens / average)),
    ).reduce((sum, score) => sum + score, 0)
  return new Map(read.map(({ index, tokens }, at) => [index, scoreOf(tokens, occurrences[at] ?? new Map())]))
}
