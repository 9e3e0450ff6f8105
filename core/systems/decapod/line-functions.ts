import { closeSync, openSync } from 'node:fs'
import { readAt } from '#core/read-at.ts'
import type { SqlFunction, SqlValue } from '#core/sqlite/read-db.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { eventOf, type LedgerEvent, textOf } from './ledger-line.ts'

/** Bytes that are read at once when a text is asked for. */
const BLOCK_BYTES = 256 * 1024
/** Size of the texts that are kept after they were read, because a query asks for a text several times. */
const KEPT_CHARS = 8 * 1024 * 1024

/**
 * Defines `decapod_text(at, bytes, hash)` and `decapod_field(at, bytes, name)`, which fetch from a line of the ledger what
 * is not copied into a TEMP table.
 */
export function defineLineFunctions(db: PreparableDb, path: string): void {
  const lineAt = blockReader(path)
  db.define('decapod_text', textReader(lineAt))
  db.define('decapod_field', fieldReader(lineAt))
}

const shown = (hash: SqlValue): SqlValue => (hash instanceof Uint8Array ? Buffer.from(hash).toString('hex') : hash)

/** Returns no bytes when the file is gone. The next reading notices that and forgets what stood in it. */
function readFrom(path: string, offset: number, bytes: number): Buffer {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return Buffer.alloc(0)
  }
  try {
    return readAt(descriptor, offset, bytes)
  } finally {
    closeSync(descriptor)
  }
}

type LineAt = (at: number, bytes: number) => Buffer

/** Reads several lines at once, because they are mostly asked for in their order. */
function blockReader(path: string): LineAt {
  let block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }
  return (at, bytes) => {
    if (at < block.start || at + bytes > block.start + block.bytes.length) {
      block = { start: at, bytes: readFrom(path, at, Math.max(bytes, BLOCK_BYTES)) }
    }
    return block.bytes.subarray(at - block.start, at - block.start + bytes)
  }
}

/** The function returns NULL when the line has changed. */
function textReader(lineAt: LineAt): SqlFunction {
  const kept = new Map<number, string>()
  let keptChars = 0
  return (at, bytes, storedAs) => {
    const hash = shown(storedAs ?? null)
    if (typeof at !== 'number' || typeof bytes !== 'number' || typeof hash !== 'string') return null
    const known = kept.get(at)
    if (known !== undefined) return known
    const text = textOf(lineAt(at, bytes), hash)
    if (text === null) return null
    if (keptChars > KEPT_CHARS) {
      kept.clear()
      keptChars = 0
    }
    kept.set(at, text)
    keptChars += text.length
    return text
  }
}

/** The function returns a field that the database does not have, or NULL when the line is gone. */
function fieldReader(lineAt: LineAt): SqlFunction {
  let last: { readonly at: number; readonly event: LedgerEvent | null } | null = null
  return (at, bytes, name) => {
    if (typeof at !== 'number' || typeof bytes !== 'number') return null
    if (last?.at !== at) last = { at, event: eventOf(lineAt(at, bytes)) }
    return (name === 'ts' ? last.event?.ts : last.event?.eventId) ?? null
  }
}
