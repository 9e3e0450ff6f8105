import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { keyOf } from '#core/sqlite/schema-objects.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'

const queries = {
  tables: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name`,
  isThere: /* sql */ `SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = :table`,
}

/** Any query of a full-text table makes this connection read the structure of its index again. */
const REFRESH = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'].map(
  (table) => [table, /* sql */ `SELECT rowid FROM ${table} WHERE ${table} MATCH '"lcm"' LIMIT 1`] as const,
)

/** In a larger file with many faults, those of every table are listed. */
const WHOLE_BYTES = 64 << 20

/** The most lines that one check is asked for. */
const MOST_LINES = 100

/**
 * Checks the pages, and whether every index agrees with its table: of the whole file at once, so that no page is read
 * twice. https://www.sqlite.org/pragma.html#pragma_integrity_check
 */
function* readReport(context: RuleContext): Generator<null, string[]> {
  const { db, info, probe } = context
  // After a write by another process FTS5 would compare the index with a structure in its cache, and report damage.
  if (isNative(info)) {
    for (const [table, sql] of REFRESH) if (db.value(queries.isThere, { table }) !== undefined) refresh(db, sql)
  }
  const hasComputed = probe.computed.size > 0
  const lines = new Set<string>()
  const add = (pragma: string): number => {
    const found = linesOf(db, pragma)
    for (const line of found) lines.add(line)
    return found.length
  }
  // A check of the whole file would execute its computed objects.
  if (!hasComputed && add(`PRAGMA main.integrity_check(${MOST_LINES})`) < MOST_LINES) return [...lines]
  // Where the list is full of rows that an index lacks, what is wrong with other tables may be missing from it.
  if (hasComputed || info.bytes > WHOLE_BYTES) {
    for (const table of db.column<string>(queries.tables)) {
      if (probe.computed.has(keyOf(table))) continue
      add(`PRAGMA main.integrity_check(${quoted(table)})`)
      yield null
    }
    if (hasComputed) return [...lines]
  }
  if (add(`PRAGMA main.quick_check(${MOST_LINES})`) >= MOST_LINES)
    lines.add(`more than ${MOST_LINES} places are damaged`)
  return [...lines]
}

/** For a larger file, SQLite's check of every page takes longer than another writer waits. */
const LARGEST_COMMIT_BYTES = 256 << 20

function refresh(db: ReadDb, sql: string): void {
  try {
    db.value(sql)
  } catch (error) {
    // The check says what is damaged about the index.
    if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
  }
}

export const isCheckTooLong = (bytes: number): boolean => bytes > LARGEST_COMMIT_BYTES

const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`

const linesOf = (db: ReadDb, pragma: string): string[] =>
  db
    .column<string>(pragma)
    .flatMap((text) => String(text).split('\n'))
    .filter((line) => line !== 'ok' && line.trim() !== '' && !line.startsWith('*** in database'))

const known = new WeakMap<object, readonly string[]>()

/** Returns what SQLite's check says, line by line. Two rules ask for it, and it is made once a scan. */
export function* pageReport(context: RuleContext): Generator<null, readonly string[]> {
  const lines = known.get(context.memory) ?? (yield* readReport(context))
  known.set(context.memory, lines)
  return lines
}
