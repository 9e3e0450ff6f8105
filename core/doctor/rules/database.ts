import { LcmError } from '#core/errors.ts'
import { NATIVE_VERSION } from '#core/sqlite/native.ts'
import { isExactInteger } from '#core/sqlite/shown-values.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { nativeOnly } from './applicability.ts'
import { damagedIndexes, indexDamaged } from './damaged-indexes.ts'
import { dropDangling } from './lineage.ts'
import { isCheckTooLong, pageReport } from './page-report.ts'
import { dropDanglingItems } from './window.ts'

const queries = {
  references: /* sql */ `SELECT 1 FROM pragma_foreign_key_list(:table, 'main') LIMIT 1`,
  // Asks for the columns of the file's own table, which a view of the same name may hide.
  columns: /* sql */ `SELECT name FROM pragma_table_info(:table, 'main')`,
  /** https://www.sqlite.org/pragma.html#pragma_foreign_key_check */
  brokenReferences: /* sql */ `
    SELECT CAST("rowid" AS TEXT) AS rowid, parent FROM pragma_foreign_key_check(:table, 'main')`,
}

/** What SQLite's check says of more than indexes, where anything may be lost. */
function* checkPages(context: RuleContext): Iterable<Finding | null> {
  if ((yield* damagedIndexes(context)) !== null) return
  for (const detail of yield* pageReport(context)) yield { id: null, conversationId: null, detail }
}

/** https://www.sqlite.org/pragma.html#pragma_foreign_key_check */
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
  indexDamaged,
  {
    id: 'sqlite_integrity',
    // Writing rows through SQL leaves the pages valid, and checking all pages of a large file takes longer than others
    // wait.
    isLeftOutOfCommit: isCheckTooLong,
    settledAlong: {
      reads: [],
      isGone: ({ detail }) => /CHECK constraint failed|inverted index|fts5?|_trigram/i.test(detail),
      isFileWide: true,
    },
    group: 'file',
    severity: 'error',
    phase: 'sqlite',
    invariant: "The pages and tables of the file are sound by SQLite's own check.",
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
