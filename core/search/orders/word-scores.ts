import type { RankedRows, TextIndex } from '../indexes/corpus.ts'
import { NO_LIMIT } from './ranking.ts'

/*
 * What the words of a question count in a row: Okapi BM25 with the constants of FTS5, where all forms of a word are one
 * word. For FTS5 each form is a word of its own, so that a rare form of a common word counts like a rare word.
 * https://www.sqlite.org/fts5.html#the_bm25_function
 */

const K1 = 1.2
const B = 0.75
/** A share of 1 would be an infinite number of occurrences. */
const LARGEST_SHARE = 0.9999

/** How much a word tells that stands in some of all rows. */
export const rarity = (holding: number, all: number): number =>
  Math.max(1e-6, Math.log((all - holding + 0.5) / (holding + 0.5)))

/**
 * How often a word stands in a row, in the unit that makes the second occurrence count as much less as BM25 wants.
 * @param length the number of tokens of the row, as a share of that of the average row
 */
export const density = (occurrences: number, length: number): number => occurrences / (K1 * (1 - B + B * length))

/** What a word counts. */
export const wordScore = (wordRarity: number, wordDensity: number): number =>
  (wordRarity * (K1 + 1) * wordDensity) / (1 + wordDensity)

/** Returns the density that gave a score. */
function densityOf(wordRarity: number, score: number): number {
  const share = Math.min(LARGEST_SHARE, score / (wordRarity * (K1 + 1)))
  return share / (1 - share)
}

/**
 * Returns the rows with what words count in them, not in the order of their scores.
 * @param ranked what `bm25()` gives the rows for all forms of all words. No score becomes higher than it was.
 * @param words the FTS5 queries for the forms of each
 * @param all the number of rows of the index
 */
export function withFormsAsOne(
  { rows, scores }: RankedRows,
  words: readonly (readonly string[])[],
  index: TextIndex,
  all: number,
): RankedRows {
  const corrected = new Map(Array.from(rows, (row, at) => [row, scores[at] as number]))
  const countOf = (match: string): number => index.count(match, null)
  for (const forms of words) {
    if (forms.length < 2 || rows.length === 0) continue
    const densities = new Map<number, number>()
    for (const form of forms) {
      const formRarity = rarity(countOf(form), all)
      const found = index.best(form, NO_LIMIT, rows)
      found.rows.forEach((row, at) => {
        const score = found.scores[at] as number
        densities.set(row, (densities.get(row) ?? 0) + densityOf(formRarity, score))
        corrected.set(row, (corrected.get(row) ?? 0) - score)
      })
    }
    const wordRarity = rarity(countOf(forms.join(' OR ')), all)
    for (const [row, of] of densities) corrected.set(row, (corrected.get(row) ?? 0) + wordScore(wordRarity, of))
  }
  return { rows, scores: Float64Array.from(rows, (row) => corrected.get(row) ?? 0) }
}
