import type { TextIndex } from './corpus.ts'
import { trigramMatch, wordMatch } from './index-expression.ts'
import type { Term } from './query.ts'
import type { RowSet } from './row-set.ts'

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
  readonly #known = new Map<string, TermRows>()

  constructor(index: TextIndex) {
    this.index = index
  }

  of(term: Term): TermRows {
    const key = JSON.stringify(term)
    const rows = this.#known.get(key) ?? this.#ask(term)
    this.#known.set(key, rows)
    return rows
  }

  #ask(term: Term): TermRows {
    if (term.kind === 'literal') {
      const match = trigramMatch(term.text)
      return { rows: match === null ? null : this.index.trigrams(match), counts: null, isSure: false }
    }
    const [token = '', second] = term.tokens
    if (second === undefined) return { ...this.index.postings(token, term.isPrefix), isSure: true }
    const match = wordMatch({ kind: 'term', term }) ?? ''
    return { rows: this.index.words(match), counts: null, isSure: true }
  }
}
