import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { type Doclist, DoclistCursor, mergedPostings, type Postings, RowTable } from './fts5-doclist.ts'
import { LeafPage, type Segment, STRUCTURE_ROW, segmentsOf, UnknownLayout } from './fts5-layout.ts'

/** The version of the layout that can be read here. */
const VERSION = 4

const queries = (table: string) => ({
  version: /* sql */ `SELECT CAST(v AS INTEGER) FROM ${table}_config WHERE k = 'version'`,
  structure: /* sql */ `SELECT block FROM ${table}_data WHERE id = ${STRUCTURE_ROW}`,
  /** Returns, for each segment, the page on which a term would stand. The list of pages names their first terms. */
  firstPages: /* sql */ `
    WITH place AS (
      SELECT
        key AS number,
        value ->> 0 AS segment,
        max(value ->> 1, coalesce((
          SELECT pgno >> 1 FROM ${table}_idx
          WHERE segid = value ->> 0 AND term <= :term
          ORDER BY term DESC
          LIMIT 1
        ), 0)) AS page
      FROM json_each(:segments)
    )
    SELECT number, page, block
    FROM place
    CROSS JOIN ${table}_data ON id = (segment << 37) + page
    ORDER BY number`,
  pages: /* sql */ `
    SELECT block FROM ${table}_data
    WHERE id BETWEEN (CAST(:segment AS INTEGER) << 37) + CAST(:first AS INTEGER)
      AND (CAST(:segment AS INTEGER) << 37) + CAST(:last AS INTEGER)
    ORDER BY id`,
})

/** Gets a term and a cursor over its rows, which is used again for the next term. Returns false to end the walk. */
type Visit = (term: Uint8Array, cursor: DoclistCursor) => boolean

/**
 * Reads which rows contain a word, and how often, directly from the pages of an FTS5 index. MATCH takes several times
 * as long to name the rows, and bm25() many times as long to count. It only reads, and only a layout that is known.
 */
export class Fts5Reader {
  readonly #db: ReadDb
  readonly #queries: ReturnType<typeof queries>
  readonly #hasPositions: boolean
  #isReadable: boolean | undefined

  /**
   * @param table an FTS5 table
   * @param hasPositions false for a table with detail = none
   */
  constructor(db: ReadDb, table: string, hasPositions: boolean) {
    this.#db = db
    this.#queries = queries(table)
    this.#hasPositions = hasPositions
  }

  /** Returns the rows of one token, or of all tokens with that prefix, or null when FTS5 itself must be asked. */
  postings(token: string, isPrefix: boolean): Postings | null {
    try {
      this.#isReadable ??= (this.#db.value<number>(this.#queries.version) ?? 0) === VERSION
      if (!this.#isReadable) return null
      // Terms of the main index begin with a zero; other digits mark prefix indexes.
      const term = Buffer.from(`0${token}`, 'utf8')
      return readSnapshot(this.#db, () => (isPrefix ? this.#prefix(term) : this.#term(term)))
    } catch (error) {
      if (!(error instanceof UnknownLayout)) throw error
      return null
    }
  }

  #segments(): Segment[] {
    const structure = this.#db.value<Uint8Array>(this.#queries.structure)
    if (!structure) throw new UnknownLayout('there is no list of segments')
    return segmentsOf(structure)
  }

  #term(term: Buffer): Postings {
    const lists: Doclist[] = []
    this.#walk(this.#segments(), term, false, (_, cursor) => {
      lists.push(cursor.rest())
      return true
    })
    return mergedPostings(lists)
  }

  #prefix(prefix: Buffer): Postings {
    const segments = this.#segments()
    const table = new RowTable()
    let isSimple = true
    this.#walk(segments, prefix, true, (_, cursor) => {
      isSimple = table.addRest(cursor)
      return isSimple
    })
    return isSimple ? table.postings() : this.#prefixTermByTerm(segments, prefix)
  }

  /**
   * When a newer segment deletes rows of an older one, the segments of each term are merged before terms are added up.
   */
  #prefixTermByTerm(segments: readonly Segment[], prefix: Buffer): Postings {
    const terms = new Map<string, Doclist[]>()
    this.#walk(segments, prefix, true, (term, cursor) => {
      const key = Buffer.from(term).toString('latin1')
      const lists = terms.get(key)
      if (lists) lists.push(cursor.rest())
      else terms.set(key, [cursor.rest()])
      return true
    })
    const table = new RowTable()
    for (const lists of terms.values()) table.add(mergedPostings(lists))
    return table.postings()
  }

  /** Visits the term, or each term with the prefix, segment by segment. */
  #walk(segments: readonly Segment[], wanted: Buffer, isPrefix: boolean, visit: Visit): void {
    const list = JSON.stringify(segments.map(({ id, first }) => [id, first]))
    const pages = this.#db.all<FirstPage>(this.#queries.firstPages, { term: wanted, segments: list })
    for (const { number, page, block } of pages) {
      const segment = segments[number]
      if (segment && !this.#walkSegment(segment, page, block, wanted, isPrefix, visit)) return
    }
  }

  #walkSegment(
    { id, last }: Segment,
    number: number,
    block: Uint8Array,
    wanted: Buffer,
    isPrefix: boolean,
    visit: Visit,
  ): boolean {
    const cursor = new DoclistCursor(this.#hasPositions)
    // The term whose rows continue after its page, with the pages on which they continue.
    let open: Uint8Array | null = null
    let rest: { bytes: Uint8Array; firstRow: number }[] = []
    for (const bytes of this.#pages(id, number, last, block)) {
      const page = new LeafPage(bytes)
      if (open) {
        rest.push({ bytes: bytes.subarray(4, page.terms[0] ?? page.end), firstRow: page.firstRow - 4 })
        if (page.terms.length === 0) continue
        cursor.extend(rest)
        rest = []
        if (!visit(open, cursor)) return false
        open = null
        if (!isPrefix) return true
      }
      for (const { start, end } of page.termsFrom(wanted, isPrefix)) {
        cursor.open(bytes.subarray(start, end))
        const { term } = page
        if (end === page.end) open = Uint8Array.from(term)
        else if (!visit(term, cursor)) return false
        else if (!isPrefix) return true
      }
      // The walk is past the last wanted term, or on the only page on which a single term can stand.
      if (!open && (page.isPast || !isPrefix)) return true
    }
    if (!open) return true
    cursor.extend(rest)
    return visit(open, cursor)
  }

  /** Yields the pages of a segment from one on. The content of the first is given. */
  *#pages(segment: number, first: number, last: number, block: Uint8Array): Generator<Uint8Array> {
    yield block
    const range = { segment, first: first + 1, last }
    for (const { block: next } of this.#db.iterate<{ block: Uint8Array }>(this.#queries.pages, range)) yield next
  }
}

type FirstPage = { readonly number: number; readonly page: number; readonly block: Uint8Array }
