import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import { summariesAboveSummaries } from '#core/systems/reading/covers.ts'
import {
  contentsOfSummaries,
  contentsOfSummaryRows,
  summaryRowsHolding,
  summaryRowsLike,
} from '#core/systems/reading/texts.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import {
  allSummaryHeads,
  lastSummaryRow,
  type SummaryHead,
  summaryHeadsByRow,
  summarySources,
} from '#core/systems/records/summaries.ts'
import { windowsOfSummaries } from '#core/systems/records/window-entries.ts'
import type { TimeSlice } from '#core/yielding.ts'
import { type Fields, FoldedText } from '../query/matcher.ts'
import { type Catalogue, CatalogueBuilder } from './catalogue.ts'
import { type Corpus, coverOf, type HitRow, type TextIndex } from './corpus.ts'

/** At most this many texts are kept in the forms in which they are compared. */
const MOST_FOLDED = 64

/** Summaries by their text. Rows are `summary_rowid`. */
export class SummaryCorpus implements Corpus {
  readonly kind = 'summary'
  readonly fields = ['content'] as const
  readonly #index: () => TextIndex | null
  readonly #db: ReadDb
  #known: { readonly stamp: string; readonly catalogue: Catalogue } | null = null
  #folded: { readonly stamp: string; readonly texts: ReadonlyMap<string, FoldedText> } | null = null

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
    return catalogueOf(summaryHeadsByRow(this.#db, rows))
  }

  rowCount(): number {
    return rowCount(this.#db, 'summaries')
  }

  newestRow(): number {
    return lastSummaryRow(this.#db)
  }

  async catalogue(slice: TimeSlice): Promise<Catalogue> {
    await slice.yieldIfOver()
    const stamp = changeStamp(this.#db)
    if (this.#known?.stamp === stamp) return this.#known.catalogue
    this.#known = { stamp, catalogue: catalogueOf(allSummaryHeads(this.#db)) }
    return this.#known.catalogue
  }

  holding(rows: readonly number[], text: string): number[] {
    return summaryRowsHolding(this.#db, rows, text)
  }

  liking(rows: readonly number[], pattern: string): number[] {
    return summaryRowsLike(this.#db, rows, pattern)
  }

  texts(rows: readonly number[]): Map<number, Fields> {
    return new Map(contentsOfSummaryRows(this.#db, rows).map(([row, content]) => [row, [content ?? '']]))
  }

  /** Returns the texts of summaries by id. Those of a window are asked for again and again, so they are kept. */
  folded(ids: ReadonlySet<string>): ReadonlyMap<string, FoldedText> {
    if (ids.size === 0) return new Map()
    const stamp = changeStamp(this.#db)
    if (this.#folded?.stamp !== stamp) this.#folded = { stamp, texts: new Map() }
    const { texts } = this.#folded
    const unknown = [...ids].filter((id) => !texts.has(id))
    if (unknown.length === 0) return new Map(Array.from(ids, (id) => [id, texts.get(id) as FoldedText]))
    const found = new Map(texts)
    for (const [id, content] of contentsOfSummaries(this.#db, unknown)) found.set(id, new FoldedText(content ?? ''))
    const asked = new Map([...found].filter(([id]) => ids.has(id)))
    this.#folded = { stamp, texts: new Map([...found, ...asked].slice(-MOST_FOLDED)) }
    return asked
  }

  /** Returns the numbers of the messages from which summaries were made, by the row of the summary. */
  messagesUnder(rows: readonly number[]): ReadonlyMap<number, readonly number[]> {
    const rowOf = new Map(summaryHeadsByRow(this.#db, rows).map(({ id, row }) => [id, row]))
    const messages = new Map<number, number[]>()
    for (const [summaryId, messageId] of summarySources(this.#db, [...rowOf.keys()])) {
      const row = rowOf.get(summaryId)
      if (row === undefined || messageId === null) continue
      const known = messages.get(row)
      if (known) known.push(messageId)
      else messages.set(row, [messageId])
    }
    return messages
  }

  ids(rows: readonly number[]): Map<number, string> {
    return new Map(summaryHeadsByRow(this.#db, rows).map(({ row, id }) => [row, id]))
  }

  hits(rows: readonly number[]): Map<number, HitRow> {
    return readSnapshot(this.#db, () => {
      const found = summaryHeadsByRow(this.#db, rows)
      const covers = summariesAboveSummaries(this.#db, found)
      const windows = Map.groupBy(
        windowsOfSummaries(
          this.#db,
          found.map(({ id }) => id),
        ),
        ({ id }) => id,
      )
      return new Map(
        found.map(({ row, id, kind, conversationId, depth, createdAtMs }): [number, HitRow] => {
          const inWindow = windows.get(id)?.some((window) => window.conversationId === conversationId) ?? false
          const cover = coverOf(covers.get(id) ?? [], inWindow)
          return [row, { id, kind, conversationId, seq: null, role: null, depth, createdAtMs, ...cover }]
        }),
      )
    })
  }
}

function catalogueOf(heads: readonly SummaryHead[]): Catalogue {
  const builder = new CatalogueBuilder(null, heads.length)
  for (const { row, conversationId, depth, createdAtMs, tokens } of heads) {
    builder.add(row, conversationId, depth, createdAtMs, tokens)
  }
  return builder.build()
}
