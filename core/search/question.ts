import { ROLES } from '../contract/ids.ts'
import { stemsOf } from '../sqlite/stems.ts'
import type { RankedRows, TextIndex } from './corpus.ts'
import { rankedTerms, rankingMatch } from './index-expression.ts'
import { ExpressionMatcher } from './matcher.ts'
import type { Nearness } from './meaning/nearness.ts'
import { expressionPlan, type Plan } from './plan.ts'
import { type Expression, SPACELESS_RUNS, type Term, termsOfProse } from './query.ts'
import type { Rank, Ranked, ScoreParts } from './ranking.ts'
import { hasRow, intersection, NO_ROWS, type RowSet, union } from './row-set.ts'
import type { Searched } from './search.ts'

/*
 * How a question is answered: by any of its words, in any form with the same stem, the best first. A hit is lifted by
 * its neighbours in the conversation and by the summary that covers it. What is measured of it stands in
 * docs/decisions/0053-search-on-fts5.md.
 */

/** At most this many words are searched for, the rarest first. */
const MOST_WORDS = 12
/** A word in more rows than this, and in more than this share of all rows, tells nothing. */
const COMMON_ROWS = 20
const COMMON_SHARE = 0.3
/** As many rows may all the words have together. The rarest words are searched for in any case. */
const ASKED = { mostRows: 60_000, leastWords: 3 } as const
/** The same for words that were not meant as a question and stand nowhere together: somebody may be typing. */
const TRIED = { mostRows: 20_000, leastWords: 1 } as const

/** The output of a tool holds many words and answers few questions. */
const TOOL_SHARE = 0.4
const TOOL = ROLES.indexOf('tool')
/**
 * A word that begins at least this share of the texts that have it, and so many, is the name of a speaker, as in
 * "Anna: …". What she said comes before what was said to her. A word in more rows than these is not looked at.
 */
const SPEAKER_SHARE = 0.5
const SPEAKER_TEXTS = 3
const SPEAKER_ROWS = 10_000
/** How much of the score of its neighbours a message gets: of the next ones, and of those behind them. */
const NEIGHBOUR_SHARES = [0.25, 0.125] as const
/** How much of the score of the summary that covers it a message gets. */
const SUMMARY_SHARE = 0.3
/** So many summaries lift what they cover. */
const SUMMARIES = 200
/** How much of the score of the best row by words the row gets that says most nearly what the question says. */
const MEANING_SHARE = 0.5
/** Above every score by words. */
const HAS_ALL = 1000

/** A word of a question, as it was typed. */
export type AskedWord = {
  readonly text: string
  readonly expression: Expression
  /** Which of the typed words it comes from. */
  readonly typed: number
  /**
   * Set for two neighbouring characters of a script that writes no spaces between words: the character before them, or
   * an empty text.
   */
  readonly pairAfter: string | null
}

/** Returns the words that a question consists of; each of them in every form with its stem. */
export function askedWords(terms: readonly Term[]): AskedWord[] {
  const words = terms.map(withoutGenitive).flatMap((term, typed): AskedWord[] => {
    const pairs = pairsIn(term).map((pair) => ({ ...pair, typed }))
    if (term.kind !== 'literal' || pairs.length === 0 || pairs[0]?.text === term.text) return [askedWord(term, typed)]
    const rest = termsOfProse(term.text.replaceAll(SPACELESS_RUNS, ' ')).filter(({ kind }) => kind === 'words')
    return [...pairs, ...rest.map((other) => askedWord(other, typed))]
  })
  return [...new Map(words.map((word) => [JSON.stringify(word.expression), word])).values()]
}

function askedWord(term: Term, typed: number): AskedWord {
  const text = term.kind === 'words' ? term.tokens.join(' ') : term.kind === 'literal' ? term.text : term.stem
  const isWord = term.kind === 'words' && term.tokens.length === 1 && !term.isPrefix
  const [stem = text] = isWord ? stemsOf([text]) : [text]
  // A word without a stem of its own is found as it is.
  const isStemmed = isWord && /^[a-z]{3,}$/.test(text)
  return { text, expression: { kind: 'term', term: isStemmed ? stemTerm(stem) : term }, typed, pairAfter: null }
}

