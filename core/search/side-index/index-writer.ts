import type { Corpus } from '../indexes/corpus.ts'
import type { Fields } from '../query/matcher.ts'
import { BLOCK_ROWS } from './block-reader.ts'
import type { IndexFile } from './index-file.ts'
import { signatureOf } from './text-signature.ts'

/** How much text is indexed in one transaction, whose commit then takes a few tens of milliseconds. */
const STEP_CHARACTERS = 400_000
/** Dropping a row costs as much as indexing a text of this length. */
const DROP_CHARACTERS = 200
/** How many pages one step of a merge writes. */
const MERGE_PAGES = 100n
/** How many transactions there are between two merges. */
const STEPS_BETWEEN_MERGES = 16

type Table = 'messages' | 'summaries'
const columnsOf: Readonly<Record<Table, readonly string[]>> = {
  messages: ['content', 'tool_input', 'tool_output', 'reasoning'],
  summaries: ['content'],
}
const SEARCH_TABLES = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'] as const

const queries = {
  known: (table: Table) => /* sql */ `
    SELECT row, signature FROM ${table}_indexed
    WHERE row BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER)`,
  /** The expression rounds down also below zero. */
  blocks: (table: Table) => /* sql */ `
    SELECT DISTINCT (row - ((row % ${BLOCK_ROWS}) + ${BLOCK_ROWS}) % ${BLOCK_ROWS}) / ${BLOCK_ROWS} FROM ${table}_indexed`,
  signature: (table: Table) => /* sql */ `SELECT signature FROM ${table}_blocks WHERE block = CAST(:block AS INTEGER)`,
  signBlock: (table: Table) => /* sql */ `
    INSERT OR REPLACE INTO ${table}_blocks (block, signature)
    VALUES (CAST(:block AS INTEGER), CAST(:signature AS INTEGER))`,
  forgetBlock: (table: Table) => /* sql */ `DELETE FROM ${table}_blocks WHERE block = CAST(:block AS INTEGER)`,
  sign: (table: Table) => /* sql */ `
    INSERT OR REPLACE INTO ${table}_indexed (row, signature)
    VALUES (CAST(:row AS INTEGER), CAST(:signature AS INTEGER))`,
  forget: (table: string) => /* sql */ `DELETE FROM ${table} WHERE rowid = CAST(:row AS INTEGER)`,
  insert: (table: Table, index: 'fts' | 'trigram') => /* sql */ `
    INSERT INTO ${table}_${index} (rowid, ${columnsOf[table].join(', ')})
    VALUES (CAST(:row AS INTEGER), ${columnsOf[table].map((column) => `:${column}`).join(', ')})`,
  merge: (table: string) => /* sql */ `INSERT INTO ${table} (${table}, rank) VALUES ('merge', :pages)`,
  changes: /* sql */ `SELECT total_changes()`,
}

/** Made once: a statement is found by its text, and a text that was just put together has to be read for that. */
const putting = (table: Table): readonly string[] => [queries.insert(table, 'fts'), queries.insert(table, 'trigram')]
const PUTTING: Readonly<Record<Table, readonly string[]>> = {
  messages: putting('messages'),
  summaries: putting('summaries'),
}
const SIGNING: Readonly<Record<Table, string>> = {
  messages: queries.sign('messages'),
  summaries: queries.sign('summaries'),
}

/**
 * Brings rows of an index up to date with their texts. It writes in steps of one transaction, and after each step every
 * row is indexed as its signature says. The owner of a writer holds the lock of the index.
 */
export class IndexWriter {
  changedRows = 0
  readonly #file: IndexFile
  #isOpen = false
  #characters = 0
  #steps = 0

  constructor(file: IndexFile) {
    this.#file = file
  }

  /** True when enough text was written since the last `endStep`. */
  get isStepFull(): boolean {
    return this.#characters >= STEP_CHARACTERS
  }

  /** Returns the blocks that have a row. */
  blocks(corpus: Corpus): number[] {
    return this.#file.db.column<number>(queries.blocks(tableOf(corpus)))
  }

  /** Returns the signature of a block of which every row is indexed as it was when the signature was taken. */
  signatureOf(corpus: Corpus, block: number): number | undefined {
    return this.#file.db.value<number>(queries.signature(tableOf(corpus)), { block })
  }

  /**
   * Removes the signature of a block. Call it before rows of the block are changed, because the signature describes
   * their old state.
   */
  forgetBlock(corpus: Corpus, block: number): void {
    this.#begin()
    this.#file.db.run(queries.forgetBlock(tableOf(corpus)), { block })
  }

  /** Stores the signature of a block. Call it after all rows of the block were put or dropped. */
  signBlock(corpus: Corpus, block: number, signature: number): void {
    this.#begin()
    this.#file.db.run(queries.signBlock(tableOf(corpus)), { block, signature })
  }

  /** Returns the signatures of the rows of a block. */
  known(corpus: Corpus, block: number): Map<number, number> {
    const from = block * BLOCK_ROWS
    const range = { from, to: from + BLOCK_ROWS - 1 }
    return new Map(this.#file.db.rows<[number, number]>(queries.known(tableOf(corpus)), range))
  }

  /** Indexes a row. `before` is its signature in the index, if it is there. */
  put(corpus: Corpus, row: number, fields: Fields, before: number | undefined): void {
    const signature = signatureOf(fields)
    if (signature === before) return
    const table = tableOf(corpus)
    this.#begin()
    if (before !== undefined) this.#forget(table, row)
    const texts = Object.fromEntries(columnsOf[table].map((column, field) => [column, fields[field] || null]))
    for (const insert of PUTTING[table]) this.#file.db.run(insert, { row, ...texts })
    this.#file.db.run(SIGNING[table], { row, signature })
    this.#characters += fields.reduce((sum, field) => sum + field.length, 0)
    this.changedRows += 1
  }

  drop(corpus: Corpus, row: number): void {
    const table = tableOf(corpus)
    this.#begin()
    this.#forget(table, row)
    this.#file.db.run(/* sql */ `DELETE FROM ${table}_indexed WHERE row = CAST(:row AS INTEGER)`, { row })
    this.#characters += DROP_CHARACTERS
    this.changedRows += 1
  }

  /**
   * Commits the step.
   * @returns whether it is time to merge
   */
  endStep(): boolean {
    if (!this.#isOpen) return false
    this.#file.db.exec('COMMIT')
    this.#isOpen = false
    this.#characters = 0
    this.#steps += 1
    return this.#steps % STEPS_BETWEEN_MERGES === 0
  }

  /** Merges segments in short steps, because many segments make searches slow. Call it outside of a step. */
  *merge(): Generator<void> {
    const { db } = this.#file
    for (const table of SEARCH_TABLES) {
      for (;;) {
        const before = db.value<number>(queries.changes) ?? 0
        db.run(queries.merge(table), { pages: MERGE_PAGES })
        yield
        // https://www.sqlite.org/fts5.html#the_merge_command
        if ((db.value<number>(queries.changes) ?? 0) - before < 2) break
      }
    }
  }

  /** The first change makes the index differ from the state of the source that it names, so that state is removed. */
  #begin(): void {
    if (this.#isOpen) return
    this.#file.db.exec('BEGIN IMMEDIATE')
    this.#isOpen = true
    this.#file.set('state', null)
  }

  #forget(table: Table, row: number): void {
    this.#file.db.run(queries.forget(`${table}_fts`), { row })
    this.#file.db.run(queries.forget(`${table}_trigram`), { row })
  }
}

const tableOf = (corpus: Corpus): Table => (corpus.kind === 'message' ? 'messages' : 'summaries')
