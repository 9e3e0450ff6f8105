import type { ReadDb } from '#core/sqlite/read-db.ts'
import { sessionNote, sessionNotes } from './session-notes.ts'

/**
 * What whole conversations cost, where their agent notes that of a session and not of its answers. It counts what their
 * sub-agents cost.
 */
export const statedCosts = (db: ReadDb): ReadonlyMap<number, number> =>
  new Map(
    sessionNotes(db, 'agent_cost').flatMap(({ conversationId, note }): [number, number][] => {
      const cost = costIn(note)
      return cost === null ? [] : [[conversationId, cost]]
    }),
  )

export const statedCost = (db: ReadDb, conversationId: number): number | null =>
  costIn(sessionNote(db, 'agent_cost', conversationId)?.note ?? '')

/** Null for a damaged note. */
const costIn = (note: string): number | null =>
  note.trim() !== '' && Number.isFinite(Number(note)) ? Number(note) : null
