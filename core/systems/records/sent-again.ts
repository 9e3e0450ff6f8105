import { z } from 'zod'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { parsedValue } from './meta-values.ts'
import { sessionNote } from './session-notes.ts'

/** The external id of each message that an agent sends more than once, with the number of its further copies. */
export const SentAgainNote = z.array(z.tuple([z.string(), z.int().min(1)])).min(1)
export type SentAgainNote = z.infer<typeof SentAgainNote>

/** What an agent sends more than once since it resumed a session. Most often it is nothing. */
export function sentAgain(db: ReadDb, conversationId: number): ReadonlyMap<string, number> {
  const noted = sessionNote(db, 'sent_again', conversationId)
  return new Map(noted && parsedValue(SentAgainNote, noted.note))
}
