import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb, SqlParams } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { changeStamp } from '../systems/change-stamp.ts'
import { coversOfSummaries } from '../systems/covers.ts'
import type { TimeSlice } from '../yielding.ts'
import { type Catalogue, CatalogueBuilder } from './catalogue.ts'
import { type Corpus, coverOf, type HitRow, type TextIndex } from './corpus.ts'
import type { Fields } from './matcher.ts'

const queries = {
  catalogue: /* sql */ `SELECT summary_rowid, conversation_id, depth, created_at, token_count FROM summaries`,
  newest: /* sql */ `SELECT max(summary_rowid) FROM summaries`,
  excerpt: /* sql */ `
    SELECT summary_rowid, conversation_id, depth, created_at, token_count
    FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:ids))`,
  holding: /* sql */ `
    SELECT summary_rowid FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:ids)) AND instr(content, :text) > 0`,
  liking: /* sql */ `
    SELECT summary_rowid FROM summaries
    WHERE summary_rowid IN (SELECT value FROM json_each(:ids)) AND content LIKE :pattern ESCAPE char(92)`,
  texts: /* sql */ `
    SELECT summary_rowid, content FROM summaries WHERE summary_rowid IN (SELECT value FROM json_each(:ids))`,
  contents: /* sql */ `
    SELECT summary_id, content FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  hits: /* sql */ `
    SELECT
      s.summary_rowid AS row,
      s.summary_id AS id,
      ${shownValue('summaries.kind', 's')} AS kind,
      s.conversation_id AS conversationId,
      s.depth,
      s.created_at AS createdAtMs,
      EXISTS (
        SELECT 1 FROM context_items AS c
        WHERE c.summary_id = s.summary_id AND c.conversation_id = s.conversation_id
      ) AS inWindow
    FROM summaries AS s
    WHERE s.summary_rowid IN (SELECT value FROM json_each(:ids))`,
}

type HitData = Pick<HitRow, 'id' | 'kind' | 'conversationId' | 'depth' | 'createdAtMs'> & {
  readonly row: number
  readonly inWindow: number
}

/** Summaries by their text. Rows are `summary_rowid`. */
export class SummaryCorpus implements Corpus {
  readonly kind = 'summary'
  readonly fields = ['content'] as const
  readonly #index: () => TextIndex | null
  readonly #db: ReadDb
  #known: { readonly stamp: string; readonly catalogue: Catalogue } | null = null

  constructor(db: ReadDb, index: () => TextIndex | null) {
    this.#db = db
    this.#index = index
  }

  get index(): TextIndex | null {
    return this.#index()
  }

  get known(): Catalogue | null {
    return this.#known?.stamp === changeStamp(this.#db) ? this.#known.catalogue : null
  }

  excerpt(rows: readonly number[]): Catalogue {
    return this.#read(queries.excerpt, { ids: JSON.stringify(rows) })
  }

  newestRow(): number {
    return this.#db.value<number>(queries.newest) ?? 0
  }

  async catalogue(slice: TimeSlice): Promise<Catalogue> {
    await slice.yieldIfOver()
    const stamp = changeStamp(this.#db)
    if (this.#known?.stamp === stamp) return this.#known.catalogue
    this.#known = { stamp, catalogue: this.#read(queries.catalogue, {}) }
    return this.#known.catalogue
  }

  #read(query: string, params: SqlParams): Catalogue {
    const builder = new CatalogueBuilder(null, 0)
    const rows = this.#db.iterateRaw<[number, number, number, number | null, number | null]>(query, params)
    for (const [row, conversationId, depth, atMs, tokens] of rows) {
      builder.add(row, conversationId, depth, atMs, tokens ?? 0)
    }
    return builder.build()
  }

  holding(rows: readonly number[], text: string): number[] {
    return this.#db.column(queries.holding, { ids: JSON.stringify(rows), text })
  }

  liking(rows: readonly number[], pattern: string): number[] {
    return this.#db.column(queries.liking, { ids: JSON.stringify(rows), pattern })
  }

  texts(rows: readonly number[]): Map<number, Fields> {
    const found = this.#db.iterateRaw<[number, string]>(queries.texts, { ids: JSON.stringify(rows) })
    return new Map(Array.from(found, ([row, content]) => [row, [content]]))
  }

  /** Texts by id. */
  contents(ids: readonly string[]): Map<string, string> {
    return new Map(this.#db.iterateRaw<[string, string]>(queries.contents, { ids: JSON.stringify(ids) }))
  }

  hits(rows: readonly number[]): Map<number, HitRow> {
    return readSnapshot(this.#db, () => {
      const found = this.#db.all<HitData>(queries.hits, { ids: JSON.stringify(rows) })
      const covers = coversOfSummaries(this.#db, found)
      return new Map(
        found.map(({ row, inWindow, ...data }): [number, HitRow] => [
          row,
          {
            ...data,
            seq: null,
            role: null,
            ...coverOf(covers.get(data.id) ?? [], inWindow === 1),
          },
        ]),
      )
    })
  }
}
