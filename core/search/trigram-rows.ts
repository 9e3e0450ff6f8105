import { type Formula, formulaMatch, trigramMatch, trigramsOf } from './index-expression.ts'
import { intersection, NO_ROWS, type RowSet, union } from './row-set.ts'

/**
 * At most this many lists are intersected for one text. Reading the remaining candidates is cheaper than reading more
 * lists.
 */
const MAX_LISTS = 4
/** So few candidates are verified without reading another list. */
const FEW_ROWS = 64

/** The letters of English prose, the commonest first. */
const LETTERS = ' etaoinsrhldcumfpgwybvkxjqz'

export type TrigramSource = {
  /** Returns the rows of one trigram in lower case, ascending, or null when only `match` can be asked. */
  rows(trigram: string): Float64Array | null
  /** Returns the rows, ascending, of an FTS5 query for trigrams. */
  match(query: string): Float64Array
}

/** Finds rows that may contain a text by the lists of its rarest trigrams. Each list is read once. */
export class TrigramRows {
  readonly #source: TrigramSource
  readonly #known = new Map<string, Float64Array | null>()

  constructor(source: TrigramSource) {
    this.#source = source
  }

  /** Returns rows that include all that contain the text, or null when the text is too short. */
  holding(text: string): RowSet {
    const trigrams = trigramsOf(text)
    if (trigrams.length === 0) return null
    const rarest = [...new Set(trigrams)].sort((a, b) => commonness(a) - commonness(b))
    let rows: RowSet = null
    for (const trigram of rarest.slice(0, MAX_LISTS)) {
      const list = this.#list(trigram)
      if (list === null) return this.#source.match(trigramMatch(text) ?? '')
      rows = intersection(rows, list)
      if ((rows?.length ?? 0) <= FEW_ROWS) break
    }
    return rows
  }

  /** Returns rows that include all that satisfy the formula, or null when the formula says too little. */
  satisfying(formula: Formula): RowSet {
    switch (formula.kind) {
      case 'anything':
        return null
      case 'text':
        return this.holding(formula.text)
      case 'all': {
        let rows: RowSet = null
        for (const part of formula.of) {
          rows = intersection(rows, this.satisfying(part))
          if (rows !== null && rows.length <= FEW_ROWS) break
        }
        return rows
      }
      case 'any':
        return formulaMatch(formula) === null
          ? null
          : formula.of.map((part) => this.satisfying(part)).reduce(union, NO_ROWS)
    }
  }

  #list(trigram: string): Float64Array | null {
    const known = this.#known.get(trigram)
    if (known !== undefined) return known
    const rows = this.#source.rows(trigram)
    this.#known.set(trigram, rows)
    return rows
  }
}

/** Returns a number that is larger for a trigram that more rows contain, roughly. */
function commonness(trigram: string): number {
  let sum = 0
  for (const character of trigram) {
    const rank = LETTERS.indexOf(character)
    sum += rank >= 0 ? LETTERS.length - rank : /[0-9]/.test(character) ? 8 : character < '\u0080' ? 5 : 0
  }
  return sum
}
