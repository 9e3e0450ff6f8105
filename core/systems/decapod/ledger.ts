import { closeSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readAt } from '#core/read-at.ts'
import type { SqlValue } from '#core/sqlite/read-db.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { RowInserter } from '../deriving/row-inserter.ts'
import { linesFrom } from '../reading/file-lines.ts'
import { eventOf, type LedgerEvent, lineReader } from './ledger-line.ts'
import { defineLineFunctions } from './line-functions.ts'

/** Bytes of the ledger between two yields, which take some milliseconds. */
const BYTES_AT_ONCE = 1024 * 1024
const TABLES = /* sql */ `
-- The line at which each content was recorded first. Numbers above all lines stand for contents without a line.
CREATE TEMP TABLE IF NOT EXISTS decapod_lines (
  line      INTEGER PRIMARY KEY,
  -- How many contents were recorded before it. NULL for a content without a line.
  seq       INTEGER,
  hash      BLOB NOT NULL,
  at        INTEGER,
  bytes     INTEGER,
  fact      INTEGER,
  -- Its row in the index. NULL when the index does not list it.
  index_row INTEGER
);
-- Values that many events share.
CREATE TEMP TABLE IF NOT EXISTS decapod_facts (
  fact       INTEGER PRIMARY KEY,
  session_id TEXT,
  kind       TEXT NOT NULL,
  actor      TEXT NOT NULL,
  source     TEXT
);
CREATE TEMP TABLE IF NOT EXISTS decapod_ledger_state (
  file       TEXT NOT NULL,
  bytes      INTEGER NOT NULL,
  lines      INTEGER NOT NULL,
  unreadable INTEGER NOT NULL,
  events     INTEGER NOT NULL,
  unended    INTEGER NOT NULL,
  -- These describe the last ended line that is an event.
  last_at    INTEGER,
  last_bytes INTEGER,
  last_hash  TEXT
);
`

const queries = {
  state: /* sql */ `
    SELECT file, bytes, lines, unreadable, events, unended, last_at AS lastAt, last_bytes AS lastBytes, last_hash AS lastHash
    FROM temp.decapod_ledger_state`,
  forgetFrom: /* sql */ `DELETE FROM temp.decapod_lines WHERE line > CAST(:lines AS INTEGER)`,
  forget: /* sql */ `
    DELETE FROM temp.decapod_lines;
    DELETE FROM temp.decapod_facts;
    DELETE FROM temp.decapod_ledger_state;`,
  forgetState: /* sql */ `DELETE FROM temp.decapod_ledger_state`,
  facts: /* sql */ `
    SELECT fact, session_id AS sessionId, kind, actor, source FROM temp.decapod_facts`,
  addFact: /* sql */ `
    INSERT INTO temp.decapod_facts (fact, session_id, kind, actor, source)
    VALUES (CAST(:fact AS INTEGER), :sessionId, :kind, :actor, :source)`,
  /** This index is made when a hash is first looked for. Row by row it would take three times as long. */
  indexHashes: /* sql */ `CREATE UNIQUE INDEX IF NOT EXISTS temp.decapod_lines_hash ON decapod_lines (hash)`,
  lineOf: /* sql */ `SELECT line FROM temp.decapod_lines WHERE hash = :hash`,
  hasAny: /* sql */ `SELECT 1 FROM temp.decapod_lines LIMIT 1`,
  contents: /* sql */ `SELECT coalesce(max(seq) + 1, 0) FROM temp.decapod_lines`,
  setState: /* sql */ `
    INSERT INTO temp.decapod_ledger_state (file, bytes, lines, unreadable, events, unended, last_at, last_bytes, last_hash)
    VALUES (:file, CAST(:bytes AS INTEGER), CAST(:lines AS INTEGER), CAST(:unreadable AS INTEGER),
      CAST(:events AS INTEGER), CAST(:unended AS INTEGER), CAST(:lastAt AS INTEGER), CAST(:lastBytes AS INTEGER), :lastHash)`,
}

