import type { UndoCompactionInput } from '../contract/compaction.ts'
import type { ErrorCode } from '../contract/error.ts'
import type { WindowEntry } from '../memory/draft.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { replacedEntries } from '../systems/records/events.ts'
import { UNDONE } from '../systems/records/runs.ts'
import { undoReplacements } from '../window/time-travel/undo.ts'

const queries = {
  run: /* sql */ `
    SELECT r.run_id AS runId, r.owner AS owner, r.started_at AS startedAtMs, r.stop_reason AS stopReason
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversationId AND r.run_id = :runId`,
  newestRun: /* sql */ `
    SELECT r.run_id AS runId, r.owner AS owner, r.started_at AS startedAtMs, r.stop_reason AS stopReason
    FROM compaction_events AS e
    JOIN compaction_runs AS r ON r.run_id = e.run_id
    WHERE e.conversation_id = :conversationId AND r.stop_reason IS NOT '${UNDONE}'
    ORDER BY e.event_id DESC
    LIMIT 1`,
  events: /* sql */ `
    SELECT e.summary_id AS summaryId, e.removed AS removed, e.source_tokens - e.tokens AS saved,
      e.newest_seq AS newestSeq, s.created_at >= e.at AS isMadeHere, s.summary_id IS NOT NULL AS isThere
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.run_id = :runId
    ORDER BY e.event_id DESC`,
  sources: /* sql */ `
    SELECT summary_id AS summaryId, 'msg_' || message_id AS source, ordinal FROM summary_messages
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    UNION ALL
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources
    WHERE summary_id IN (SELECT value FROM json_each(:ids))
    ORDER BY 1, ordinal`,
  /** A summary that was made from one of these, and the run that made it. */
  builtUpon: /* sql */ `
    SELECT k.source_summary_id AS id, k.summary_id AS dependent,
      (SELECT e.run_id FROM compaction_events AS e WHERE e.summary_id = k.summary_id
       ORDER BY e.event_id DESC LIMIT 1) AS runId
    FROM summary_sources AS k
    WHERE k.source_summary_id IN (SELECT value FROM json_each(:ids))
      AND k.summary_id NOT IN (SELECT value FROM json_each(:ids))
    LIMIT 1`,
  rewritten: /* sql */ `
    SELECT o.value ->> 'id'
    FROM surgery_events AS g, json_each(iif(json_valid(g.detail), g.detail, '{}'), '$.replaced') AS o
    WHERE g.conversation_id = :conversationId AND g.kind = 'rewrite'
      AND o.value ->> 'id' IN (SELECT value FROM json_each(:ids))
      AND g.after_event >= (SELECT max(e.event_id) FROM compaction_events AS e WHERE e.run_id = :runId)
    LIMIT 1`,
  window: /* sql */ `
    SELECT ordinal, message_id AS messageId, summary_id AS summaryId, created_at AS placedAtMs
    FROM context_items
    WHERE conversation_id = :conversationId
    ORDER BY ordinal`,
  newer: /* sql */ `
    SELECT count(*) FROM messages WHERE conversation_id = :conversationId AND seq > CAST(:seq AS INTEGER)`,
} as const

export type UndoableRun = {
  readonly runId: string
  readonly owner: string
  readonly startedAtMs: number
  readonly stopReason: string | null
}

type Event = {
  readonly summaryId: string
  readonly removed: string
  readonly saved: number
  readonly newestSeq: number | null
  /** 0: the summary was in the file before the run, which only put it into the window. */
  readonly isMadeHere: number
  readonly isThere: number
}

/** Why a run cannot be taken back. */
type Refusal = { readonly code: ErrorCode; readonly message: string }

/** What taking a run back writes. */
export type Undoing = {
  readonly run: UndoableRun
  readonly before: readonly WindowEntry[]
  readonly after: readonly WindowEntry[]
  /** Newest first, so that no summary is removed before what was made from it. */
  readonly removed: readonly string[]
  readonly saved: number
  readonly keptMessages: number
}

/** Finds the run that was asked for, or the newest one. */
export const findRun = (db: ReadDb, { conversationId, runId }: UndoCompactionInput): UndoableRun | undefined =>
  runId === undefined
    ? db.get<UndoableRun>(queries.newestRun, { conversationId })
    : db.get<UndoableRun>(queries.run, { conversationId, runId })

