import type { TextIndex } from './corpus.ts'
import { wordMatch } from './index-expression.ts'
import type { Term } from './query.ts'
import type { RowSet } from './row-set.ts'
import { TrigramRows } from './trigram-rows.ts'

/** What an index tells of one term. */
export type TermRows = {
  /** null: of each row it may be. */
  readonly rows: RowSet
  /** How often it stands in each of the rows; null: counted once, however often. */
  readonly counts: Uint16Array | null
  /** It stands in all of the rows; otherwise perhaps. */
  readonly isSure: boolean
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
      return { rows: this.trigrams.holding(term.text), counts: null, isSure: false }
    }
    const [token = '', second] = term.tokens
    if (second === undefined) return { ...this.index.postings(token, term.isPrefix), isSure: true }
    const match = wordMatch({ kind: 'term', term }) ?? ''
    return { rows: this.index.words(match), counts: null, isSure: true }
  }
}
