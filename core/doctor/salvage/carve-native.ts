import { existsSync } from 'node:fs'
import { TABLES, type Table } from '#core/ingest/native-rows.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { takeTriggers } from '#core/sqlite/take-triggers.ts'
import { type Cell, cellsOf } from './page-cells.ts'
import { foldIn, PageFile } from './page-file.ts'
import { type Shape, shapeOf } from './table-shapes.ts'

const queries = {
  conversationOf: /* sql */ `SELECT conversation_id FROM summaries WHERE summary_id = :id`,
  isInWindow: /* sql */ `
    SELECT 1 FROM context_items
    WHERE conversation_id = CAST(:conversation AS INTEGER) AND ordinal = CAST(:ordinal AS INTEGER) AND summary_id = :id`,
  isWindowKnown: /* sql */ `SELECT 1 FROM context_items LIMIT 1`,
  found: /* sql */ `SELECT (SELECT count(*) FROM conversations) + (SELECT count(*) FROM messages)`,
}

/** The number of pages after which the work yields. */
const SLICE_PAGES = 256

/** A damaged copy to read, and the first page that is missing at its end. */
export type CarveSource = { readonly path: string; readonly pageSize: number; readonly missingFrom: number }

/** The rows that were found, and by table those whose position is known and whose content is on lost pages. */
export type Carved = { readonly found: number; readonly lost: ReadonlyMap<Table, readonly string[]> }

/**
 * Collects the rows of a native file into a new one without its table of contents (sqlite_schema). Every page is read,
 * and a row is recognised by the way in which its table stores rows. Rows on free pages are left out, as far as the
 * list of free pages can be read. The log of the copy is checkpointed first.
 */
export function* carveNative({ path, pageSize, missingFrom }: CarveSource, to: string): Generator<void, Carved> {
  const written = existsSync(`${path}-wal`) ? yield* foldIn(path, `${path}-wal`, pageSize) : new Set<number>()
  const pages = new PageFile(path, pageSize, (page) => page >= missingFrom && !written.has(page))
  const db = openNative(to)
  try {
    db.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF')
    const putBack = takeTriggers(db, ['*'])
    const carver = new Carver(db, pages)
    yield* carver.run()
    putBack()
    return { found: db.value<number>(queries.found) ?? 0, lost: carver.lost }
  } finally {
    db.close()
    pages.close()
  }
}

const LINKS: ReadonlySet<Table> = new Set(['summary_messages', 'summary_sources'])

class Carver {
  readonly lost = new Map<Table, string[]>()
  readonly #db: WriteDb
  readonly #pages: PageFile
  readonly #shapes: readonly Shape[]
  /** Pages with cells that look like links between summaries and their sources. Pages of indexes may look the same. */
  readonly #links: number[] = []

  constructor(db: WriteDb, pages: PageFile) {
    this.#db = db
    this.#pages = pages
    this.#shapes = TABLES.map((table) => shapeOf(db, table))
  }

  *run(): Generator<void> {
    const free = this.#pages.freePages()
    for (let from = 1; from <= this.#pages.count; from += SLICE_PAGES) {
      this.#db.transaction(() => {
        for (let page = from; page < from + SLICE_PAGES && page <= this.#pages.count; page += 1) {
          if (!free.has(page)) this.#read(page)
        }
      })
      yield
    }
    for (const page of this.#links) {
      this.#db.transaction(() => this.#readLinks(page))
      yield
    }
  }

  #read(page: number): void {
    let hasLinks = false
    for (const cell of cellsOf(this.#pages, page)) {
      const shape = this.#shapes.find((one) => one.fits(cell))
      if (shape && LINKS.has(shape.table)) hasLinks = true
      else if (shape) this.#keep(shape, cell)
    }
    if (hasLinks) this.#links.push(page)
  }

  #keep(shape: Shape, cell: Cell): void {
    const row = rowOf(shape, cell)
    if (row) {
      this.#db.run(insertSql(shape), row)
      return
    }
    const lost = this.lost.get(shape.table) ?? []
    this.lost.set(shape.table, lost)
    lost.push(nameOf(shape, cell))
  }

  #readLinks(page: number): void {
    for (const shape of this.#shapes.filter(({ table }) => LINKS.has(table))) {
      const cells = [...cellsOf(this.#pages, page)].filter((cell) => shape.fits(cell))
      const rows = cells
        .map((cell) => rowOf(shape, cell))
        .filter((row) => row !== null)
        .filter((row) => this.#isOfSummary(row))
      if (rows.every((row) => this.#isOfWindow(row))) continue
      for (const row of rows) this.#db.run(insertSql(shape), row)
    }
  }

  /** Other pairs of a text and a number belong to an index: sessions by their importers, parts by the ids of calls. */
  #isOfSummary(row: Row): boolean {
    return [row.summary_id, row.source_summary_id].some((id) => this.#conversationOf(id) !== undefined)
  }

  /** An entry of the index of the window by summaries: the id of a summary, its conversation and its ordinal. */
  #isOfWindow({ summary_id: id, message_id: conversation, ordinal }: Row): boolean {
    if (conversation === undefined || this.#conversationOf(id) !== conversation) return false
    const params = { conversation: conversation ?? null, ordinal: ordinal ?? null, id: id ?? null }
    return (
      this.#db.value(queries.isWindowKnown) === undefined || this.#db.value(queries.isInWindow, params) !== undefined
    )
  }

  #conversationOf(id: SqlValue | undefined): number | undefined {
    return this.#db.value<number>(queries.conversationOf, { id: id ?? null })
  }
}

type Row = Readonly<Record<string, SqlValue>>

function rowOf({ columns, rowid }: Shape, cell: Cell): Row | null {
  const values = cell.read()
  return (
    values && Object.fromEntries(columns.map((name, at) => [name, name === rowid ? cell.rowid : (values[at] ?? null)]))
  )
}

/** A row that violates a constraint of the table was not one of its rows. Of two equal rows the first one is kept. */
const insertSql = ({ table, columns }: Shape): string =>
  /* sql */ `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (:${columns.join(', :')})`

const nameOf = ({ table }: Shape, { rowid }: Cell): string =>
  table === 'messages' ? `msg_${rowid}` : rowid === null ? 'a row' : `row ${rowid}`
