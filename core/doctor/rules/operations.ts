import { readLocks, whyHoldsNobody, whyStale } from '../../compaction/conversation-lock.ts'
import type { RowChange } from '../../contract/repair.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { isNative } from '../../systems/native/native.ts'
import { type Finding, findIn, isAsked } from '../../systems/scanned-memory.ts'
import { CUT_OFF, endOf, type OpenRun, readOpenRuns } from '../../window/cut-off-runs.ts'
import { type Fix, plural } from './fix.ts'
import type { Rule, RuleContext } from './rule.ts'

const queries = {
  abandonedRuns: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId, run_id || ' of ' || owner || ' never finished' AS detail
    FROM compaction_runs AS r
    WHERE finished_at IS NULL AND (:conversation IS NULL OR conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM conversation_locks AS l WHERE l.conversation_id = r.conversation_id)`,
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
  lastRuns: /* sql */ `
    SELECT conversation_id AS conversationId, stop_reason AS stopReason, tokens_before AS tokensBefore,
      tokens_after AS tokensAfter
    FROM (
      SELECT *, row_number() OVER (PARTITION BY conversation_id ORDER BY started_at DESC) AS age
      FROM compaction_runs WHERE finished_at IS NOT NULL
    )
    WHERE age <= :runs
    ORDER BY conversation_id, age`,
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
/** Work of the 1.0 line that has been begun for longer than this has nobody at work on it. */
const PENDING_MS = 600_000
const FAILING_RUNS = 3

type Pending = { id: string; conversationId: number; status: string; atMs: number | null }

function* findPending(context: RuleContext, sql: string, table: string, what: string): Iterable<Finding> {
  if (!context.probe.has(table)) return
  const now = context.clock()
  for (const { id, conversationId, status, atMs } of context.db.iterate<Pending>(sql)) {
    if (!isAsked(context, conversationId) || now - (atMs ?? 0) < PENDING_MS) continue
    yield { id: null, conversationId, detail: `${what} ${id} is ${status} since ${timeOf(atMs)}` }
  }
}

const timeOf = (atMs: number | null): string => (atMs === null ? 'an unknown time' : new Date(atMs).toISOString())

function* findStaleLocks(context: RuleContext): Iterable<Finding> {
  const now = context.clock()
  for (const lock of readLocks(context.db, context.conversationId)) {
    // Another system gives leases by rules of its own.
    const isOurs = isNative(context.info)
    const why = isOurs ? whyHoldsNobody(lock, now) : whyStale(lock, now)
    if (why !== null) yield { id: null, conversationId: lock.conversationId, detail: `held by ${lock.owner}, ${why}` }
  }
  yield* findPending(context, queries.pendingNodes, 'pending_summary_nodes', 'the pending summary')
}

function* findAbandoned(context: RuleContext): Iterable<Finding> {
  for (const row of context.db.iterate<Finding>(queries.abandonedRuns, { conversation: context.conversationId }))
    yield row
  yield* findPending(context, queries.pendingBatches, 'pending_compaction_batches', 'the batch')
}

function* findNeverCompacted(context: RuleContext): Iterable<Finding | null> {
  const { messages, summaries, window } = context.facts
  const { budgetTokens, softThreshold } = context.settings
  const summarised = new Set(summaries.rows.map(({ conversationId }) => conversationId))
  for (const { conversationId, from, to } of messages.ranges) {
    yield null
    if (summarised.has(conversationId) || !isAsked(context, conversationId)) continue
    if (!context.system.facts.hasWindow(context, conversationId)) continue
    let tokens = 0
    for (let place = from; place < to; place += 1) {
      if (window.messageCounts[place] !== 0) tokens += Math.max(0, messages.tokens[place] as number) || 0
    }
    if (tokens < budgetTokens * softThreshold) continue
    const percent = Math.round((100 * tokens) / budgetTokens)
    yield { id: null, conversationId, detail: `${tokens.toLocaleString('en')} tokens, ${percent} % of the budget` }
  }
}

function* findFailing(context: RuleContext): Iterable<Finding> {
  const { db, probe, info } = context
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
  if (!isNative(info)) return
  type Run = { conversationId: number; stopReason: string | null; tokensBefore: number; tokensAfter: number | null }
  const runs = new Map<number, Run[]>()
  for (const run of db.iterate<Run>(queries.lastRuns, { runs: FAILING_RUNS })) {
    runs.set(run.conversationId, [...(runs.get(run.conversationId) ?? []), run])
  }
  for (const [conversationId, last] of runs) {
    const isFailing =
      last.length === FAILING_RUNS &&
      last.every((run) => run.stopReason === 'no_progress' || run.stopReason === 'conflict')
    if (isFailing && isAsked(context, conversationId)) {
      yield { id: null, conversationId, detail: `the last ${FAILING_RUNS} runs ended without progress` }
    }
  }
}

/** A run is not abandoned while its conversation is locked: who drops the lock closes the run as well. */
const dropLocks: Fix = {
  name: 'stale_lock',
  stage: 'locks',
  reads: ['operations'],
  *apply({ db, clock, conversationId }) {
    if (conversationId === null) return
    const nowMs = clock()
    const locks = readLocks(db, conversationId).filter((lock) => whyHoldsNobody(lock, nowMs) !== null)
    if (locks.length === 0) return
    const runs = readOpenRuns(db, conversationId)
    yield {
      title: 'Drop the lock of an owner that is gone',
      rule: `${locks.map((lock) => `${lock.owner}, ${whyHoldsNobody(lock, nowMs)}`).join('; ')}.${runs.length > 0 ? ` ${CLOSING}` : ''}`,
      risk: 'safe',
      nodes: [],
      alsoSettles: runs.length > 0 ? [abandonedRun] : [],
      changes: [
        ...locks.map(
          ({ owner, acquiredAtMs, leaseUntilMs }): RowChange => ({
            table: 'conversation_locks',
            key: { conversation_id: conversationId },
            before: { owner, acquired_at: acquiredAtMs, lease_until: leaseUntilMs },
            after: null,
          }),
        ),
        ...runs.map(closing),
      ],
    }
  },
}

const closeRuns: Fix = {
  name: 'abandoned_run',
  stage: 'runs',
  reads: ['operations'],
  *apply({ db, clock, conversationId, findingsOf }) {
    if (conversationId === null || findingsOf(staleLock).length > 0) return
    const runs = openRuns(db, conversationId, clock())
    if (runs.length === 0) return
    yield {
      title: `Close ${plural(runs.length, 'compaction run')} that never finished`,
      rule: CLOSING,
      risk: 'safe',
      nodes: [],
      changes: runs.map(closing),
    }
  },
}

const CLOSING = `A run that was cut off is recorded to have ended with its last replacement, stop reason "${CUT_OFF}".`

/** None while somebody works on the conversation. */
const openRuns = (db: ReadDb, conversationId: number, nowMs: number): OpenRun[] =>
  readLocks(db, conversationId).some((lock) => whyHoldsNobody(lock, nowMs) === null)
    ? []
    : readOpenRuns(db, conversationId)

const closing = (run: OpenRun): RowChange => ({
  table: 'compaction_runs',
  key: { run_id: run.runId },
  before: { finished_at: null },
  after: endOf(run),
})

const staleLock = {
  id: 'stale_lock',
  group: 'operations',
  severity: 'warning',
  phase: 'structure',
  invariant: 'No conversation is locked, or marked as being worked on, by someone who is gone.',
  explanation: 'A compaction was cut off and left its mark. Some systems wait for it for ever and never compact again.',
  fixes: [dropLocks],
  find: findStaleLocks,
} as const satisfies Rule

const abandonedRun = {
  id: 'abandoned_run',
  group: 'operations',
  severity: 'warning',
  phase: 'structure',
  invariant: 'Every compaction run that began also ended.',
  explanation: 'A compaction was cut off. What it had committed is valid; its end was never recorded.',
  fixes: [closeRuns],
  notApplicable: ({ info, probe }) =>
    isNative(info) || probe.has('pending_compaction_batches')
      ? null
      : `${info.systemLabel} does not record compaction runs.`,
  find: findAbandoned,
} as const satisfies Rule

export const operationRules = [
  staleLock,
  abandonedRun,
  {
    id: 'never_compacted',
    group: 'operations',
    // Who compacts by hand may leave a memory as long as they like; a system that should do it by itself did not.
    severity: (info) => (isNative(info) ? 'info' : 'warning'),
    phase: 'structure',
    invariant: 'A conversation above the threshold has been compacted at least once.',
    explanation: 'The window is above the threshold at which it is compacted, and no summary was ever written.',
    advice: 'Compact the conversation.',
    consequenceOf: ['token_drift', 'invalid_value'],
    find: findNeverCompacted,
  },
  {
    id: 'compaction_failing',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Compactions that were asked for succeed.',
    explanation: 'The last attempts to compact came to nothing, or none was made: the window keeps growing.',
    advice: 'Look at the runs and their stop reasons, then test the provider in Settings.',
    consequenceOf: ['stale_lock'],
    find: findFailing,
  },
  {
    id: 'archived_but_active_flag',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A conversation is either active or archived, and a session has one active conversation.',
    explanation:
      'The marks contradict each other, so that the system may go on writing to a conversation that was put aside, to the wrong one of two, or never again.',
    advice: 'Let its own system put the conversation aside again, or take it up.',
    notApplicable: ({ info, probe }) =>
      probe.has('conversations', 'active') && probe.has('conversations', 'archived_at')
        ? null
        : `${info.systemLabel} does not mark conversations as active.`,
    find: function* (context) {
      yield* findIn(context, [], queries.archived)
      const hasKeys = context.probe.has('conversations', 'session_key')
      if (hasKeys) yield* findIn(context, [], queries.twins)
      if (context.probe.has('conversations', 'session_id'))
        yield* findIn(context, [], queries.sessionTwins(hasKeys ? 'session_key' : 'NULL'))
    },
  },
  {
    id: 'ingest_state',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'What is noted about reading the transcript can be: a file, and a place within it.',
    explanation: 'The next messages may be skipped or read again: the system goes on from a place that is not there.',
    advice: 'Let its own system read the transcript from the start again; "lcm coverage" names what never arrived.',
    notApplicable: ({ info, probe }) =>
      probe.has('conversation_bootstrap_state', 'last_processed_offset')
        ? null
        : `${info.systemLabel} does not record how far it has read.`,
    find: function* (context) {
      yield* findIn(context, [], queries.bootstrap)
      yield* findIn(context, [], queries.bootstrapPath)
    },
  },
  {
    id: 'focus_source_missing',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'What a focus brief rests on exists.',
    explanation: 'The brief that is put in front of the window speaks of something that is not in the file.',
    advice: 'Let its own system make the brief anew.',
    consequenceOf: ['dangling_edge', 'dangling_item'],
    notApplicable: ({ info, probe }) =>
      probe.has('focus_briefs') ? null : `${info.systemLabel} keeps no focus briefs in this file.`,
    find: function* (context) {
      yield* findIn(context, ['focus_brief_sources'], queries.briefs)
      if (context.probe.has('focus_briefs', 'covered_message_seq')) yield* findIn(context, [], queries.briefSequence)
    },
  },
] as const satisfies readonly Rule[]
