import { NodeId } from '#core/contract/ids.ts'
import type { CompactionEvent } from '#core/contract/time-travel.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { replacedEntries, replacementsAfter, type StoredEvent, windowEditsSince } from '#core/systems/records/events.ts'
import { withoutYielding } from '#core/yielding.ts'
import type { Placements } from '../placements.ts'

/** A replacement as the file records it. */
export type LoggedEvent = Omit<CompactionEvent, 'messages' | 'activeTokens'> & Pick<StoredEvent, 'newestSeq'>

/** Consecutive entries that left the window, in order, and those that entered it. */
export type Replacement = {
  readonly placed: Placements
  readonly removed: Placements
  /** The id of a compaction event. */
  readonly eventId?: number
}

/** A change of the window that was not a compaction. */
export type Edit = Replacement & {
  /** The newest compaction event by then, or 0. */
  readonly eventId: number
  readonly atMs: number
  readonly newestSeq: number | null
}

/**
 * Returns what changed the window after an event (0 for the beginning), newest first, or null when some of it cannot be
 * parsed.
 * @param hadHappened tells which edits right after that event are older than the moment
 */
export const readReplacementsAfter = (
  db: ReadDb,
  conversationId: number,
  eventId: number,
  hadHappened: (edit: Edit) => boolean,
): Replacement[] | null => withoutYielding(readingReplacementsAfter(db, conversationId, eventId, hadHappened))

/** The same, in pieces of some milliseconds. */
export function* readingReplacementsAfter(
  db: ReadDb,
  conversationId: number,
  eventId: number,
  hadHappened: (edit: Edit) => boolean,
): Generator<void, Replacement[] | null> {
  const edits = readEdits(db, conversationId, eventId)
  if (!edits) return null
  const since = edits.filter((edit) => edit.eventId > eventId || !hadHappened(edit))
  const replacements: Replacement[] = []
  let next = 0
  // An edit after an event is undone before the event.
  const takeEditsFrom = (from: number): void => {
    for (let edit = since[next]; edit && edit.eventId >= from; edit = since[next]) {
      replacements.push({ placed: edit.placed, removed: edit.removed })
      next += 1
    }
  }
  for (const page of replacementsAfter(db, conversationId, eventId)) {
    for (const row of page) {
      const removed = replacedEntries(row.removed)?.map(({ messageId, summaryId }) => messageId ?? summaryId ?? '')
      if (!removed || row.isNamed !== 1) return null
      takeEditsFrom(row.eventId)
      replacements.push({ placed: [row.summaryId], removed, eventId: row.eventId })
    }
    yield
  }
  takeEditsFrom(0)
  return replacements
}

/** Returns edits, newest first. */
export function readEdits(db: ReadDb, conversationId: number, eventId: number): Edit[] | null {
  const edits: Edit[] = []
  for (const { from, to, ...row } of windowEditsSince(db, conversationId, eventId)) {
    const [removed, placed] = [parsePlacements(from), parsePlacements(to)]
    if (!removed || !placed) return null
    edits.push({ ...row, removed, placed })
  }
  return edits
}

/** Parses a JSON array of message numbers and summary ids. */
function parsePlacements(json: string): Placements | null {
  try {
    const items: unknown = JSON.parse(json)
    const isEntry = (item: unknown): item is number | string =>
      typeof item === 'number' || NodeId.safeParse(item).success
    return Array.isArray(items) && items.every(isEntry) ? items : null
  } catch {
    // The file is damaged there, so the caller uses creation times.
    return null
  }
}
