import { setTimeout as pause } from 'node:timers/promises'
import type { MessageRange } from './ingest-index.ts'
import type { ReadDb, WriteDb } from './read-db.ts'

/**
 * Long messages are stored first and indexed afterwards in separate transactions: the trigrams in pieces, then the
 * words. Until then `lcm_meta` holds a mark, and searches read every text. See docs/decisions/0018-long-messages.md.
 */

const KEY_PREFIX = 'index_pending:'
const COLUMNS = ['content', 'tool_input', 'tool_output', 'reasoning'] as const
type Column = (typeof COLUMNS)[number]
type Texts = Readonly<Record<Column, string | null>>

const queries = {
  defer: /* sql */ `
    INSERT INTO lcm_meta (key, value)
    SELECT 'index_pending:' || message_id, '0' FROM messages
    WHERE message_id > CAST(:after AS INTEGER) AND message_id <= CAST(:last AS INTEGER)`,
  pending: /* sql */ `
    SELECT key FROM lcm_meta WHERE key >= 'index_pending:' AND key < 'index_pending;'`,
  hasPending: /* sql */ `
    SELECT EXISTS (SELECT 1 FROM lcm_meta WHERE key >= 'index_pending:' AND key < 'index_pending;')`,
  done: /* sql */ `SELECT value FROM lcm_meta WHERE key = :key`,
  advance: /* sql */ `UPDATE lcm_meta SET value = CAST(CAST(:done AS INTEGER) AS TEXT) WHERE key = :key`,
  finish: /* sql */ `DELETE FROM lcm_meta WHERE key = :key`,
  texts: /* sql */ `
    SELECT content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = :messageId`,
  isIndexed: /* sql */ `SELECT EXISTS (SELECT 1 FROM messages_fts_docsize WHERE id = :messageId)`,
  trigrams: (column: Column) => /* sql */ `INSERT INTO messages_trigram (rowid, ${column}) VALUES (?, ?)`,
  words: /* sql */ `INSERT INTO messages_fts (rowid, ${COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?)`,
}

/** Number of UTF-16 units. Longer texts are indexed in separate transactions, so that others can write in between. */
export const LONGEST_INDEXED_AT_ONCE = 3_000_000

/**
 * SQLite indexes the trigrams of this much text in about 25 ms, or in 130 ms of processor time on an overloaded
 * machine.
 */
export const PIECE_UNITS = 500_000

/**
 * A writer that waits for the lock checks it every 25 ms, as long as it has waited for 130 ms at most. So a waiting
 * writer gets the lock between two pieces. https://www.sqlite.org/c3ref/busy_timeout.html
 */
const PAUSE_MS = 30

/** Marks messages as not indexed yet, in the transaction that stored them. */
export function deferIndex(db: WriteDb, range: MessageRange): void {
  db.run(queries.defer, range)
}

/** The reason why a search reads every text meanwhile. */
export const LONG_MESSAGE_PENDING = 'a long message is not in the index of this file yet.'

/** True when a native file holds messages that its indexes lack. */
export const hasPendingIndex = (db: ReadDb): boolean => db.value<number>(queries.hasPending) === 1

/** The trigrams of `doneUnits` of the `units` of a message are indexed. */
export type PendingIndexStep = { readonly messageId: number; readonly doneUnits: number; readonly units: number }

/**
 * Indexes the long messages that are not indexed yet, also those of an import that was interrupted. Others can write
 * between two steps, and another process may do the same work at the same time.
 */
export async function* indexPending(db: WriteDb): AsyncGenerator<PendingIndexStep> {
  for (const key of db.column<string>(queries.pending)) {
    const messageId = Number(key.slice(KEY_PREFIX.length))
    const texts = Number.isSafeInteger(messageId) ? db.get<Texts>(queries.texts, { messageId }) : undefined
    const units = texts ? COLUMNS.reduce((sum, column) => sum + (texts[column]?.length ?? 0), 0) : 0
    const message = { key, messageId, texts }
    // The loop ends whatever the file says: each step makes progress, or is the last.
    for (let before = -1; ; ) {
      const doneUnits = db.transaction(() => indexPiece(db, message))
      if (doneUnits === null) finish(db, message)
      if (doneUnits === null || doneUnits <= before) break
      before = doneUnits
      yield { messageId, doneUnits, units }
      await pause(PAUSE_MS)
    }
  }
}

type PendingMessage = { readonly key: string; readonly messageId: number; readonly texts: Texts | undefined }

/** Words are indexed last. If they are present already, another process has rebuilt the indexes from all rows. */
const isLacking = (db: WriteDb, { key, messageId, texts }: PendingMessage): boolean =>
  texts !== undefined &&
  db.value<string>(queries.done, { key }) !== undefined &&
  db.value<number>(queries.isIndexed, { messageId }) === 0

/** Returns how much of the texts has its trigrams now, or null when the message is indexed completely or is gone. */
function indexPiece(db: WriteDb, message: PendingMessage): number | null {
  const { key, messageId, texts } = message
  if (!texts || !isLacking(db, message)) return null
  const piece = pieceAt(texts, Number.parseInt(db.value<string>(queries.done, { key }) ?? '', 10) || 0)
  if (!piece) return null
  db.runRaw(queries.trigrams(piece.column), [messageId, piece.text])
  db.run(queries.advance, { key, done: piece.end })
  return piece.end
}

/** Indexes the words in one statement. SQLite receives the texts before the transaction begins. */
function finish(db: WriteDb, message: PendingMessage): void {
  const { key, messageId, texts } = message
  const words = texts && db.bindAhead(queries.words, [messageId, ...COLUMNS.map((column) => texts[column])])
  db.transaction(() => {
    if (isLacking(db, message)) words?.([])
    db.run(queries.finish, { key })
  })
}

type Piece = { readonly column: Column; readonly text: string; readonly end: number }

/**
 * Returns the next piece of the texts, or null at their end. A piece begins two characters early, so that each trigram
 * is in exactly one piece, as FTS5 would count them in the whole text.
 */
export function pieceAt(texts: Texts, from: number, longest = PIECE_UNITS): Piece | null {
  let before = 0
  for (const column of COLUMNS) {
    const text = texts[column] ?? ''
    const start = Math.max(0, from - before)
    if (start < text.length) {
      const end = characterEnd(text, Math.min(text.length, start + longest))
      return { column, text: text.slice(twoCharactersBefore(text, start), end), end: before + end }
    }
    before += text.length
  }
  return null
}

const isSecondHalf = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00

const characterEnd = (text: string, end: number): number => (isSecondHalf(text, end) ? end + 1 : end)

/** The tokenizer does not count NUL as a character. */
function twoCharactersBefore(text: string, start: number): number {
  let index = start
  for (let found = 0; found < 2 && index > 0; ) {
    index -= isSecondHalf(text, index - 1) ? 2 : 1
    if (text.charCodeAt(index) !== 0) found += 1
  }
  return Math.max(0, index)
}
