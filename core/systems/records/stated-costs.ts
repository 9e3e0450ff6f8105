import { z } from 'zod'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { forkNoteIn, originOf } from './forks.ts'
import { parsedValue } from './meta-values.ts'
import { notedOf, noteSession, type Session, type SessionNote, sessionNote, sessionNotes } from './session-notes.ts'

/** What a session had cost after its messages, by their external ids. */
const CostAfterNote = z.record(z.string(), z.number())

/** A reading that goes on where the last one ended has only the costs after its own messages. */
export function noteCosts(
  db: WriteDb,
  session: Session,
  { cost, after }: { readonly cost: number; readonly after: ReadonlyMap<string, number> },
): void {
  noteSession(db, 'agent_cost', session, String(cost))
  const before = parsedValue(CostAfterNote, notedOf(db, 'cost_after', session))
  noteSession(db, 'cost_after', session, JSON.stringify({ ...before, ...Object.fromEntries(after) }))
}

const queries = {
  /**
   * The last cost that the parent had noted when the fork was made. A fork that was stored before its parent says that by
   * the messages that both have.
   */
  before: /* sql */ `
    SELECT after.value
    FROM json_each(iif(json_valid(:note), :note, '{}')) AS after
    JOIN messages AS m ON m.conversation_id = :parentId AND m.external_id = after.key
    WHERE m.seq <= coalesce(:newestSeq, (
      SELECT max(p.seq)
      FROM messages AS own JOIN messages AS p ON p.conversation_id = :parentId AND p.external_id = own.external_id
      WHERE own.conversation_id = :conversationId
    ))
    ORDER BY m.seq DESC LIMIT 1`,
}

/**
 * What whole conversations cost, where their agent notes that of a session and not of its answers. It counts what their
 * sub-agents cost, and of a fork only what came since.
 */
export function statedCosts(db: ReadDb): ReadonlyMap<number, number> {
  const noted = sessionNotes(db, 'agent_cost')
  const forks = noted.length === 0 ? [] : sessionNotes(db, 'forked_at')
  const forkOf = new Map(forks.map((fork) => [fork.conversationId, fork]))
  return new Map(
    noted.flatMap(({ conversationId, note }): [number, number][] => {
      const cost = costIn(note)
      return cost === null ? [] : [[conversationId, cost - costBefore(db, forkOf.get(conversationId))]]
    }),
  )
}

export function statedCost(db: ReadDb, conversationId: number): number | null {
  const cost = costIn(sessionNote(db, 'agent_cost', conversationId)?.note ?? '')
  return cost === null ? null : cost - costBefore(db, sessionNote(db, 'forked_at', conversationId))
}

/** Returns the cost of the parent that the account of a fork includes. It is 0 when the account begins anew. */
function costBefore(db: ReadDb, fork: SessionNote | undefined): number {
  const known = fork && forkNoteIn(fork.note)
  const parentId = fork ? originOf(db, fork) : null
  if (!fork || !known || known.ownAccount || parentId === null) return 0
  const note = sessionNote(db, 'cost_after', parentId)?.note ?? ''
  const { conversationId } = fork
  const cost = db.value<number>(queries.before, { note, parentId, conversationId, newestSeq: known.newestSeq ?? null })
  return typeof cost === 'number' ? cost : 0
}

/** Null for a damaged note. */
const costIn = (note: string): number | null =>
  note.trim() !== '' && Number.isFinite(Number(note)) ? Number(note) : null
