import { LcmError } from '../../errors.ts'
import { NATIVE_VERSION } from '../../sqlite/native.ts'
import { keyOf } from '../../sqlite/schema-objects.ts'
import { isExactInteger } from '../../sqlite/shown-values.ts'
import { isNative } from '../../systems/native/native.ts'
import type { Rule, RuleContext } from '../../systems/rule.ts'
import type { Finding } from '../../systems/scanned-memory.ts'
import { nativeOnly } from './applicability.ts'
import { dropDangling } from './lineage.ts'
import { dropDanglingItems } from './window.ts'

const queries = {
  tables: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name`,
  isThere: /* sql */ `SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = :table`,
  references: /* sql */ `SELECT 1 FROM pragma_foreign_key_list(:table, 'main') LIMIT 1`,
  // Asks for the columns of the file's own table, which a view of the same name may hide.
  columns: /* sql */ `SELECT name FROM pragma_table_info(:table, 'main')`,
  /** https://www.sqlite.org/pragma.html#pragma_foreign_key_check */
  brokenReferences: /* sql */ `
    SELECT CAST("rowid" AS TEXT) AS rowid, parent FROM pragma_foreign_key_check(:table, 'main')`,
}

/** Any query of a full-text table makes this connection read the structure of its index again. */
const REFRESH = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'].map(
  (table) => [table, /* sql */ `SELECT rowid FROM ${table} WHERE ${table} MATCH '"lcm"' LIMIT 1`] as const,
)

/** A larger file is checked table by table, so that the scan can yield in between. */
const WHOLE_BYTES = 64 << 20

/**
 * Checks the pages, and whether every index agrees with its table. A large file is checked table by table first, and
 * the pages outside tables last. https://www.sqlite.org/pragma.html#pragma_integrity_check
 */
function* checkPages(context: RuleContext): Iterable<Finding | null> {
  const { db, info, probe } = context
  // After a write by another process FTS5 would compare the index with a structure in its cache, and report damage.
  if (isNative(info)) {
    for (const [table, sql] of REFRESH) if (db.value(queries.isThere, { table }) !== undefined) db.value(sql)
  }
  const hasComputed = probe.computed.size > 0
  if (info.bytes <= WHOLE_BYTES && !hasComputed) {
    yield* pageFindings(context, 'PRAGMA main.integrity_check(100)')
    return
  }
  const seen = new Set<string>()
  for (const table of db.column<string>(queries.tables)) {
    if (probe.computed.has(keyOf(table))) continue
    for (const finding of pageFindings(context, `PRAGMA main.integrity_check(${quoted(table)})`)) {
      seen.add(finding.detail)
      yield finding
    }
    yield null
  }
  // A check of the whole file would execute its computed objects.
  if (hasComputed) return
  for (const finding of pageFindings(context, 'PRAGMA main.quick_check(100)'))
    if (!seen.has(finding.detail)) yield finding
}

/** For a larger file, SQLite's check of every page takes longer than another writer waits. */
const LARGEST_COMMIT_BYTES = 256 << 20

const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`

function* pageFindings({ db }: RuleContext, sql: string): Generator<Finding> {
  for (const text of db.column<string>(sql)) {
    for (const detail of String(text).split('\n')) {
      if (detail !== 'ok' && detail.trim() !== '' && !detail.startsWith('*** in database')) {
        yield { id: null, conversationId: null, detail }
      }
    }
  }
}

function* checkForeignKeys(context: RuleContext): Iterable<Finding | null> {
  for (const table of context.probe.tables.keys()) {
    if (context.db.value(queries.references, { table }) === undefined) continue
    try {
      yield* checkReferences(context, table)
    } catch (error) {
      // The referenced table has no key any more, so no row of this table can be judged.
      if (!(error instanceof LcmError) || error.code !== 'sqlite_failed') throw error
      yield {
        id: null,
        conversationId: null,
        detail: `the references of ${table} cannot be followed: its target has no key`,
      }
    }
    yield null
  }
}

function* checkReferences({ db, memory }: RuleContext, table: string): Generator<Finding> {
  type Row = { rowid: string | null; parent: string }
  for (const { rowid, parent } of db.iterate<Row>(queries.brokenReferences, { table })) {
    const row = rowid === null ? undefined : nodeOf(db, table, rowid)
    const position = row?.messageId === undefined ? -1 : memory.messages.positionOf(row.messageId)
    const of = row?.messageId === undefined ? '' : ` of msg_${row.messageId}`
    yield {
      id: row?.summaryId ?? (position >= 0 ? memory.messageId(position) : null) ?? row?.fileId ?? null,
      conversationId: row?.conversationId ?? null,
      detail: `${table} row ${rowid ?? '?'}${of} refers to a missing row of ${parent}`,
    }
  }
}

type Node = { messageId?: number; summaryId?: string; fileId?: string; conversationId?: number }

/** Finds the node to which a row belongs, by the id columns that all systems have. */
function nodeOf(db: RuleContext['db'], table: string, rowid: string): Node {
  const names = new Set(db.column<string>(queries.columns, { table }))
  const wanted = {
    messageId: 'message_id',
    summaryId: 'summary_id',
    fileId: 'file_id',
    conversationId: 'conversation_id',
  }
  const there = Object.entries(wanted).filter(([, column]) => names.has(column))
  if (there.length === 0) return {}
  // A number beyond 2⁵³ comes as a text, since as a number it would be another one.
  const shown = (column: string): string =>
    `iif(typeof("${column}") <> 'integer' OR ${isExactInteger(`"${column}"`)}, "${column}", CAST("${column}" AS TEXT))`
  const list = there.map(([name, column]) => `${shown(column)} AS ${name}`).join(', ')
  const row = db.get<Record<string, unknown>>(
    /* sql */ `SELECT ${list} FROM main."${table.replaceAll('"', '""')}" WHERE rowid = CAST(:row AS INTEGER)`,
    { row: rowid },
  )
  if (!row) return {}
  const { messageId, summaryId, fileId, conversationId } = row
  // A value of another type is not the id by which the row is known.
  return {
    ...(typeof messageId === 'number' ? { messageId } : {}),
    ...(summaryId === null || summaryId === undefined ? {} : { summaryId: String(summaryId) }),
    ...(fileId === null || fileId === undefined ? {} : { fileId: String(fileId) }),
    ...(typeof conversationId === 'number' ? { conversationId } : {}),
  }
}

function* checkVersion({ db }: RuleContext): Iterable<Finding> {
  const version = db.value<number>('PRAGMA main.user_version') ?? 0
  if (version !== NATIVE_VERSION) {
    yield { id: null, conversationId: null, detail: `schema ${version}, this version writes ${NATIVE_VERSION}` }
  }
}

export const foreignKeys = {
  id: 'foreign_keys',
  group: 'file',
  severity: 'error',
  phase: 'sqlite',
  invariant: 'Every declared reference between tables leads to a row.',
  explanation: 'A row refers to another that is gone. The lineage and window checks say what that means.',
  fixes: [dropDangling, dropDanglingItems],
  settledAlong: {
    reads: ['window', 'summaries'],
    isGone: ({ detail }) => /^(summary_messages|summary_sources|context_items)\b/.test(detail),
    isFileWide: true,
  },
  advice:
    'What refers to missing canonical rows cannot be put right from this file: restore a backup, or import the transcript again.',
  cannotRestore: 'Rows that are gone are not recorded anywhere else in the file.',
  consequenceOf: ['dangling_item', 'dangling_edge', 'cross_conversation_edge', 'sequence_gap'],
  find: checkForeignKeys,
} as const satisfies Rule

export const databaseRules = [
  foreignKeys,
  {
    id: 'schema_version',
    group: 'file',
    severity: 'info',
    phase: 'structure',
    invariant: 'The file has the schema of this version.',
    explanation: 'The file was written by another version; it is read as far as this one understands it.',
    notApplicable: nativeOnly('a schema version'),
    find: checkVersion,
  },
  {
    id: 'sqlite_integrity',
    // Writing rows through SQL leaves the pages valid, and checking all pages of a large file takes longer than others
    // wait.
    isLeftOutOfCommit: (bytes) => bytes > LARGEST_COMMIT_BYTES,
    settledAlong: {
      reads: [],
      isGone: ({ detail }) => /CHECK constraint failed|inverted index|fts5?|_trigram/i.test(detail),
      isFileWide: true,
    },
    group: 'file',
    severity: 'error',
    phase: 'sqlite',
    invariant: "The pages and indexes of the file are sound by SQLite's own check.",
    explanation: 'Parts of the file cannot be trusted or read. Make a copy before anything else.',
    advice: 'Save what can be read into a new file ("lcm salvage"), or restore a backup; repair the copy.',
    cannotRestore: 'Rows on pages that cannot be read are lost unless a backup or the transcript holds them.',
    consequenceOf: [
      'invalid_value',
      'lineage_cycle',
      'fts_in_sync',
      'sequence_duplicate',
      'ordinal_duplicate',
      'duplicate_edge',
    ],
    find: checkPages,
  },
] as const satisfies readonly Rule[]
