import { LcmError } from '../../errors.ts'
import { NATIVE_VERSION } from '../../sqlite/native.ts'
import { keyOf } from '../../sqlite/schema-objects.ts'
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
  // Of the file itself: a view of the same name may stand in front of it.
  columns: /* sql */ `SELECT name FROM pragma_table_info(:table, 'main')`,
}

/** Any query of a full-text table makes this connection read its structure anew. */
const REFRESH = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'].map(
  (table) => [table, /* sql */ `SELECT rowid FROM ${table} WHERE ${table} MATCH '"lcm"' LIMIT 1`] as const,
)

/** Beyond this the file is checked table by table, so that others get their turn in between. */
const WHOLE_BYTES = 64 << 20

/**
 * Pages, and whether every index agrees with its table. A large file is checked table by table first, and for what
 * lies between tables last. https://www.sqlite.org/pragma.html#pragma_integrity_check
 */
function* checkPages(context: RuleContext): Iterable<Finding | null> {
  const { db, info, probe } = context
  // While another process writes, FTS5 compares the index with a structure that it remembers, and would report damage.
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
  // Over the whole file it would run what is computed.
  if (hasComputed) return
  for (const finding of pageFindings(context, 'PRAGMA main.quick_check(100)'))
    if (!seen.has(finding.detail)) yield finding
}

/** Beyond this SQLite's own check of every page takes longer than another writer waits. */
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

/** https://www.sqlite.org/pragma.html#pragma_foreign_key_check */
function* checkForeignKeys(context: RuleContext): Iterable<Finding | null> {
  for (const table of context.probe.tables.keys()) {
    if (context.db.value(queries.references, { table }) === undefined) continue
    try {
      yield* checkReferences(context, table)
    } catch (error) {
      // What is referred to has no key any more: no row of this table can be judged.
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
  type Row = { rowid: number | null; parent: string }
  for (const { rowid, parent } of db.iterate<Row>(`PRAGMA main.foreign_key_check(${quoted(table)})`)) {
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

/** What a row belongs to, by the names that ids have in all systems. */
function nodeOf(db: RuleContext['db'], table: string, rowid: number): Node {
  const names = new Set(db.column<string>(queries.columns, { table }))
  const wanted = {
    messageId: 'message_id',
    summaryId: 'summary_id',
    fileId: 'file_id',
    conversationId: 'conversation_id',
  }
  const there = Object.entries(wanted).filter(([, column]) => names.has(column))
  if (there.length === 0) return {}
  const list = there.map(([name, column]) => `"${column}" AS ${name}`).join(', ')
  const row = db.get<Record<string, unknown>>(
    /* sql */ `SELECT ${list} FROM main."${table.replaceAll('"', '""')}" WHERE rowid = CAST(:row AS INTEGER)`,
    { row: rowid },
  )
  if (!row) return {}
  const { messageId, summaryId, fileId, conversationId } = row
  // An id of another type is not the one by which we know the row.
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
    // Rows that are written through SQL leave the pages sound; in a large file looking at all takes longer than others wait.
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
