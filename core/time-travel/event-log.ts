import type { Placements } from '../context/placements.ts'
import type { CompactionEvent } from '../contract/time-travel.ts'
import { messageNumber } from '../conversations/node-id.ts'
import type { ReadDb } from '../db/read-db.ts'

const queries = {
  events: /* sql */ `
    SELECT e.event_id AS eventId, e.run_id AS runId, e.at AS atMs, iif(e.pass = 'leaf', 'leaf', 'condensed') AS pass,
      e.summary_id AS summaryId, coalesce(s.depth, iif(e.pass = 'leaf', 0, 1)) AS depth, e.level AS level,
      iif(json_valid(e.removed), json_array_length(e.removed), 0) AS removed, e.source_tokens AS sourceTokens,
      e.tokens AS tokens, e.duration_ms AS durationMs, e.newest_seq AS newestSeq
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.conversation_id = :conversationId
    ORDER BY e.event_id`,
  replacementsAfter: /* sql */ `
    SELECT summary_id AS summaryId, removed FROM compaction_events
    WHERE conversation_id = :conversationId AND event_id > CAST(:eventId AS INTEGER)
    ORDER BY event_id DESC`,
} as const

/** A replacement as the file records it. */
export type LoggedEvent = Omit<CompactionEvent, 'messages'> & {
  /** Of the newest message at that moment; null when that was not recorded. */
  readonly newestSeq: number | null
}

/** What went out of the window, in order, and what came in. */
export type Replacement = { readonly summaryId: string; readonly removed: Placements }

/** Oldest first. */
export function readEvents(db: ReadDb, conversationId: number): LoggedEvent[] {
  return db.all<LoggedEvent>(queries.events, { conversationId })
}

/** The replacements after an event (0: all of them), newest first; null when one of them cannot be read. */
export function readReplacementsAfter(db: ReadDb, conversationId: number, eventId: number): Replacement[] | null {
  type Row = { summaryId: string; removed: string }
  const replacements: Replacement[] = []
  for (const row of db.all<Row>(queries.replacementsAfter, { conversationId, eventId })) {
    const removed = parseRemoved(row.removed)
    if (!removed) return null
    replacements.push({ summaryId: row.summaryId, removed })
  }
  return replacements
}

/** Stored as `[ordinal, type, id, created_at]` for each item. */
function parseRemoved(json: string): Placements | null {
  try {
    const items: unknown = JSON.parse(json)
    if (!Array.isArray(items)) return null
    const removed: (number | string)[] = []
    for (const item of items) {
      const [, type, id] = Array.isArray(item) ? item : []
      const entry = typeof id !== 'string' ? null : type === 'message' ? messageNumber(id) : id
      if (entry === null) return null
      removed.push(entry)
    }
    return removed
  } catch {
    // Not JSON: the file is damaged there, and the caller goes by creation times.
    return null
  }
}
