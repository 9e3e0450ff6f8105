import { NATIVE_VERSION } from '../db/native.ts'
import { type Check, type CheckContext, type Finding, findByQuery, nativeOnly } from './check.ts'

const queries = {
  unindexedMessages: `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId, 'not in the full-text index' AS detail
    FROM messages AS m
    WHERE NOT EXISTS (SELECT 1 FROM messages_fts_docsize AS d WHERE d.id = m.message_id)
      AND (:conversation IS NULL OR m.conversation_id = :conversation)`,
  unindexedSummaries: `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId, 'not in the full-text index' AS detail
    FROM summaries AS s
    WHERE NOT EXISTS (SELECT 1 FROM summaries_fts_docsize AS d WHERE d.id = s.summary_rowid)
      AND (:conversation IS NULL OR s.conversation_id = :conversation)`,
  abandonedRuns: `
    SELECT NULL AS id, conversation_id AS conversationId, run_id || ' of ' || owner || ' never finished' AS detail
    FROM compaction_runs AS r
    WHERE finished_at IS NULL AND (:conversation IS NULL OR conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM conversation_locks AS l WHERE l.conversation_id = r.conversation_id)`,
  locks: `
    SELECT conversation_id AS conversationId, owner, lease_until AS leaseUntilMs
    FROM conversation_locks
    WHERE :conversation IS NULL OR conversation_id = :conversation`,
}

/** Any query of a full-text table makes this connection read its structure anew. */
const REFRESH = ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'].map(
  (table) => `SELECT rowid FROM ${table} WHERE ${table} MATCH '"lcm"' LIMIT 1`,
)

/** https://www.sqlite.org/pragma.html#pragma_quick_check */
function* checkPages({ db, info }: CheckContext): Iterable<Finding> {
  // While another process writes, FTS5 compares the index with a structure that it remembers, and would report damage.
  if (info.system === 'native') for (const sql of REFRESH) db.value(sql)
  const rows = db.column<string>('PRAGMA main.quick_check(100)')
  for (const detail of rows) if (detail !== 'ok') yield { id: null, conversationId: null, detail }
}

/** https://www.sqlite.org/pragma.html#pragma_foreign_key_check */
function* checkForeignKeys({ db }: CheckContext): Iterable<Finding> {
  type Row = { table: string; rowid: number | null; parent: string }
  for (const row of db.iterate<Row>('PRAGMA main.foreign_key_check')) {
    yield {
      id: null,
      conversationId: null,
      detail: `${row.table} row ${row.rowid ?? '?'} refers to a missing row of ${row.parent}`,
    }
  }
}

function* checkVersion({ db }: CheckContext): Iterable<Finding> {
  const version = db.value<number>('PRAGMA main.user_version') ?? 0
  if (version !== NATIVE_VERSION) {
    yield { id: null, conversationId: null, detail: `schema ${version}, this version writes ${NATIVE_VERSION}` }
  }
}

function* findStaleLocks({ db, clock, conversationId }: CheckContext): Iterable<Finding> {
  type Row = { conversationId: number; owner: string; leaseUntilMs: number }
  const now = clock()
  for (const row of db.iterate<Row>(queries.locks, { conversation: conversationId })) {
    if (row.leaseUntilMs < now) {
      const since = new Date(row.leaseUntilMs).toISOString()
      yield {
        id: null,
        conversationId: row.conversationId,
        detail: `held by ${row.owner}, whose lease ended at ${since}`,
      }
    }
  }
}

export const fileChecks: readonly Check[] = [
  {
    id: 'sqlite_integrity',
    group: 'file',
    severity: 'error',
    invariant: "The pages of the file are sound by SQLite's own check.",
    explanation: 'Parts of the file cannot be trusted or read. Make a copy before anything else.',
    repairable: false,
    find: checkPages,
  },
  {
    id: 'foreign_keys',
    group: 'file',
    severity: 'error',
    invariant: 'Every declared reference between tables leads to a row.',
    explanation: 'A row refers to another that is gone. The lineage and window checks say what that means.',
    repairable: false,
    find: checkForeignKeys,
  },
  {
    id: 'schema_version',
    group: 'file',
    severity: 'info',
    invariant: 'The file has the schema of this version.',
    explanation: 'The file was written by another version; it is read as far as this one understands it.',
    repairable: false,
    notApplicable: nativeOnly('a schema version'),
    find: checkVersion,
  },
  {
    id: 'fts_in_sync',
    group: 'file',
    severity: 'warning',
    invariant: 'Every message and summary is in the full-text index.',
    explanation: 'The index lacks rows that the table has: searching by index misses them.',
    repairable: true,
    notApplicable: nativeOnly('an index that can be compared row by row'),
    find: function* (context) {
      yield* findByQuery(context, queries.unindexedMessages)
      yield* findByQuery(context, queries.unindexedSummaries)
    },
  },
  {
    id: 'stale_lock',
    group: 'operations',
    severity: 'warning',
    invariant: 'No conversation is locked by someone whose lease has ended.',
    explanation: 'A compaction was cut off. The next one takes the lock over by itself.',
    repairable: true,
    notApplicable: nativeOnly('locks with a lease'),
    find: findStaleLocks,
  },
  {
    id: 'abandoned_run',
    group: 'operations',
    severity: 'warning',
    invariant: 'Every compaction run that began also ended.',
    explanation: 'A compaction was cut off. What it had committed is valid; its end was never recorded.',
    repairable: true,
    notApplicable: nativeOnly('compaction runs'),
    find: (context) => findByQuery(context, queries.abandonedRuns),
  },
]
