import type { TextIndex } from './corpus.ts'
import { wordMatch } from './index-expression.ts'
import type { Term } from './query.ts'
import type { RowSet } from './row-set.ts'
import { TrigramRows } from './trigram-rows.ts'

/** What an index says about one term. */
export type TermRows = {
  /** The rows that may contain the term, or null when each row may. */
  readonly rows: RowSet
  /** How often the term stands in each of the rows, or null when it counts once. */
  readonly counts: Uint16Array | null
  /** True when all of the rows contain the term, false when only some of them may. */
  readonly isCertain: boolean
}

/** Asks an index for each term of a question only once. */
export class TermLookup {
  readonly index: TextIndex
  readonly trigrams: TrigramRows
  readonly #known = new Map<string, TermRows>()

  constructor(index: TextIndex) {
    this.index = index
    this.trigrams = new TrigramRows({
      rows: (trigram) => index.trigram(trigram),
      match: (query) => index.trigrams(query),
    })
  }

  of(term: Term): TermRows {
    const key = JSON.stringify(term)
    const rows = this.#known.get(key) ?? this.#ask(term)
    this.#known.set(key, rows)
    return rows
  }

  #ask(term: Term): TermRows {
    if (term.kind === 'literal') {
      return { rows: this.trigrams.holding(term.text), counts: null, isCertain: false }
    }
    const [token = '', second] = term.tokens
    if (second === undefined) return { ...this.index.postings(token, term.isPrefix), isCertain: true }
    const match = wordMatch({ kind: 'term', term }) ?? ''
    return { rows: this.index.words(match), counts: null, isCertain: true }
  }
}
