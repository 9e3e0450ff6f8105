import { NodeId } from '#core/contract/ids.ts'
import type { StoredEntry } from '#core/memory/window-entries.ts'
import { parsedJson } from '#core/parsed-json.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isNoName, shownValue } from '#core/sqlite/shown-values.ts'
import { withoutYielding } from '#core/yielding.ts'
import { messageNumber } from '../reading/node-id.ts'
import { PRUNE } from '../reading/pruned-outputs.ts'

const queries = {
  events: /* sql */ `
    SELECT e.event_id AS eventId, e.run_id AS runId, e.at AS atMs, ${shownValue('compaction_events.pass', 'e')} AS pass,
      e.summary_id AS summaryId, coalesce(s.depth, iif(e.pass = 'leaf', 0, 1)) AS depth, e.level AS level,
      iif(json_valid(e.removed), json_array_length(e.removed), 0) AS removed, e.source_tokens AS sourceTokens,
      e.tokens AS tokens, e.duration_ms AS durationMs, e.newest_seq AS newestSeq
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.conversation_id = :conversationId AND e.event_id > CAST(:after AS INTEGER)
      AND NOT (${isNoName('e.summary_id')})
    ORDER BY e.event_id
    LIMIT CAST(:limit AS INTEGER)`,
  /** Counts and lengths that differ when something was logged, pruned, changed by hand or taken back. */
  state: /* sql */ `
    SELECT
      (SELECT count(*) FROM compaction_events WHERE conversation_id = :conversationId),
      (SELECT max(event_id) FROM compaction_events WHERE conversation_id = :conversationId),
      (SELECT max(surgery_id) FROM surgery_events),
      (
        SELECT total(octet_length(configuration)) FROM compaction_runs
        WHERE conversation_id = :conversationId AND mode = '${PRUNE}'
      )`,
  makers: /* sql */ `
    SELECT summary_id, run_id, at
    FROM compaction_events
    WHERE conversation_id = :conversationId AND NOT (${isNoName('summary_id')})
    ORDER BY event_id`,
  replacements: /* sql */ `
    SELECT event_id AS eventId, summary_id AS summaryId, NOT (${isNoName('summary_id')}) AS isNamed, removed
    FROM compaction_events
    WHERE conversation_id = :conversationId AND event_id > CAST(:eventId AS INTEGER)
      AND event_id < CAST(:before AS INTEGER)
    ORDER BY event_id DESC
    LIMIT CAST(:limit AS INTEGER)`,
  edits: /* sql */ `
    SELECT after_event AS eventId, at AS atMs, newest_seq AS newestSeq, window_from AS "from", window_to AS "to"
    FROM surgery_events
    WHERE conversation_id = :conversationId AND after_event >= CAST(:eventId AS INTEGER) AND window_from <> window_to
    ORDER BY surgery_id DESC`,
  imported: /* sql */ `
    SELECT e.summary_id
    FROM compaction_events AS e
    JOIN compaction_runs AS r ON r.run_id = e.run_id
    WHERE e.summary_id IN (SELECT value FROM json_each(:ids)) AND r.owner = 'import'`,
  notInForks: /* sql */ `
    SELECT run_id FROM compaction_runs
    WHERE conversation_id = :conversationId AND owner = 'import'
      AND iif(json_valid(configuration), configuration ->> '$.notInForks', 0) = 1`,
  lastReplaced: /* sql */ `
    SELECT removed FROM compaction_events WHERE summary_id = :id ORDER BY event_id DESC LIMIT 1`,
}

/** The runs of compactions that forks of the conversation do not have: there the agent sends the messages again. */
export const runsNotInForks = (db: ReadDb, conversationId: number): ReadonlySet<string> =>
  new Set(db.column<string>(queries.notInForks, { conversationId }))

/** What the file records of one replacement in a window. */
export type StoredEvent = {
  readonly eventId: number
  readonly runId: string
  readonly atMs: number
  readonly pass: 'leaf' | 'condensed'
  readonly summaryId: string
  readonly depth: number
  readonly level: string
  /** Entries that went out. */
  readonly removed: number
  readonly sourceTokens: number
  readonly tokens: number
  readonly durationMs: number
  /** The seq of the newest message at that moment; null when it was not recorded. */
  readonly newestSeq: number | null
}