type LedgerState = {
  /** Device and inode. */
  readonly file: string
  /** Size of the ended lines. Reading goes on from there. */
  readonly bytes: number
  readonly lines: number
  readonly unreadable: number
  /** `events` counts ended lines. `unended` is 1 when the last line is an event that is not ended. */
  readonly events: number
  readonly unended: number
  readonly lastAt: number | null
  readonly lastBytes: number | null
  readonly lastHash: string | null
}

/** A hash is kept as 32 bytes, and any other text as it is. `storedHash` makes the same of it in SQL. */
const HEX_CHARS = 64
const stored = (hash: string): SqlValue => {
  if (hash.length !== HEX_CHARS) return hash
  const bytes = Buffer.from(hash, 'hex')
  // Characters that are no lower-case digits would be lost.
  return bytes.toString('hex') === hash ? bytes : hash
}
/** SQL that makes a hash of a text as it is kept in `decapod_lines`. */
export const storedHash = (text: string): string =>
  `iif(octet_length(${text}) = 64 AND ${text} = lower(${text}), coalesce(unhex(${text}), ${text}), ${text})`

/** SQL for the text that a kept hash stands for. */
export const shownHash = (hash: string): string => `iif(typeof(${hash}) = 'blob', lower(hex(${hash})), ${hash})`

/** Returns the path of the ledger of a database, which the system finds by its name. */
export const ledgerPath = (realPath: string): string => join(dirname(realPath), 'lcm.events.jsonl')

/** Returns how far the ledger was read, or null when there is none beside the database. */
export function ledgerState(db: PreparableDb): LedgerState | null {
  return db.get<LedgerState>(queries.state) ?? null
}

/** Call this before SQL looks for lines by their hash. */
export function indexHashes(db: PreparableDb): void {
  db.exec(queries.indexHashes)
}

/** A row of the index with the hash that it lists. */
export type ListedRow = readonly [row: number, hash: string]
/** The rows come in the order of their numbers. */
type ListedRows = Iterator<ListedRow, unknown, undefined>

/** `keptLines` is the number of lines that are the same as before, and 0 when everything is new. */
export type ReadLedger = { readonly keptLines: number; readonly lines: ContentLines }

/** Finds the line at which a content was recorded first, by the hash of the content. */
export class ContentLines {
  readonly #db: PreparableDb
  /** Lines that were read just now, by hash. */
  readonly #added = new Map<string, number>()
  #hasOlder: boolean

  /** Asks for lines that are in the table already. */
  constructor(db: PreparableDb) {
    this.#db = db
    this.#hasOlder = db.value(queries.hasAny) !== undefined
  }

