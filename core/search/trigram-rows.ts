import { type Formula, formulaMatch, trigramMatch, trigramsOf } from './index-expression.ts'
import { intersection, NO_ROWS, type RowSet, union } from './row-set.ts'

/** Lists that are intersected for one text at most: what is left over is cheaper to look at than to read more lists. */
const MAX_LISTS = 4
/** So few rows are looked at at once. */
const FEW_ROWS = 64

/** Letters of English prose, the commonest first. */
const LETTERS = ' etaoinsrhldcumfpgwybvkxjqz'

export type TrigramSource = {
  /** Rows of one trigram in small letters, ascending; null when only `match` can be asked. */
  rows(trigram: string): Float64Array | null
  /** Rows of an FTS5 query for trigrams, ascending. */
  match(query: string): Float64Array
}

/** Finds the rows in which a text may stand, by the lists of its rarest trigrams. Reads each list once. */
export class TrigramRows {
  readonly #source: TrigramSource
  readonly #known = new Map<string, Float64Array | null>()

  constructor(source: TrigramSource) {
    this.#source = source
  }

  /** Rows that include all that hold the text; null when it is too short to tell. */
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

  /** Rows that include all that satisfy the formula; null when it says too little. */
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

/** The larger, the more rows hold the trigram, roughly. */
function commonness(trigram: string): number {
  let sum = 0
  for (const character of trigram) {
    const place = LETTERS.indexOf(character)
    sum += place >= 0 ? LETTERS.length - place : /[0-9]/.test(character) ? 8 : character < '\u0080' ? 5 : 0
  }
  return sum
}
