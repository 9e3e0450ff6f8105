import { type Finding, findIn, isAsked, type ScanContext } from '../rules/scanned-memory.ts'
import type { SystemFacts } from '../system-facts.ts'

const queries = {
  /** A batch or node of the 1.0 line that was begun, and when something last happened to it. */
  pendingBatches: /* sql */ `
    SELECT batch_id AS id, conversation_id AS conversationId, status, unixepoch(updated_at) * 1000 AS atMs
    FROM main.pending_compaction_batches WHERE status IN ('planning', 'publishing')`,
  pendingNodes: /* sql */ `
    SELECT node_id AS id, conversation_id AS conversationId, status,
      unixepoch(coalesce(lease_expires_at, updated_at)) * 1000 AS atMs
    FROM main.pending_summary_nodes WHERE status = 'running'`,
  failedBatches: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId,
      'batch ' || batch_id || ' failed' || coalesce(': ' || substr(failure_summary, 1, 120), '') AS detail
    FROM main.pending_compaction_batches AS b
    WHERE status = 'failed' AND (:conversation IS NULL OR conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM main.pending_compaction_batches AS n
        WHERE n.conversation_id = b.conversation_id AND n.status = 'published' AND n.created_at > b.created_at)`,
  maintenance: /* sql */ `
    SELECT conversation_id AS conversationId, pending, retry_attempts AS retries, last_failure_summary AS failure
    FROM main.conversation_compaction_maintenance`,
  debts: /* sql */ `
    SELECT NULL AS id, d.conversation_id AS conversationId,
      'owed since ' || d.requested_at || ', and ' || d.turns || ' turns later still' AS detail
    FROM (
      SELECT p.*, (SELECT count(*) FROM main.messages AS m
        WHERE m.conversation_id = p.conversation_id AND m.role = 'user'
          AND unixepoch(m.created_at) > unixepoch(p.requested_at)) AS turns
      FROM main.conversation_compaction_maintenance AS p
      WHERE p.pending = 1 AND p.running = 0 AND (:conversation IS NULL OR p.conversation_id = :conversation)
    ) AS d
    WHERE d.turns >= CAST(:turns AS INTEGER)
      AND coalesce(unixepoch(d.last_started_at), 0) < unixepoch(d.requested_at)`,
  archived: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId,
      CASE WHEN archived_at IS NOT NULL THEN 'archived at ' || archived_at || ', but still marked active'
        ELSE 'not active, but without a time at which it was archived' END AS detail
    FROM main.conversations
    WHERE (archived_at IS NOT NULL) = (active = 1) AND (:conversation IS NULL OR conversation_id = :conversation)`,
  twins: /* sql */ `
    SELECT NULL AS id, max(conversation_id) AS conversationId, count(*) || ' active conversations of ' || session_key AS detail
    FROM main.conversations
    WHERE active = 1 AND session_key IS NOT NULL GROUP BY session_key HAVING count(*) > 1`,
  /** Whatever their keys are: the system finds one of them by its session and never the other. */
  sessionTwins: (key: string) => /* sql */ `
    SELECT NULL AS id, max(conversation_id) AS conversationId,
      count(*) || ' active conversations have the session id ' || substr(session_id, 1, 80) AS detail
    FROM main.conversations
    WHERE active = 1 AND session_id IS NOT NULL
    GROUP BY session_id
    HAVING count(*) > 1 AND (count(${key}) < count(*) OR count(DISTINCT ${key}) > 1)
      AND (:conversation IS NULL OR sum(conversation_id = :conversation) > 0)`,
  bootstrap: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId,
      'read up to byte ' || last_processed_offset || ' of a transcript of ' || last_seen_size AS detail
    FROM main.conversation_bootstrap_state
    WHERE (last_processed_offset > last_seen_size OR last_processed_offset < 0)
      AND (:conversation IS NULL OR conversation_id = :conversation)`,
  behind: /* sql */ `
    SELECT NULL AS id, b.conversation_id AS conversationId,
      printf('ingest is behind: read up to byte %,d of a transcript of %,d; %,d of its messages %s here',
        b.last_processed_offset, b.last_seen_size, b.messages, iif(b.messages = 1, 'is', 'are')) AS detail
    FROM (
      SELECT s.*, (SELECT count(*) FROM main.messages AS m WHERE m.conversation_id = s.conversation_id) AS messages
      FROM main.conversation_bootstrap_state AS s
      WHERE s.last_processed_offset >= 0 AND (:conversation IS NULL OR s.conversation_id = :conversation)
    ) AS b
    WHERE b.last_processed_offset < b.last_seen_size / 2
      AND b.last_seen_size - b.last_processed_offset >= CAST(:bytes AS INTEGER)`,
  budgets: (threshold: string) => /* sql */ `
    SELECT conversation_id AS conversationId, token_budget AS budgetTokens, ${threshold} AS threshold,
      iif(pending = 1 AND running = 0 AND coalesce(unixepoch(last_started_at), 0) < unixepoch(requested_at),
        unixepoch(requested_at) * 1000, NULL) AS pendingSinceMs
    FROM main.conversation_compaction_maintenance
    WHERE typeof(token_budget) = 'integer' AND token_budget > 0
      AND (:of IS NULL OR conversation_id IN (SELECT value FROM json_each(:of)))`,
  bootstrapPath: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId, 'no transcript is named' AS detail
    FROM main.conversation_bootstrap_state
    WHERE trim(coalesce(session_file_path, '')) = '' AND (:conversation IS NULL OR conversation_id = :conversation)`,
  briefs: /* sql */ `
    SELECT NULL AS id, b.conversation_id AS conversationId,
      'the brief ' || f.brief_id || ' rests on ' || f.summary_id || ', which does not exist' AS detail
    FROM main.focus_brief_sources AS f
    LEFT JOIN main.focus_briefs AS b ON b.brief_id = f.brief_id
    WHERE NOT EXISTS (SELECT 1 FROM main.summaries AS s WHERE s.summary_id = f.summary_id)
      AND (:conversation IS NULL OR b.conversation_id = :conversation)`,
  briefSequence: /* sql */ `
    SELECT NULL AS id, b.conversation_id AS conversationId,
      'the brief ' || b.brief_id || ' covers up to message ' || b.covered_message_seq || ', which does not exist' AS detail
    FROM main.focus_briefs AS b
    WHERE b.covered_message_seq > (SELECT max(m.seq) FROM main.messages AS m WHERE m.conversation_id = b.conversation_id)
      AND (:conversation IS NULL OR b.conversation_id = :conversation)`,
}

