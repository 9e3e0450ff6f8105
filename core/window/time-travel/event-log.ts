import { NodeId } from '../../contract/ids.ts'
import type { CompactionEvent } from '../../contract/time-travel.ts'
import { isNoName, shownValue } from '../../sqlite/native-values.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { messageNumber } from '../../systems/node-id.ts'
import type { Placements } from '../placements.ts'

const queries = {
  events: /* sql */ `
    SELECT e.event_id AS eventId, e.run_id AS runId, e.at AS atMs, ${shownValue('compaction_events.pass', 'e')} AS pass,
      e.summary_id AS summaryId, coalesce(s.depth, iif(e.pass = 'leaf', 0, 1)) AS depth, e.level AS level,
      iif(json_valid(e.removed), json_array_length(e.removed), 0) AS removed, e.source_tokens AS sourceTokens,
      e.tokens AS tokens, e.duration_ms AS durationMs, e.newest_seq AS newestSeq
    FROM compaction_events AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE e.conversation_id = :conversationId AND NOT (${isNoName('e.summary_id')})
    ORDER BY e.event_id`,
  replacementsAfter: /* sql */ `
    SELECT event_id AS eventId, summary_id AS summaryId, NOT (${isNoName('summary_id')}) AS isNamed, removed FROM compaction_events
    WHERE conversation_id = :conversationId AND event_id > CAST(:eventId AS INTEGER)
    ORDER BY event_id DESC`,
  /** What was done by hand or by a repair since; what left the window as it was does not matter here. */
  edits: /* sql */ `
    SELECT after_event AS eventId, at AS atMs, newest_seq AS newestSeq, window_from AS "from", window_to AS "to"
    FROM surgery_events
    WHERE conversation_id = :conversationId AND after_event >= CAST(:eventId AS INTEGER) AND window_from <> window_to
    ORDER BY surgery_id DESC`,
} as const

/** A replacement as the file records it. */
export type LoggedEvent = Omit<CompactionEvent, 'messages' | 'activeTokens'> & {
  /** Of the newest message at that moment; null when that was not recorded. */
  readonly newestSeq: number | null
}

/** A stretch of the window that went out, in order, and the one that came in. */
export type Replacement = {
  readonly placed: Placements
  readonly removed: Placements
  /** Of a compaction event. */
  readonly eventId?: number
}

/** Oldest first. */
export function readEvents(db: ReadDb, conversationId: number): LoggedEvent[] {
  return db.all<LoggedEvent>(queries.events, { conversationId })
}

/** A change of the window that was no compaction. */
export type Edit = Replacement & {
  /** The newest compaction event by then; 0: none. */
  readonly eventId: number
  readonly atMs: number
  readonly newestSeq: number | null
}

/**
 * What changed the window after an event (0: from the beginning), newest first; null when some of it cannot be read.
 * @param hadHappened of edits right after that event: which are older than the moment that is meant
 */
export function readReplacementsAfter(
  db: ReadDb,
  conversationId: number,
  eventId: number,
  hadHappened: (edit: Edit) => boolean,
): Replacement[] | null {
  const edits = readEdits(db, conversationId, eventId)
  if (!edits) return null
  const since = edits.filter((edit) => edit.eventId > eventId || !hadHappened(edit))
  type Row = { eventId: number; summaryId: string; isNamed: number; removed: string }
  const replacements: Replacement[] = []
  let next = 0
  // An edit after an event is undone before it.
  const takeEditsFrom = (from: number): void => {
    for (let edit = since[next]; edit && edit.eventId >= from; edit = since[next]) {
      replacements.push({ placed: edit.placed, removed: edit.removed })
      next += 1
    }
  }
  for (const row of db.all<Row>(queries.replacementsAfter, { conversationId, eventId })) {
    const removed = parseRemoved(row.removed)
    if (!removed || row.isNamed !== 1) return null
    takeEditsFrom(row.eventId)
    replacements.push({ placed: [row.summaryId], removed, eventId: row.eventId })
  }
  takeEditsFrom(0)
  return replacements
}

/** Newest first. */
export function readEdits(db: ReadDb, conversationId: number, eventId: number): Edit[] | null {
  type Row = Omit<Edit, 'placed' | 'removed'> & { from: string; to: string }
  const edits: Edit[] = []
  for (const { from, to, ...row } of db.all<Row>(queries.edits, { conversationId, eventId })) {
    const [removed, placed] = [parsePlacements(from), parsePlacements(to)]
    if (!removed || !placed) return null
    edits.push({ ...row, removed, placed })
  }
  return edits
}

/** Stored as message numbers and summary ids. */
function parsePlacements(json: string): Placements | null {
  try {
    const items: unknown = JSON.parse(json)
    const isEntry = (item: unknown): item is number | string =>
      typeof item === 'number' || NodeId.safeParse(item).success
    return Array.isArray(items) && items.every(isEntry) ? items : null
  } catch {
    // Not JSON: the file is damaged there, and the caller goes by creation times.
    return null
  }
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
      if (entry === null || (typeof entry === 'string' && !NodeId.safeParse(entry).success)) return null
      removed.push(entry)
    }
    return removed
  } catch {
    // Not JSON: the file is damaged there, and the caller goes by creation times.
    return null
  }
}