/** Chinese and Japanese write sentences in one piece: what answers has few of its characters side by side. */
function pairsIn(term: Term): Omit<AskedWord, 'typed'>[] {
  if (term.kind !== 'literal') return []
  return (term.text.match(SPACELESS_RUNS) ?? []).flatMap((run) => {
    const characters = [...run]
    return characters.slice(1).map((character, at) => {
      const text = `${characters[at]}${character}`
      const expression: Expression = { kind: 'term', term: { kind: 'literal', text } }
      return { text, expression, pairAfter: characters[at - 1] ?? '' }
    })
  })
}

/** Returns how many words were typed: a sentence in Chinese is one, whatever it is searched for by. */
export const typedWords = (words: readonly AskedWord[]): number => new Set(words.map(({ typed }) => typed)).size

/** `Anna's` asks for Anna: what answers seldom has the genitive. */
function withoutGenitive(term: Term): Term {
  const [, word] = (term.kind === 'literal' && /^([\p{L}\p{N}]+)['’]s$/u.exec(term.text)) || []
  const [only, ...more] = word === undefined ? [] : termsOfProse(word)
  return only && more.length === 0 ? only : term
}

/** Returns what finds any of the words of a text, in every form with the same stem. */
export const proseMatcher = (text: string): ExpressionMatcher =>
  new ExpressionMatcher({ kind: 'any', of: askedWords(termsOfProse(text)).map(expressionOf) })

/** Words with one stem begin with it, but for the end that the stemmer rewrites: `happy`, `possibility`. */
const stemTerm = (stem: string): Term => ({ kind: 'stem', stem, beginning: stem.replace(/[ie]$|(?<=b)le?$/, '') })

/** A word with the forms of it that an index contains, and the number of rows with the commonest of them. */
export type FoundWord = {
  readonly word: AskedWord
  readonly indexed: Expression
  readonly rows: number
  /** Of a pair of characters: the rows that have it. */
  readonly pairs?: ReadonlyMap<TextIndex, Float64Array>
}

/**
 * Looks a word up in the indexes of all corpora that are searched. What is searched for by its letters is taken for
 * rare: the index of words does not know where it stands.
 */
export function foundWord(word: AskedWord, indexes: readonly TextIndex[]): FoundWord {
  const { expression, pairAfter } = word
  if (pairAfter !== null) {
    const pairs = new Map(indexes.map((index) => [index, index.pairs(word.text, pairAfter) ?? NO_ROWS]))
    return { word, indexed: expression, rows: pairs.values().reduce((sum, { length }) => sum + length, 0), pairs }
  }
  if (expression.kind !== 'term' || expression.term.kind === 'literal') return { word, indexed: expression, rows: 1 }
  const { term } = expression
  const rows = new Map<string, number>()
  for (const index of indexes) {
    if (term.kind === 'stem') {
      const known = index.wordsWith(term.beginning)
      const stems = stemsOf(known.map((one) => one.word))
      for (const [at, one] of known.entries()) {
        if (stems[at] === term.stem) rows.set(one.word, (rows.get(one.word) ?? 0) + one.rows)
      }
    } else rows.set('', (rows.get('') ?? 0) + index.rows(rankingMatch(expression) ?? '', null).length)
  }
  const forms = [...rows.keys()].map(
    (form): Expression => ({
      kind: 'term',
      term: { kind: 'words', tokens: [form], isPrefix: false },
    }),
  )
  const indexed: Expression = term.kind === 'stem' ? { kind: 'any', of: forms } : expression
  return { word, indexed, rows: Math.max(0, ...rows.values()) }
}

/**
 * Returns the words that are searched for: those that stand somewhere, without those that stand nearly everywhere.
 * @param total the number of rows
 * @param isAsked false when the words are taken for a question only because they stand nowhere together
 */
export function tellingWords<Word extends { readonly rows: number }>(
  words: readonly Word[],
  total: number,
  isAsked: boolean,
): Word[] {
  const { mostRows, leastWords } = isAsked ? ASKED : TRIED
  const known = words.filter(({ rows }) => rows > 0)
  const rare = known.filter(({ rows }) => rows <= Math.max(COMMON_ROWS, total * COMMON_SHARE))
  const rarestFirst = (rare.length > 0 ? rare : known).toSorted((a, b) => a.rows - b.rows).slice(0, MOST_WORDS)
  let sum = 0
  return rarestFirst.filter(({ rows }, at) => {
    sum += rows
    return at < leastWords || sum <= mostRows
  })
}

/** Whether a word may be a name by itself: what is searched for by its letters, or not typed to its end, is none. */
export const mayBeSpeaker = ({ expression }: AskedWord): boolean =>
  expression.kind === 'term' &&
  (expression.term.kind === 'stem' ||
    (expression.term.kind === 'words' && expression.term.tokens.length === 1 && !expression.term.isPrefix))

/**
 * Whether a word is the name of a speaker.
 * @param begun how many rows it begins
 */
export const isSpeaker = (rows: number, begun: number): boolean =>
  rows <= SPEAKER_ROWS && begun >= Math.max(SPEAKER_TEXTS, rows * SPEAKER_SHARE)

/** Returns what finds the texts that begin with a speaker's name, for FTS5. */
function spoken(words: readonly FoundWord[], indexes: readonly TextIndex[]): string[] {
  return words.flatMap(({ word, indexed, rows }) => {
    if (rows > SPEAKER_ROWS || !mayBeSpeaker(word)) return []
    const beginning = rankedTerms(indexed).flatMap((term) =>
      term.kind === 'words' ? `^"${term.tokens.join(' ')}"` : [],
    )
    if (beginning.length === 0) return []
    const match = beginning.join(' OR ')
    const begun = indexes.reduce((sum, index) => sum + index.rows(match, null).length, 0)
    return isSpeaker(rows, begun) ? beginning : []
  })
}

/** The plan of a question that is answered by indexes. */
export type QuestionPlan = { readonly plan: Plan; readonly words: readonly AskedWord[]; readonly rank: Rank }

export type QuestionOptions = {
  /** The words that are searched for. */
  readonly words: readonly FoundWord[]
  /** All words of the question. */
  readonly asked: readonly AskedWord[]
  /** The indexes of all corpora that are searched. */
  readonly indexes: readonly TextIndex[]
  readonly summaries: TextIndex
  /** Returns the messages that summaries cover, by the row of the summary. */
  readonly covered: (summaryRows: readonly number[]) => ReadonlyMap<number, readonly number[]>
  /** What the question finds by what it says. */
  readonly near: Nearness['rows']
}

export function questionPlan({ words, asked, indexes, summaries, covered, near }: QuestionOptions): QuestionPlan {
  const any = (of: readonly Expression[]): Expression => ({ kind: 'any', of })
  const pairs = words.flatMap((word) => word.pairs ?? [])
  const texts = words.filter((word) => !word.pairs)
  const indexed = any(texts.map((word) => word.indexed))
  const hasNear = near.message.size + near.summary.size > 0
  const ofWords = expressionPlan(
    any((words.length > 0 ? words.map(({ word }) => word) : asked).map(expressionOf)),
    indexed,
  )
  const plan: Plan = {
    ...ofWords,
    ranking: texts.length > 0 && ofWords.ranking ? [ofWords.ranking, ...spoken(texts, indexes)].join(' OR ') : null,
    // The index does not know what is found by its meaning.
    exact: texts.length > 0 && pairs.length === 0 && !hasNear ? ofWords.exact : null,
    candidates: (index, kind, range) => {
      const found = texts.length > 0 ? ofWords.candidates(index, kind, range) : { rows: NO_ROWS, certain: NO_ROWS }
      const others = pairs.map((rowsOf) => rowsOf.get(index) ?? NO_ROWS)
      if (near[kind].size > 0) others.push(Float64Array.from(near[kind].keys()).sort())
      return others.reduce((before, all) => {
        const rows = range === null ? all : all.filter((row) => row >= range.first && row <= range.last)
        return { rows: union(before.rows, rows), certain: union(before.certain, rows) ?? NO_ROWS }
      }, found)
    },
    needsNeighbours: true,
  }
  const best = bestOnce(plan.ranking)
  const all = words.length < 2 || texts.length === 0 ? null : matchOfAll(texts.map((word) => word.indexed))
  const rowsWithAll = (index: TextIndex): Float64Array | null => {
    if (words.length < 2 || (all === null && (texts.length > 0 || pairs.length === 0))) return null
    const withTexts: RowSet = all === null ? null : index.rows(all, null)
    return pairs.reduce<RowSet>((rows, rowsOf) => intersection(rows, rowsOf.get(index) ?? NO_ROWS), withTexts)
  }
  const rank: Rank = (searched, limit) => {
    if (!searched.index) return { scores: new Map(), floor: null }
    // What the meaning of a row counts depends on the best row by words, whether or not filters allow that one.
    const { rows, scores } = hasNear
      ? best(searched.index, limit)
      : bestIn(searched.index, plan.ranking, limit, searched.fewRanked)
    const base = baseScores(searched, rows, scores)
    for (const rowsOf of pairs) addPair(base, searched, rowsOf.get(searched.index) ?? NO_ROWS)
    const withAll = rowsWithAll(searched.index)
    const lifts =
      searched.corpus.kind === 'message' && plan.ranking !== null
        ? summaryLifts(plan.ranking, summaries, covered)
        : new Map()
    const floor = rows.length === limit ? (scores.at(-1) as number) : null
    const scale = hasNear ? Math.max(...indexes.map((index) => best(index, limit).scores[0] ?? 0)) : 0
    return { ...lifted(searched, base, { withAll, lifts, meaning: meanings(searched, near, scale) }), floor }
  }
  return { plan, words: words.map(({ word }) => word), rank }
}

const expressionOf = ({ expression }: AskedWord): Expression => expression

/** @param among see `TextIndex.best` */
const bestIn = (index: TextIndex, match: string | null, limit: number, among: Float64Array | null): RankedRows =>
  match === null ? { rows: NO_ROWS, scores: NO_ROWS } : index.best(match, limit, among)

/** Asks an index for its best rows once, however many corpora need them. */
function bestOnce(match: string | null): (index: TextIndex, limit: number) => RankedRows {
  const known = new Map<TextIndex, { readonly limit: number; readonly found: RankedRows }>()
  return (index, limit) => {
    const before = known.get(index)
    if (before?.limit === limit) return before.found
    const found = bestIn(index, match, limit, null)
    known.set(index, { limit, found })
    return found
  }
}

/**
 * What rows get for what they say, by index: the nearest as much as the best row gets for its words, or 1 when no row
 * has any.
 * @param scale the score of the best row by its words
 */
export function meanings(
  { corpus, catalogue, isCandidate }: Pick<Searched, 'corpus' | 'catalogue' | 'isCandidate'>,
  near: Nearness['rows'],
  scale: number,
): ReadonlyMap<number, number> {
  const unit = MEANING_SHARE * (scale > 0 ? scale : 1)
  const places = Array.from(near[corpus.kind], ([row, nearness]) => [catalogue.indexOf(row), unit * nearness] as const)
  return new Map(places.filter(([index]) => index >= 0 && isCandidate(index)))
}

function matchOfAll(words: readonly Expression[]): string | null {
  const matches = words.map((word) => {
    const forms = rankedTerms(word)
    return forms.length === 0 ? null : rankingMatch({ kind: 'any', of: forms.map((term) => ({ kind: 'term', term })) })
  })
  return matches.includes(null) ? null : matches.map((match) => `(${match})`).join(' AND ')
}

/** The scores of the candidates by their own words. */
function baseScores(searched: Searched, rows: Float64Array, scores: Float64Array): Map<number, number> {
  const { catalogue, isCandidate } = searched
  const base = new Map<number, number>()
  rows.forEach((row, at) => {
    const index = catalogue.indexOf(row)
    if (isCandidate(index)) base.set(index, (scores[at] as number) * ownShare(searched, index))
  })
  return base
}

/** Adds what a pair of characters counts to the rows that have it. */
function addPair(base: Map<number, number>, searched: Searched, rows: Float64Array): void {
  const { catalogue, isCandidate } = searched
  const score = rarity(rows.length, catalogue.length)
  for (const row of rows) {
    const index = catalogue.indexOf(row)
    if (isCandidate(index)) base.set(index, (base.get(index) ?? 0) + score * ownShare(searched, index))
  }
}

/** How much a word tells that stands in some of all rows, as `bm25()` counts it. */
export const rarity = (holding: number, all: number): number =>
  Math.max(1e-6, Math.log((all - holding + 0.5) / (holding + 0.5)))

/** How much the words of a row count. */
export function ownShare({ corpus, catalogue }: Pick<Searched, 'corpus' | 'catalogue'>, index: number): number {
  return corpus.kind === 'message' && catalogue.groups[index] === TOOL ? TOOL_SHARE : 1
}

/** What summaries add to the messages that they cover, by the row of the message. */
function summaryLifts(
  match: string,
  summaries: TextIndex,
  covered: (summaryRows: readonly number[]) => ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, number> {
  const { rows, scores } = summaries.best(match, SUMMARIES, null)
  const lifts = new Map<number, number>()
  const messages = covered([...rows])
  rows.forEach((row, at) => {
    for (const message of messages.get(row) ?? []) {
      lifts.set(message, Math.max(lifts.get(message) ?? 0, (scores[at] as number) * SUMMARY_SHARE))
    }
  })
  return lifts
}

/** What lifts rows beside their own words. */
export type Lifts = {
  /** The rows with all words, ascending. */
  readonly withAll: Float64Array | null
  /** What summaries add to the messages that they cover, by the row of the message. */
  readonly lifts: ReadonlyMap<number, number>
  /** What rows get for what they say, by index. */
  readonly meaning: ReadonlyMap<number, number>
}

/** Adds what rows say, and what their neighbours and the covering summary say. */
export function lifted(
  { catalogue }: Pick<Searched, 'catalogue'>,
  base: ReadonlyMap<number, number>,
  { withAll, lifts, meaning }: Lifts,
): Pick<Ranked, 'scores'> & { readonly partsOf: (index: number) => ScoreParts } {
  const { before, after } = catalogue.neighbours
  const own = (index: number): number => (base.get(index) ?? 0) + (meaning.get(index) ?? 0)
  const neighbours = (index: number): number => {
    let sum = 0
    let [previous, next] = [index, index]
    for (const share of NEIGHBOUR_SHARES) {
      previous = before[previous] ?? -1
      next = after[next] ?? -1
      sum += share * (own(previous) + own(next))
    }
    return sum
  }
  const partsOf = (index: number): ScoreParts => {
    const row = catalogue.rows[index] as number
    return {
      words: base.get(index) ?? 0,
      ...(meaning.size > 0 && { meaning: meaning.get(index) ?? 0 }),
      neighbours: neighbours(index),
      summary: lifts.get(row) ?? 0,
      hasAll: withAll !== null && hasRow(withAll, row),
    }
  }
  const scores = new Map<number, number>()
  for (const index of new Set([...base.keys(), ...meaning.keys()])) {
    const { words, meaning: said = 0, neighbours: near, summary, hasAll } = partsOf(index)
    scores.set(index, words + said + near + summary + (hasAll ? HAS_ALL : 0))
  }
  return { scores, partsOf }
}
