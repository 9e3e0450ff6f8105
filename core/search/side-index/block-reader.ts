import { nextKey } from '../../sqlite/keyset.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { readSnapshot } from '../../sqlite/read-snapshot.ts'
import type { TimeSlice } from '../../yielding.ts'
import type { Corpus } from '../corpus.ts'
import type { Fields } from '../matcher.ts'
import { signatureOf } from './text-signature.ts'

/** A row belongs to the block that is its number divided by this, rounded down. */
export const BLOCK_ROWS = 256
/** A block with more text is read a few rows at a time, and has no signature. */
const LARGEST_BLOCK_BYTES = 8_000_000
/** Row numbers read at a time. */
const STRETCH = 10_000

type Statements = {
  readonly numbers: string
  readonly rows: string
  /** Length of the texts, without reading them; one statement a table. */
  readonly bytes: readonly string[]
  /**
   * Everything that `Corpus.texts` makes its texts from, as bytes: a change that is not in them goes unnoticed. Parts
   * come in any order, since their ordinals are among it.
   */
  readonly inputs: readonly string[]
}

/** A text after its length, so that it is told apart from its neighbours. */
const measured = (column: string): string => `coalesce(octet_length(${column}), -1) || ' ' || coalesce(${column}, '')`
const inBlock = (row: string): string => `${row} BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER)`

const statementsOf = (table: string, row: string): Statements => ({
  numbers: /* sql */ `
    SELECT ${row} FROM ${table} WHERE ${row} > :last ORDER BY ${row} LIMIT CAST(:limit AS INTEGER)`,
  rows: /* sql */ `SELECT ${row} FROM ${table} WHERE ${inBlock(row)}`,
  bytes: [/* sql */ `SELECT total(octet_length(content)) FROM ${table} WHERE ${inBlock(row)}`],
  inputs: [
    /* sql */ `
    SELECT CAST(group_concat(${row} || ' ' || ${measured('content')}, '' ORDER BY ${row}) AS BLOB)
    FROM ${table} WHERE ${inBlock(row)}`,
  ],
})
const messages = statementsOf('messages', 'message_id')

const queries: Readonly<Record<'message' | 'summary', Statements>> = {
  message: {
    ...messages,
    bytes: [
      ...messages.bytes,
      /* sql */ `
      SELECT total(octet_length(tool_input)) + total(octet_length(tool_output)) + total(octet_length(text_content))
      FROM message_parts WHERE ${inBlock('message_id')}`,
    ],
    inputs: [
      ...messages.inputs,
      /* sql */ `
      SELECT CAST(group_concat(
        message_id || ' ' || ordinal || ' ' || ${['tool_input', 'tool_output', 'thought'].map(measured).join(' || ')},
        '') AS BLOB)
      FROM (
        SELECT message_id, ordinal, tool_input, tool_output,
          CASE part_type WHEN 'reasoning' THEN text_content END AS thought
        FROM message_parts
        WHERE ${inBlock('message_id')} AND is_synthetic = 0
          AND (tool_input IS NOT NULL OR tool_output IS NOT NULL OR part_type = 'reasoning')
      )`,
    ],
  },
  summary: statementsOf('summaries', 'summary_rowid'),
}

export type Block =
  /** Every text is as it was when the signature was taken. */
  | { readonly kind: 'same' }
  /** `signature` is that of these texts. */
  | { readonly kind: 'texts'; readonly signature: number; readonly texts: ReadonlyMap<number, Fields> }
  /** Too much to be read at once. */
  | { readonly kind: 'large'; readonly rows: readonly number[] }

/** Reads the texts of a corpus block by block, and only those of blocks that changed one by one. */
export class BlockReader {
  readonly #read: ReadDb
  readonly #corpus: Corpus
  readonly #queries: Statements

  constructor(read: ReadDb, corpus: Corpus) {
    this.#read = read
    this.#corpus = corpus
    this.#queries = queries[corpus.kind === 'summary' ? 'summary' : 'message']
  }

  /** Numbers of the blocks in which there is a row, ascending. */
  async numbers(slice: TimeSlice): Promise<number[]> {
    const blocks = new Set<number>()
    let last = Number.NEGATIVE_INFINITY
    for (let read = STRETCH; read === STRETCH; ) {
      const rows = this.#read.column<number>(this.#queries.numbers, { last, limit: STRETCH })
      for (const row of rows) blocks.add(Math.floor(row / BLOCK_ROWS))
      if (rows.length === STRETCH) last = nextKey(this.#read, 'the numbers of rows', last, rows.at(-1))
      read = rows.length
      await slice.yieldIfOver()
    }
    return [...blocks]
  }

  /** @param signature what it was when its texts were last looked at; undefined when it had none */
  look(block: number, signature: number | undefined): Block {
    const range = { from: block * BLOCK_ROWS, to: block * BLOCK_ROWS + BLOCK_ROWS - 1 }
    return readSnapshot(this.#read, () => {
      const bytes = this.#queries.bytes.reduce((sum, sql) => sum + (this.#read.value<number>(sql, range) ?? 0), 0)
      const rows = (): number[] => this.#read.column<number>(this.#queries.rows, range)
      if (bytes > LARGEST_BLOCK_BYTES) return { kind: 'large', rows: rows() }
      const now = signatureOf(this.#queries.inputs.map((sql) => this.#read.value<Uint8Array>(sql, range) ?? ''))
      if (now === signature) return { kind: 'same' }
      return { kind: 'texts', signature: now, texts: this.#corpus.texts(rows()) }
    })
  }
}
