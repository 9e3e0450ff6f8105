import type { SurgeryEvent } from '#core/contract/surgery.ts'
import type { WindowEntry } from '#core/memory/draft.ts'
import { entryId } from '#core/memory/draft-coverage.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { isNoName, shownValue } from '#core/sqlite/shown-values.ts'

const queries = {
  insert: /* sql */ `
    INSERT INTO surgery_events
      (conversation_id, at, kind, node_id, owner, after_event, newest_seq, window_from, window_to, summary, detail)
    VALUES (:conversationId, CAST(:atMs AS INTEGER), :kind, :nodeId, :owner,
      (SELECT coalesce(max(event_id), 0) FROM compaction_events WHERE conversation_id = :conversationId),
      (SELECT max(seq) FROM messages WHERE conversation_id = :conversationId), :windowFrom, :windowTo, :summary, :detail)`,
  list: /* sql */ `
    SELECT surgery_id AS surgeryId, conversation_id AS conversationId, at AS atMs,
      ${shownValue('surgery_events.kind', 'surgery_events')} AS kind, iif(${isNoName('node_id')}, NULL, node_id) AS nodeId, owner, summary
    FROM surgery_events
    WHERE :conversationId IS NULL OR conversation_id = :conversationId
    ORDER BY surgery_id DESC`,
}

/** One conversation's part of what was done. */
export type SurgeryRecord = {
  readonly conversationId: number
  readonly kind: SurgeryEvent['kind']
  readonly nodeId: string | null
  /** A sentence for people. */
  readonly summary: string
  /** The window before and after; the same where it stayed. */
  readonly window?: { readonly before: readonly WindowEntry[]; readonly after: readonly WindowEntry[] }
  /** Details for programs, which may hold texts that were replaced. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Call it inside the transaction that writes the change. */
export function recordSurgery(db: WriteDb, record: SurgeryRecord, owner: string, nowMs: number): void {
  const { conversationId, kind, nodeId, summary, window, detail } = record
  const range = window ? anchored(window.before, window.after) : { from: [], to: [] }
  db.run(queries.insert, {
    conversationId,
    kind,
    nodeId,
    owner,
    atMs: nowMs,
    summary,
    windowFrom: JSON.stringify(range.from.map(placement)),
    windowTo: JSON.stringify(range.to.map(placement)),
    detail: JSON.stringify(detail ?? {}),
  })
}

/** Newest first. Files of other systems have none. */
export function listSurgery(db: ReadDb, conversationId: number | null): SurgeryEvent[] {
  return db.all<SurgeryEvent>(queries.list, { conversationId })
}

/** Which entries left and entered a window, without the entries that are the same at both ends. */
export function changedRange<T extends WindowEntry>(
  before: readonly T[],
  after: readonly T[],
): { readonly from: readonly T[]; readonly to: readonly T[] } {
  const isSame = (a: T | undefined, b: T | undefined): boolean =>
    a !== undefined && b !== undefined && entryId(a) === entryId(b)
  let start = 0
  while (isSame(before[start], after[start])) start += 1
  let end = 0
  while (
    end < Math.min(before.length, after.length) - start &&
    isSame(before[before.length - 1 - end], after[after.length - 1 - end])
  ) {
    end += 1
  }
  return { from: before.slice(start, before.length - end), to: after.slice(start, after.length - end) }
}

/** Adds a neighbour where one side is empty, so that the change can be found in the window again. */
function anchored<T extends WindowEntry>(before: readonly T[], after: readonly T[]) {
  const { from, to } = changedRange(before, after)
  const [first] = from.length > 0 ? from : to
  if ((from.length > 0 && to.length > 0) || !first) return { from, to }
  const list = from.length > 0 ? before : after
  const at = list.indexOf(first)
  const [previous, next] = [list[at - 1], list[at + Math.max(from.length, to.length)]]
  if (previous) return { from: [previous, ...from], to: [previous, ...to] }
  return next ? { from: [...from, next], to: [...to, next] } : { from, to }
}

const placement = ({ messageId, summaryId }: WindowEntry): number | string | null => messageId ?? summaryId