/** Attempts after which its own system gives a debt up. */
const MANY_RETRIES = 5
/**
 * Turns after which a debt has been passed over: its system pays it at the next, or asks again and notes the later time.
 * Hours do not count, since an agent that rests owes nothing new.
 */
const PASSED_OVER_TURNS = 5
/** More than this that is not read is no line that was being written when the state was noted. */
const UNREAD_BYTES = 16 << 10
/** Work of the 1.0 line that has been begun for longer than this has nobody at work on it. */
const PENDING_MS = 600_000

type Pending = { id: string; conversationId: number; status: string; atMs: number | null }

function* findPending(
  context: ScanContext,
  nowMs: number,
  { sql, table, what }: { readonly sql: string; readonly table: string; readonly what: string },
): Iterable<Finding> {
  if (!context.probe.has(table)) return
  for (const { id, conversationId, status, atMs } of context.db.iterate<Pending>(sql)) {
    if (!isAsked(context, conversationId) || nowMs - (atMs ?? 0) < PENDING_MS) continue
    yield { id: null, conversationId, detail: `${what} ${id} is ${status} since ${timeOf(atMs)}` }
  }
}

const timeOf = (atMs: number | null): string => (atMs === null ? 'an unknown time' : new Date(atMs).toISOString())

function* findFailures(context: ScanContext): Iterable<Finding> {
  const { db, probe } = context
  if (probe.has('conversation_compaction_maintenance', 'retry_attempts')) {
    type Row = { conversationId: number; pending: number; retries: number; failure: string | null }
    for (const { conversationId, pending, retries, failure } of db.iterate<Row>(queries.maintenance)) {
      const hasFailed = (failure ?? '').trim() !== ''
      if (!isAsked(context, conversationId) || pending !== 1 || (retries < MANY_RETRIES && !hasFailed)) continue
      const why = hasFailed ? `: ${failure?.slice(0, 120)}` : ''
      yield { id: null, conversationId, detail: `owed since ${retries} failed attempts${why}` }
    }
  }
  if (probe.has('conversation_compaction_maintenance', 'last_started_at')) {
    const params = { conversation: context.conversationId, turns: PASSED_OVER_TURNS }
    yield* db.iterate<Finding>(queries.debts, params)
  }
  yield* findIn(context, ['pending_compaction_batches'], queries.failedBatches)
}

