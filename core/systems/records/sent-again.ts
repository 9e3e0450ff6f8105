import { z } from 'zod'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { sessionNote } from './session-notes.ts'

/** External ids of messages, with how often their agent sends each beside its place in the window. */
export const SentAgainNote = z.array(z.tuple([z.string(), z.int().min(1)])).min(1)
export type SentAgainNote = z.infer<typeof SentAgainNote>

/** What an agent sends more than once since it resumed a session. Most often it is nothing. */
export function sentAgain(db: ReadDb, conversationId: number): ReadonlyMap<string, number> {
  const noted = sessionNote(db, 'sent_again', conversationId)
  return new Map(noted ? timesIn(noted.note) : [])
}

function timesIn(note: string): SentAgainNote {
  try {
    return SentAgainNote.safeParse(JSON.parse(note)).data ?? []
  } catch {
    // A note that is not JSON was damaged. The next import of the transcript writes it again.
    return []
  }
}
