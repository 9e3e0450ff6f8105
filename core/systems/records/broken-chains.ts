import { z } from 'zod'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { parsedValue } from './meta-values.ts'
import { type SessionNote, sessionNote, sessionNotes } from './session-notes.ts'

export const BrokenChainNote = z.object({
  /** The transcript. */
  path: z.string(),
  /** The breaks in the order of the file. */
  breaks: z
    .array(
      z.object({
        line: z.int(),
        parentId: z.string(),
        isParentWritten: z.boolean(),
        lineBefore: z.int(),
        /** External id of the first message after the break. */
        from: z.string(),
      }),
    )
    .min(1),
})
export type BrokenChainNote = z.infer<typeof BrokenChainNote>

/** Where the agent stops when it follows the chain of a session backwards, and what stands there. */
export type BrokenChain = BrokenChainNote & {
  readonly conversationId: number
  /** The first message after the last break. It may belong to the conversation that this one was forked from. */
  readonly first: { readonly messageId: number; readonly conversationId: number; readonly seq: number }
}

const queries = {
  first: /* sql */ `
    WITH RECURSIVE up (id) AS (
      VALUES (CAST(:conversationId AS INTEGER))
      UNION
      SELECT c.parent_conversation_id FROM up JOIN conversations AS c ON c.conversation_id = up.id
      WHERE c.parent_conversation_id IS NOT NULL
    )
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId, m.seq AS seq
    FROM up JOIN messages AS m ON m.conversation_id = up.id AND m.external_id = :from
    LIMIT 1`,
}

/** Returns null for a conversation whose chain is whole. */
export function brokenChain(db: ReadDb, conversationId: number): BrokenChain | null {
  const noted = sessionNote(db, 'broken_chain', conversationId)
  return noted ? chainOf(db, noted) : null
}

export const brokenChains = (db: ReadDb): readonly BrokenChain[] =>
  sessionNotes(db, 'broken_chain').flatMap((noted) => chainOf(db, noted) ?? [])

function chainOf(db: ReadDb, { conversationId, note }: SessionNote): BrokenChain | null {
  const found = parsedValue(BrokenChainNote, note)
  const from = found?.breaks.at(-1)?.from
  const first = from === undefined ? undefined : db.get<BrokenChain['first']>(queries.first, { conversationId, from })
  return found && first ? { ...found, conversationId, first } : null
}