/** Reads what has to be written to take a run back, or decides why nothing may be. */
export function findUndoing(db: ReadDb, input: UndoCompactionInput): Undoing | Refusal {
  const { conversationId } = input
  const run = findRun(db, input)
  if (!run) return noRun(input)
  if (run.stopReason === UNDONE)
    return { code: 'conflict', message: `Run ${run.runId} was taken back already: nothing of it is left.` }
  if (run.owner === 'import')
    return {
      code: 'unsupported',
      message: `Run ${run.runId} is the agent's own, found in its transcript: its window holds what that agent sees. Import the transcript with "--window history" into another file to see it without compactions.`,
    }
  const events = db.all<Event>(queries.events, { runId: run.runId })
  const ids = events.map(({ summaryId }) => summaryId)
  const removed = [...new Set(events.filter(({ isMadeHere }) => isMadeHere === 1).map(({ summaryId }) => summaryId))]
  const before = db.all<WindowEntry>(queries.window, { conversationId })
  const refusal = whyBuiltUpon(db, conversationId, run, events)
  if (refusal !== null) return { code: 'conflict', message: refusal }
  const after = windowWithout(before, events)
  if (after === null) {
    const message = `The window has changed since run ${run.runId} in a way that cannot be joined with what was there before (${ids.slice(0, 3).join(', ')}): restore a backup with "lcm undo BACKUP" instead.`
    return { code: 'conflict', message }
  }
  const newestSeq = events[0]?.newestSeq ?? null
  return {
    ...{ run, before, after, removed },
    saved: events.reduce((sum, event) => sum + event.saved, 0),
    keptMessages: newestSeq === null ? 0 : (db.value<number>(queries.newer, { conversationId, seq: newestSeq }) ?? 0),
  }
}

function noRun({ conversationId, runId }: UndoCompactionInput): Refusal {
  const message =
    runId === undefined
      ? `Conversation ${conversationId} has no compaction that could be taken back.`
      : `There is no compaction run ${JSON.stringify(runId)} in conversation ${conversationId}: "lcm call compaction runs" lists them.`
  return { code: 'not_found', message }
}

/** Returns what was made of the run's summaries since, and what has to be done first; null when nothing was. */
function whyBuiltUpon(db: ReadDb, conversationId: number, run: UndoableRun, events: readonly Event[]): string | null {
  const ids = JSON.stringify(events.map(({ summaryId }) => summaryId))
  const gone = events.find(({ isThere }) => isThere === 0)
  if (gone) {
    return `${gone.summaryId} of run ${run.runId} was dissolved or removed since, so that the run cannot be taken back as a whole: dissolve its other summaries one by one.`
  }
  const built = db.get<{ id: string; dependent: string; runId: string | null }>(queries.builtUpon, { ids })
  if (built) {
    const first = built.runId === null ? `dissolve ${built.dependent} first` : `take run ${built.runId} back first`
    return `${built.dependent} was made from ${built.id} of run ${run.runId} since: ${first}.`
  }
  const rewritten = db.value<string>(queries.rewritten, { conversationId, runId: run.runId, ids })
  if (rewritten !== undefined) {
    return `${rewritten} of run ${run.runId} was rewritten since, and its new text would be lost: restore the backup from before it with "lcm undo BACKUP", or leave the run.`
  }
  const sources = Map.groupBy(
    db.all<{ summaryId: string; source: string }>(queries.sources, { ids }),
    ({ summaryId }) => summaryId,
  )
  const changed = events.find((event) => {
    const now = (sources.get(event.summaryId) ?? []).map(({ source }) => source)
    return JSON.stringify(now) !== JSON.stringify(removedBy(event)?.map(idOf))
  })
  return changed
    ? `The sources of ${changed.summaryId} of run ${run.runId} were changed since: restore a backup with "lcm undo BACKUP" instead.`
    : null
}

/**
 * Returns the window with the entries that the run took out in the place of its summaries, newest replacement first.
 * They get their old ordinals. An entry after them that has one of these ordinals now gets a higher one. Null when the
 * window does not match.
 */
function windowWithout(window: readonly WindowEntry[], events: readonly Event[]): WindowEntry[] | null {
  const known = new Map(window.map((entry) => [placement(entry), entry]))
  const replacements: { placed: string[]; removed: (number | string)[] }[] = []
  for (const event of events) {
    const entries = removedBy(event)
    if (entries === null) return null
    for (const entry of entries) if (!known.has(placement(entry))) known.set(placement(entry), entry)
    replacements.push({ placed: [event.summaryId], removed: entries.map(placement) })
  }
  const placements = undoReplacements(window.map(placement), replacements)
  if (placements === null) return null
  let last = -1
  return [...placements].flatMap((key) => {
    const entry = known.get(key)
    if (!entry) return []
    last = Math.max(entry.ordinal, last + 1)
    return [{ ...entry, ordinal: last }]
  })
}

/** Null where the file is damaged there, so that the run cannot be taken back. */
function removedBy({ removed }: Event): WindowEntry[] | null {
  const entries = replacedEntries(removed)
  const isWhole = entries?.every(({ ordinal, placedAtMs }) => Number.isInteger(ordinal) && Number.isInteger(placedAtMs))
  return isWhole ? entries : null
}

/** Names an entry among the entries of a window. */
export const placement = ({ messageId, summaryId }: WindowEntry): number | string => messageId ?? summaryId ?? ''
const idOf = ({ messageId, summaryId }: WindowEntry): string => summaryId ?? `msg_${messageId}`
