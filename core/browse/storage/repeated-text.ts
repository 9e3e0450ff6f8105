import type { RepeatedText, StorageObject } from '#core/contract/storage.ts'
import { sha256 } from '#core/hashing.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { longContentsAfter } from '#core/systems/reading/texts.ts'
import { rowCount } from '#core/systems/records/counts.ts'
import { partsThatRepeat, storesTextsInParts } from '#core/systems/records/parts.ts'

/** Shorter texts that are repeated cost too little to matter. */
const LONG_BYTES = 1024
/** How many rows are read at once. The caller may stop between two batches. */
const BATCH_ROWS = 500

/** How many messages were looked at so far. */
export type RepeatedProgress = { readonly done: number; readonly total: number }

/** Finds texts that the file holds more than once. It reads every message in batches and yields between them. */
export function* findRepeatedText(
  db: ReadDb,
  objects: readonly StorageObject[],
): Generator<RepeatedProgress, RepeatedText[]> {
  const found: RepeatedText[] = []
  const copies = objects.filter((object) => object.kind === 'search_text')
  add(found, {
    id: 'search_text',
    title: 'Text kept by full-text tables',
    explanation:
      'These tables hold a copy of every text beside their index; an index over the table itself needs none.',
    bytes: copies.reduce((sum, object) => sum + object.payloadBytes, 0),
    rows: copies.length,
  })
  const total = 2 * rowCount(db, 'messages')
  const parts = storesTextsInParts(db) ? yield* scanParts(db, total) : null
  if (parts) {
    add(found, {
      id: 'parts_repeat_message',
      title: 'Parts that repeat their message',
      explanation: 'The text of these parts stands in the text of their message as well.',
      ...parts.repeated,
    })
    add(found, {
      id: 'raw_blocks',
      title: 'Original blocks in metadata',
      explanation: 'The whole block as it arrived is kept beside the columns that were taken from it.',
      ...parts.raw,
    })
  }
  add(found, {
    id: 'identical_messages',
    title: 'Messages with the same text',
    explanation: `Texts of ${LONG_BYTES} bytes and more that another message has word for word: pasted files, repeated tool results, re-ingested history.`,
    ...(yield* scanIdentical(db, total)),
  })
  return found
}

function add(found: RepeatedText[], repeated: RepeatedText): void {
  if (repeated.bytes > 0) found.push(repeated)
}

type Amount = { bytes: number; rows: number }

function* scanParts(db: ReadDb, total: number): Generator<RepeatedProgress, { repeated: Amount; raw: Amount }> {
  const repeated: Amount = { bytes: 0, rows: 0 }
  const raw: Amount = { bytes: 0, rows: 0 }
  const tally = (amount: Amount, bytes: number): void => {
    amount.bytes += bytes
    if (bytes > 0) amount.rows += 1
  }
  let done = 0
  for (let after = -Number.MAX_SAFE_INTEGER; ; ) {
    const rows = partsThatRepeat(db, after, BATCH_ROWS)
    for (const row of rows) {
      tally(repeated, row.repeated)
      tally(raw, row.raw)
    }
    done += rows.length
    yield { done, total }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH_ROWS) return { repeated, raw }
    after = nextKey(db, 'the numbers of messages', after, last.id)
  }
}

function* scanIdentical(db: ReadDb, total: number): Generator<RepeatedProgress, Amount> {
  const seen = new Set<string>()
  const amount: Amount = { bytes: 0, rows: 0 }
  for (let after = -Number.MAX_SAFE_INTEGER; ; ) {
    const rows = longContentsAfter(db, after, LONG_BYTES, BATCH_ROWS)
    for (const { content } of rows) {
      const key = sha256(content, 'base64').slice(0, 16)
      if (seen.has(key)) {
        amount.bytes += Buffer.byteLength(content)
        amount.rows += 1
      }
      seen.add(key)
    }
    yield { done: total / 2, total }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH_ROWS) return amount
    after = nextKey(db, 'the numbers of messages', after, last.id)
  }
}