  of(hash: string): number | null {
    const line = this.#added.get(hash)
    if (line !== undefined || !this.#hasOlder) return line ?? null
    indexHashes(this.#db)
    return this.#db.value<number>(queries.lineOf, { hash: stored(hash) }) ?? null
  }

  /** Returns false when the content was recorded before. */
  add(hash: string, line: number): boolean {
    if (this.of(hash) !== null) return false
    this.#added.set(hash, line)
    return true
  }

  /** Call this when lines were added to the table by other means. */
  lookAgain(): void {
    this.#hasOlder = true
  }
}

/**
 * Brings the TEMP tables `decapod_lines` and `decapod_facts` in step with the ledger, reading only what was appended
 * since. See `defineLineFunctions` for what is not copied.
 * @param rows rows of the index, which mostly list the new lines in the same order; a line that is not found in this way
 * stays without its row
 */
export function* readingLedger(db: PreparableDb, realPath: string, rows: ListedRows): Generator<void, ReadLedger> {
  const path = ledgerPath(realPath)
  db.exec(TABLES)
  defineLineFunctions(db, path)
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.isFile()) {
    db.exec(queries.forget)
    return { keptLines: 0, lines: new ContentLines(db) }
  }
  const descriptor = openSync(path, 'r')
  try {
    const known = continued(db, descriptor, `${file.dev}:${file.ino}`, file.size)
    // A content without a line may have one now, and a line that was not ended may have changed.
    const forgotten = db.run(queries.forgetFrom, { lines: known.lines })
    const lines = new ContentLines(db)
    const read = yield* readingLines(db, descriptor, { known, rows, lines })
    db.run(queries.forgetState)
    db.run(queries.setState, read)
    return { keptLines: forgotten > 0 ? 0 : known.lines, lines }
  } finally {
    closeSync(descriptor)
  }
}

const NOTHING_READ = {
  bytes: 0,
  lines: 0,
  unreadable: 0,
  events: 0,
  unended: 0,
  lastAt: null,
  lastBytes: null,
  lastHash: null,
}

/** Returns what was read before if the file still begins with it, because a ledger only grows. */
function continued(db: PreparableDb, descriptor: number, file: string, bytes: number): LedgerState {
  const known = ledgerState(db)
  const last =
    known?.lastAt != null && known.lastBytes != null ? readAt(descriptor, known.lastAt, known.lastBytes) : null
  const isGrown =
    known?.file === file && known.bytes <= bytes && (last === null || eventOf(last)?.hash === known.lastHash)
  if (known && isGrown) return known
  db.exec(queries.forget)
  return { file, ...NOTHING_READ }
}

type LedgerReading = { readonly known: LedgerState; readonly rows: ListedRows; readonly lines: ContentLines }

function* readingLines(
  db: PreparableDb,
  descriptor: number,
  { known, rows, lines: contents }: LedgerReading,
): Generator<void, LedgerState> {
  let { bytes, lines, unreadable, events, lastAt, lastBytes, lastHash } = known
  let unended = 0
  const read = lineReader(knownFacts(db))
  const inserter = new RowInserter(db, 'temp.decapod_lines (line, seq, hash, at, bytes, fact, index_row)', 7)
  let seq = db.value<number>(queries.contents) ?? 0
  let next = rows.next()
  let paused = bytes
  for (const { range, bytes: line, isEnded } of linesFrom(descriptor, bytes)) {
    const event = line === null ? null : read(line)
    const [at, length] = [range.start, range.end - range.start]
    if (event) {
      const row = !next.done && next.value[1] === event.hash ? next.value[0] : null
      if (contents.add(event.hash, lines + 1)) {
        inserter.add(lines + 1, seq, stored(event.hash), at, length, event.fact, row)
        seq += 1
      }
      if (row !== null) next = rows.next()
    }
    // A line without a line feed may be half written. It counts when it is ended.
    if (!isEnded) {
      unended = event ? 1 : 0
      break
    }
    lines += 1
    bytes = range.end + 1
    if (event) {
      events += 1
      lastAt = at
      lastBytes = length
      lastHash = event.hash
    } else if (line?.toString('utf8').trim() !== '') unreadable += 1
    if (bytes - paused < BYTES_AT_ONCE) continue
    paused = bytes
    yield
  }
  inserter.end()
  return { file: known.file, bytes, lines, unreadable, events, unended, lastAt, lastBytes, lastHash }
}

/** Numbers the values that events share, with the same numbers as before. */
function knownFacts(db: PreparableDb): (event: LedgerEvent) => number {
  const keyOf = (event: Fact): string => JSON.stringify([event.sessionId, event.kind, event.actor, event.source])
  const known = new Map(db.all<Fact & { fact: number }>(queries.facts).map((fact) => [keyOf(fact), fact.fact]))
  return ({ sessionId, kind, actor, source }) => {
    const key = keyOf({ sessionId, kind, actor, source })
    const fact = known.get(key) ?? known.size + 1
    if (fact > known.size) {
      known.set(key, fact)
      db.run(queries.addFact, { fact, sessionId, kind, actor, source })
    }
    return fact
  }
}

type Fact = Pick<LedgerEvent, 'sessionId' | 'kind' | 'actor' | 'source'>
