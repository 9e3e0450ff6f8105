import { NodeId } from '../../contract/ids.ts'
import type { CompactionEvent } from '../../contract/time-travel.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { messageNumber } from '../../systems/node-id.ts'
import {
  compactionEvents,
  replacementsAfter,
  type StoredEvent,
  windowEditsSince,
} from '../../systems/records/events.ts'
import type { Placements } from '../placements.ts'

/** A replacement as the file records it. */
export type LoggedEvent = Omit<CompactionEvent, 'messages' | 'activeTokens'> & Pick<StoredEvent, 'newestSeq'>

/** Entries that stood in the window one after the other and went out, in order, and those that came in. */
export type Replacement = {
  readonly placed: Placements
  readonly removed: Placements
  /** Of a compaction event. */
  readonly eventId?: number
}

/** Oldest first. */
export function readEvents(db: ReadDb, conversationId: number): LoggedEvent[] {
  return compactionEvents(db, conversationId)
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
  const replacements: Replacement[] = []
  let next = 0
  // An edit after an event is undone before it.
  const takeEditsFrom = (from: number): void => {
    for (let edit = since[next]; edit && edit.eventId >= from; edit = since[next]) {
      replacements.push({ placed: edit.placed, removed: edit.removed })
      next += 1
    }
  }
  for (const row of replacementsAfter(db, conversationId, eventId)) {
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
  const edits: Edit[] = []
  for (const { from, to, ...row } of windowEditsSince(db, conversationId, eventId)) {
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