/** Events between two yields: some milliseconds. */
const AT_ONCE = 512

/** Replacements in the window of a conversation, oldest first. Those whose summary has no usable id are left out. */
export const compactionEvents = (db: ReadDb, conversationId: number): StoredEvent[] =>
  withoutYielding(readingCompactionEvents(db, conversationId))

/** The same, a page at a time. */
export function* readingCompactionEvents(db: ReadDb, conversationId: number): Generator<void, StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = 0; ; ) {
    const page = db.all<StoredEvent>(queries.events, { conversationId, after, limit: AT_ONCE })
    for (const event of page) events.push(event)
    const last = page.at(-1)
    if (last === undefined || page.length < AT_ONCE) return events
    after = last.eventId
    yield
  }
}

/** A text that differs when the log of a conversation changed, and how many events the log holds. */
export function eventLogState(db: ReadDb, conversationId: number): { readonly events: number; readonly state: string } {
  const [state] = db.rows<(number | null)[]>(queries.state, { conversationId })
  return { events: state?.[0] ?? 0, state: state?.join() ?? '' }
}

/** The run that made each summary of a conversation, and when, in the order of the replacements. */
export const summaryMakers = (
  db: ReadDb,
  conversationId: number,
): (readonly [summaryId: string, runId: string, atMs: number])[] => db.rows(queries.makers, { conversationId })

/** What went out of a window, as JSON text, when a summary came in. */
type StoredReplacement = {
  readonly eventId: number
  readonly summaryId: string
  /** 0 when the id of the summary is unusable, and 1 otherwise. */
  readonly isNamed: number
  readonly removed: string
}

/** Yields pages of the replacements in the window of a conversation after an event (0: all), newest first. */
export function* replacementsAfter(
  db: ReadDb,
  conversationId: number,
  eventId: number,
): Generator<readonly StoredReplacement[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = db.all<StoredReplacement>(queries.replacements, { conversationId, eventId, before, limit: AT_ONCE })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < AT_ONCE) return
    before = last.eventId
  }
}

/** A window before and after it was changed by hand or by a repair, as JSON texts. */
type StoredEdit = {
  /** The newest compaction event before the change; 0 when there was none. */
  readonly eventId: number
  readonly atMs: number
  readonly newestSeq: number | null
  readonly from: string
  readonly to: string
}

/** Changes of a window by hand or by a repair since an event, newest first. */
export const windowEditsSince = (db: ReadDb, conversationId: number, eventId: number): StoredEdit[] =>
  db.all<StoredEdit>(queries.edits, { conversationId, eventId })

/** The summaries, of some, that an import found in a transcript. */
export const importedSummaries = (db: ReadDb, ids: readonly string[]): ReadonlySet<string> =>
  new Set(ids.length === 0 ? [] : db.column<string>(queries.imported, { ids: JSON.stringify(ids) }))

/**
 * Parses what an event records of the entries that went out of the window: `[ordinal, type, id, created_at]` each. An
 * ordinal that is no number is NaN, and such a time null. Null for a text that is damaged.
 */
export function replacedEntries(json: string): StoredEntry[] | null {
  const items = parsedJson(json)
  if (!Array.isArray(items)) return null
  const entries = items.map((item): StoredEntry | null => {
    const [ordinal, type, id, placedAtMs] = Array.isArray(item) ? item : []
    const messageId = type === 'message' && typeof id === 'string' ? messageNumber(id) : null
    const summaryId = type !== 'message' && NodeId.safeParse(id).success ? id : null
    if (messageId === null && summaryId === null) return null
    const isTimed = typeof placedAtMs === 'number'
    return { ordinal: Number(ordinal), messageId, summaryId, placedAtMs: isTimed ? placedAtMs : null }
  })
  return entries.includes(null) ? null : (entries as StoredEntry[])
}

/** What went out of the window, as JSON text, when a summary last came in; undefined where that was not recorded. */
export const lastReplaced = (db: ReadDb, summaryId: string): string | undefined =>
  db.value<string>(queries.lastReplaced, { id: summaryId })