function* findWrongFlags(context: ScanContext): Iterable<Finding> {
  yield* findIn(context, [], queries.archived)
  const hasKeys = context.probe.has('conversations', 'session_key')
  if (hasKeys) yield* findIn(context, [], queries.twins)
  if (context.probe.has('conversations', 'session_id'))
    yield* findIn(context, [], queries.sessionTwins(hasKeys ? 'session_key' : 'NULL'))
}

function* findWrongReading(context: ScanContext): Iterable<Finding> {
  yield* findIn(context, [], queries.bootstrap)
  yield* findIn(context, [], queries.bootstrapPath)
  yield* context.db.iterate<Finding>(queries.behind, { conversation: context.conversationId, bytes: UNREAD_BYTES })
}

/** The budget and threshold with which its compactions were last asked for. */
export const ownBudgets: NonNullable<SystemFacts['ownBudgets']> = (db, probe, of) => {
  const has = (column: string): boolean => probe.has('conversation_compaction_maintenance', column)
  if (!has('token_budget') || !has('last_started_at')) return new Map()
  type Row = { conversationId: number; budgetTokens: number; threshold: unknown; pendingSinceMs: number | null }
  return new Map(
    db
      .all<Row>(queries.budgets(has('context_threshold') ? 'context_threshold' : 'NULL'), {
        of: of && JSON.stringify(of),
      })
      .map(({ conversationId, budgetTokens, threshold, pendingSinceMs }) => {
        const isShare = typeof threshold === 'number' && threshold > 0 && threshold <= 1
        return [conversationId, { budgetTokens, threshold: isShare ? threshold : null, pendingSinceMs }]
      }),
  )
}

function* findWrongBriefs(context: ScanContext): Iterable<Finding> {
  yield* findIn(context, ['focus_brief_sources'], queries.briefs)
  if (context.probe.has('focus_briefs', 'covered_message_seq')) yield* findIn(context, [], queries.briefSequence)
}

/** What it notes of its own work: by release more or less. */
export const workNotes: SystemFacts['work'] = {
  'stale marks': {
    isKept: (probe) => probe.has('pending_summary_nodes'),
    find: (context, nowMs) =>
      findPending(context, nowMs, {
        sql: queries.pendingNodes,
        table: 'pending_summary_nodes',
        what: 'the pending summary',
      }),
  },
  'unfinished work': {
    isKept: (probe) => probe.has('pending_compaction_batches'),
    find: (context, nowMs) =>
      findPending(context, nowMs, {
        sql: queries.pendingBatches,
        table: 'pending_compaction_batches',
        what: 'the batch',
      }),
  },
  failures: { isKept: (probe) => probe.has('conversation_compaction_maintenance'), find: findFailures },
  'active flags': {
    isKept: (probe) => probe.has('conversations', 'active') && probe.has('conversations', 'archived_at'),
    find: findWrongFlags,
  },
  reading: {
    isKept: (probe) => probe.has('conversation_bootstrap_state', 'last_processed_offset'),
    find: findWrongReading,
  },
  briefs: { isKept: (probe) => probe.has('focus_briefs'), find: findWrongBriefs },
}
