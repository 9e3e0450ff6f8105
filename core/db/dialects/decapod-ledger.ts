import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linesFrom } from '../file-lines.ts'
import type { SqlValue } from '../read-db.ts'
import type { PreparableDb } from '../uri-db.ts'
import { eventOf, fieldsOf, textOf } from './decapod-line.ts'

/** Read at once where texts are asked for. */
const BLOCK_BYTES = 256 * 1024
/** Texts that were read last, since a query asks for one several times. */
const KEPT_CHARS = 8 * 1024 * 1024

const TABLES = /* sql */ `
CREATE TEMP TABLE IF NOT EXISTS decapod_ledger (
  line       INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  event_id   TEXT NOT NULL,
  ts         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  actor      TEXT NOT NULL,
  session_id TEXT,
  source     TEXT
);
CREATE TEMP TABLE IF NOT EXISTS decapod_ledger_state (
  file       TEXT NOT NULL,
  bytes      INTEGER NOT NULL,
  lines      INTEGER NOT NULL,
  unreadable INTEGER NOT NULL
);
`

const queries = {
  state: /* sql */ `
    SELECT file, bytes, lines, unreadable, (SELECT count(*) FROM temp.decapod_ledger) AS events
    FROM temp.decapod_ledger_state`,
  forgetFrom: /* sql */ `DELETE FROM temp.decapod_ledger WHERE line > CAST(:lines AS INTEGER)`,
  forget: /* sql */ `
    DROP INDEX IF EXISTS temp.decapod_ledger_hash;
    DELETE FROM temp.decapod_ledger;
    DELETE FROM temp.decapod_ledger_state;`,
  // When everything is there: row by row it would take twice as long.
  index: /* sql */ `CREATE INDEX IF NOT EXISTS temp.decapod_ledger_hash ON decapod_ledger (hash, line)`,
  forgetState: /* sql */ `DELETE FROM temp.decapod_ledger_state`,
  last: /* sql */ `SELECT at, bytes, hash FROM temp.decapod_ledger ORDER BY line DESC LIMIT 1`,
  add: /* sql */ `
    INSERT INTO temp.decapod_ledger (line, at, bytes, hash, event_id, ts, kind, actor, session_id, source)
    VALUES (CAST(:line AS INTEGER), CAST(:offset AS INTEGER), CAST(:bytes AS INTEGER), :hash, :eventId, :ts, :kind, :actor,
      :sessionId, :source)`,
  setState: /* sql */ `
    INSERT INTO temp.decapod_ledger_state (file, bytes, lines, unreadable)
    VALUES (:file, CAST(:bytes AS INTEGER), CAST(:lines AS INTEGER), CAST(:unreadable AS INTEGER))`,
}

type LedgerState = {
  /** Device and inode. */
  readonly file: string
  /** Of the lines that are ended: from there on it is read again. */
  readonly bytes: number
  readonly lines: number
  readonly unreadable: number
}

/** The ledger that belongs to a database: the system knows it by its name alone. */
export const ledgerPath = (realPath: string): string => join(dirname(realPath), 'lcm.events.jsonl')

/** As far as it was read; null when there is no ledger beside the database. */
export function ledgerState(db: PreparableDb): (LedgerState & { readonly events: number }) | null {
  return db.get<LedgerState & { events: number }>(queries.state) ?? null
}

/**
 * Brings the TEMP table `decapod_ledger` in step with the ledger, reading only what was appended since, and defines
 * `decapod_text(at, bytes, hash)`, which fetches the text of a line: texts are never copied.
 * @returns how many lines stand there as they did before; 0 where everything is new
 */
export function readLedger(db: PreparableDb, realPath: string): number {
  const path = ledgerPath(realPath)
  db.exec(TABLES)
  db.define('decapod_text', textReader(path))
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile()) {
    db.exec(queries.forget)
    return 0
  }
  const descriptor = openSync(path, 'r')
  try {
    const known = continued(db, descriptor, `${file.dev}:${file.ino}`, file.size)
    db.run(queries.forgetFrom, { lines: known.lines })
    const read = readLines(db, descriptor, known)
    db.run(queries.forgetState)
    db.run(queries.setState, { file: known.file, ...read })
    db.exec(queries.index)
    return known.lines
  } finally {
    closeSync(descriptor)
  }
}

/** What was read before, if the file still begins with it: a ledger only ever grows. */
function continued(db: PreparableDb, descriptor: number, file: string, bytes: number): LedgerState {
  const known = ledgerState(db)
  const last = db.get<{ at: number; bytes: number; hash: string }>(queries.last)
  const isGrown =
    known?.file === file &&
    known.bytes <= bytes &&
    (!last || fieldsOf(readAt(descriptor, last.at, last.bytes))?.content_hash === last.hash)
  if (known && isGrown) return known
  db.exec(queries.forget)
  return { file, bytes: 0, lines: 0, unreadable: 0 }
}

function readLines(db: PreparableDb, descriptor: number, known: LedgerState): Omit<LedgerState, 'file'> {
  let { bytes, lines, unreadable } = known
  for (const { span, bytes: line, isEnded } of linesFrom(descriptor, bytes)) {
    const event = line === null ? null : eventOf(line, lines + 1, span)
    if (event) db.run(queries.add, event)
    // Without a line feed it may be half written: it counts when it is ended.
    if (!isEnded) break
    lines += 1
    bytes = span.end + 1
    if (!event && line?.toString('utf8').trim() !== '') unreadable += 1
  }
  return { bytes, lines, unreadable }
}

/** At most so many bytes from a place on; fewer where the file ends. */
function readAt(descriptor: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const count = readSync(descriptor, buffer, filled, bytes - filled, offset + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

/** Empty when the file is gone: whoever asks next is told so, and forgets what stood in it. */
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

/** NULL when the line is no longer the one that it was. */
function textReader(path: string): (at: SqlValue, bytes: SqlValue, hash: SqlValue) => SqlValue {
  const kept = new Map<number, string>()
  let keptChars = 0
  // Lines are mostly asked for in their order: several are read at once.
  let block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }
  const lineAt = (at: number, bytes: number): Buffer => {
    if (at < block.start || at + bytes > block.start + block.bytes.length) {
      block = { start: at, bytes: readFrom(path, at, Math.max(bytes, BLOCK_BYTES)) }
    }
    return block.bytes.subarray(at - block.start, at - block.start + bytes)
  }
  return (at, bytes, hash) => {
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
