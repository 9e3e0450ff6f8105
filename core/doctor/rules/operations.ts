import { readLocks, whyHoldsNobody, whyStale } from '#core/compaction/conversation-lock.ts'
import { CUT_OFF, endOf } from '#core/compaction/cut-off-runs.ts'
import type { RowChange } from '#core/contract/repair.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { type OpenRun, readOpenRuns } from '#core/systems/records/runs.ts'
import type { Fix } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked, oncePerScan } from '#core/systems/rules/scanned-memory.ts'
import type { OwnBudget, WorkNote } from '#core/systems/system-facts.ts'
import { plural } from '#core/text.ts'

const queries = {
  abandonedRuns: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId, run_id || ' of ' || owner || ' never finished' AS detail
    FROM compaction_runs AS r
    WHERE finished_at IS NULL AND (:conversation IS NULL OR conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM conversation_locks AS l WHERE l.conversation_id = r.conversation_id)`,
  lastRuns: /* sql */ `
    SELECT conversation_id AS conversationId, stop_reason AS stopReason, tokens_before AS tokensBefore,
      tokens_after AS tokensAfter
    FROM (
      SELECT *, row_number() OVER (PARTITION BY conversation_id ORDER BY started_at DESC) AS age
      FROM compaction_runs WHERE finished_at IS NOT NULL
    )
    WHERE age <= :runs
    ORDER BY conversation_id, age`,
}

const FAILING_RUNS = 3

const isNoted = ({ system, probe }: RuleContext, note: WorkNote): boolean =>
  system.facts.work[note]?.isKept(probe) === true

/** Findings about the records that the system of the file keeps of its own work. */
const noted = (context: RuleContext, note: WorkNote): Iterable<Finding> =>
  context.system.facts.work[note]?.find(context, context.clock()) ?? []

function* findStaleLocks(context: RuleContext): Iterable<Finding> {
  const now = context.clock()
  for (const lock of readLocks(context.db, context.conversationId)) {
    // Other systems have rules of their own for locks.
    const isOurs = isNative(context.info)
    const why = isOurs ? whyHoldsNobody(lock, now) : whyStale(lock, now)
    if (why !== null) yield { id: null, conversationId: lock.conversationId, detail: `held by ${lock.owner}, ${why}` }
  }
  yield* noted(context, 'stale marks')
}

function* findAbandoned(context: RuleContext): Iterable<Finding> {
  for (const row of context.db.iterate<Finding>(queries.abandonedRuns, { conversation: context.conversationId }))
    yield row
  yield* noted(context, 'unfinished work')
}

/** A conversation without a summary that should have one, by the budget of its file or else by that of the settings. */
type Uncompacted = {
  readonly conversationId: number
  readonly tokens: number
  readonly budgetTokens: number
  /** Null where the file notes no budget. */
  readonly own: OwnBudget | null
}

const uncompacted = oncePerScan((context: RuleContext): readonly Uncompacted[] => {
  const { messages, summaries, window } = context.memory
  const summarised = new Set(summaries.rows.map(({ conversationId }) => conversationId))
  const budgets = context.system.facts.ownBudgets?.(context.db, context.probe, null)
  return messages.ranges.flatMap(({ conversationId, from, to }): Uncompacted[] => {
    if (summarised.has(conversationId) || !isAsked(context, conversationId)) return []
    if (!context.system.facts.hasWindow(context, conversationId)) return []
    let tokens = 0
    for (let position = from; position < to; position += 1) {
      if (window.messageCounts[position] !== 0) tokens += Math.max(0, messages.tokens[position] as number) || 0
    }
    const own = budgets?.get(conversationId) ?? null
    const budgetTokens = own?.budgetTokens ?? context.settings.budgetTokens
    const isDue = tokens >= budgetTokens * (own?.threshold ?? context.settings.softThreshold)
    return isDue ? [{ conversationId, tokens, budgetTokens, own }] : []
  })
})

function* findNeverCompacted(context: RuleContext): Iterable<Finding | null> {
  for (const { conversationId, tokens, budgetTokens, own } of uncompacted(context)) {
    const percent = Math.floor((100 * tokens) / budgetTokens + 1e-6)
    const budget = own ? `the ${budgetTokens.toLocaleString('en')} that the file itself names` : 'the budget'
    yield { id: null, conversationId, detail: `${tokens.toLocaleString('en')} tokens, ${percent} % of ${budget}` }
  }
}

/** A compaction that was asked for begins within minutes, or at the next turn. */
const PENDING_MS = 24 * 3_600_000

function* findPendingForever(context: RuleContext): Iterable<Finding> {
  const now = context.clock()
  for (const { conversationId, own } of uncompacted(context)) {
    const sinceMs = own?.pendingSinceMs ?? null
    if (sinceMs === null || now - sinceMs < PENDING_MS) continue
    const days = Math.floor((now - sinceMs) / PENDING_MS)
    const since = new Date(sinceMs).toISOString().slice(0, 10)
    yield {
      id: null,
      conversationId,
      detail: `a compaction is pending since ${since} (${plural(days, 'day')}) and never began`,
    }
  }
}

function* findFailing(context: RuleContext): Iterable<Finding> {
  const { db, info } = context
  yield* noted(context, 'failures')
  yield* findPendingForever(context)
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

/** A run is not abandoned while its conversation is locked. The fix that removes the lock closes the run as well. */
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

/** Returns no run while a process works on the conversation. */
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
  notApplicable: (context) =>
    isNative(context.info) || isNoted(context, 'unfinished work')
      ? null
      : `${context.info.systemLabel} does not record compaction runs.`,
  find: findAbandoned,
} as const satisfies Rule

export const operationRules = [
  staleLock,
  abandonedRun,
  {
    id: 'never_compacted',
    group: 'operations',
    // With compaction by hand, a memory may stay as long as the user likes. A system that should have compacted it did
    // not.
    severity: (info) => (isNative(info) ? 'info' : 'warning'),
    phase: 'structure',
    invariant: 'A conversation above the threshold has been compacted at least once.',
    explanation:
      'The window is above the threshold at which it is compacted, and no summary was ever written. A budget that the file itself names counts before that of the settings.',
    advice: 'Compact the conversation: in its own system, or here in a working copy ("lcm copy").',
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
    notApplicable: (context) =>
      isNoted(context, 'active flags') ? null : `${context.info.systemLabel} does not mark conversations as active.`,
    find: (context) => noted(context, 'active flags'),
  },
  {
    id: 'ingest_state',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The transcript is read to its end, as is noted: a file, and an offset within it near its end.',
    explanation:
      'What the agent says does not arrive here, or the next messages are skipped or read again: reading stands still, or goes on from an offset that does not exist.',
    advice: 'Let its own system read the transcript from the start again; "lcm coverage" names what never arrived.',
    notApplicable: (context) =>
      isNoted(context, 'reading') ? null : `${context.info.systemLabel} does not record how far it has read.`,
    find: (context) => noted(context, 'reading'),
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
    notApplicable: (context) =>
      isNoted(context, 'briefs') ? null : `${context.info.systemLabel} keeps no focus briefs in this file.`,
    find: (context) => noted(context, 'briefs'),
  },
] as const satisfies readonly Rule[]
