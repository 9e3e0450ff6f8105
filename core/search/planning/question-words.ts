import { stemsOf } from '#core/sqlite/stems.ts'
import { isAscii } from '#core/text.ts'
import type { TextIndex } from '../indexes/corpus.ts'
import { NO_ROWS } from '../indexes/row-set.ts'
import { rankedTerms, rankingMatch } from '../query/index-expression.ts'
import { ExpressionMatcher } from '../query/matcher.ts'
import { type Expression, spacelessRuns, type Term, termsOfProse } from '../query/query.ts'

/*
 * The words of a question, and which of them are searched for. What is measured of it stands in
 * docs/decisions/0010-search.md.
 */

/** At most this many words are searched for, the rarest first. */
const MOST_WORDS = 12
/** A word in more rows than this, and in more than this share of all rows, tells nothing. */
const COMMON_ROWS = 20
const COMMON_SHARE = 0.3
/** As many rows may all the words have together. The rarest words are searched for in any case. */
const ASKED = { mostRows: 60_000, leastWords: 2 } as const
/** The same for words that were not meant as a question and stand nowhere together: somebody may be typing. */
const TRIED = { mostRows: 20_000, leastWords: 1 } as const
/**
 * A word that begins at least this share of the texts that have it, and so many, is the name of a speaker, as in
 * "Anna: …". What she said comes before what was said to her. A word in more rows than these is not looked at.
 */
const SPEAKER_SHARE = 0.5
const SPEAKER_TEXTS = 3
const SPEAKER_ROWS = 10_000

/** English words that make a sentence and do not say what it is about. Those with `n't` and `'ve` count like them. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being both but by ca can could did do does
  doing done each either every for from get gets got had has have having he her here him his how however i if in
  instead into is it its just many may me might more most much must my neither no nor not of on once only or other our
  out over own same shall she should since so some such than that the their them then there these they this those
  though through to too until up upon us very was we were what when where whether which while who whom whose why will
  with without wo would yet you your`.split(/\s+/),
)

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
  /** True for a word that does not say what is asked for. */
  readonly isFunctionWord: boolean
}

export const expressionOf = ({ expression }: AskedWord): Expression => expression

/** Returns the words that a question consists of; each of them in every form with its stem. */
export function askedWords(terms: readonly Term[]): AskedWord[] {
  const words = terms.map(withoutGenitive).flatMap((term, typed): AskedWord[] => {
    const pairs = pairsIn(term).map((pair) => ({ ...pair, typed }))
    if (term.kind !== 'literal' || pairs.length === 0 || pairs[0]?.text === term.text) return [askedWord(term, typed)]
    const rest = termsOfProse(term.text.replaceAll(spacelessRuns(), ' ')).filter(({ kind }) => kind === 'words')
    return [...pairs, ...rest.map((other) => askedWord(other, typed))]
  })
  return [...new Map(words.map((word) => [JSON.stringify(word.expression), word])).values()]
}

function askedWord(term: Term, typed: number): AskedWord {
  const text = term.kind === 'words' ? term.tokens.join(' ') : term.kind === 'literal' ? term.text : term.stem
  const isWord = term.kind === 'words' && term.tokens.length === 1 && !isPrefix(term)
  const [stem = text] = isWord ? stemsOf([text]) : [text]
  // A word without a stem of its own is found as it is.
  const isStemmed = isWord && /^[a-z]{3,}$/.test(text)
  return {
    text,
    expression: { kind: 'term', term: isStemmed ? stemTerm(stem) : term },
    typed,
    pairAfter: null,
    isFunctionWord: !isPrefix(term) && FUNCTION_WORDS.has(text.replace(/n?['’]t$|['’](?:d|ll|m|re|ve)$/, '')),
  }
}

const isPrefix = (term: Term): boolean => term.kind === 'words' && term.isPrefix

/** Chinese and Japanese write sentences in one piece: what answers has few of its characters side by side. */
function pairsIn(term: Term): Omit<AskedWord, 'typed'>[] {
  if (term.kind !== 'literal' || isAscii(term.text)) return []
  return (term.text.match(spacelessRuns()) ?? []).flatMap((run) => {
    const characters = [...run]
    return characters.slice(1).map((character, at) => {
      const text = `${characters[at]}${character}`
      const expression: Expression = { kind: 'term', term: { kind: 'literal', text } }
      return { text, expression, pairAfter: characters[at - 1] ?? '', isFunctionWord: false }
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

/**
 * Returns what finds the words that say what a question is about, in every form with the same stem. Where all of them
 * only make a sentence, it finds all.
 */
export function subjectMatcher(question: string): ExpressionMatcher {
  const words = askedWords(termsOfProse(question))
  const subjects = words.filter(({ isFunctionWord }) => !isFunctionWord)
  return new ExpressionMatcher({ kind: 'any', of: (subjects.length > 0 ? subjects : words).map(expressionOf) })
}

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
 * Returns the words that are searched for: those that stand somewhere and say what is asked for, without those that
 * stand nearly everywhere.
 * @param total the number of rows
 * @param isAsked false when the words are taken for a question only because they stand nowhere together
 */
export function tellingWords<Word extends { readonly rows: number; readonly word: AskedWord }>(
  words: readonly Word[],
  total: number,
  isAsked: boolean,
): Word[] {
  const { mostRows, leastWords } = isAsked ? ASKED : TRIED
  const all = words.filter(({ rows }) => rows > 0)
  const subjects = all.filter(({ word }) => !word.isFunctionWord)
  const known = subjects.length > 0 ? subjects : all
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

/** Returns what finds the texts that begin with a speaker's name. */
export function spoken(words: readonly FoundWord[], indexes: readonly TextIndex[]): string[] {
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
