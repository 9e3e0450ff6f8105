import { z } from 'zod'
import type { ReadDb } from '../../sqlite/read-db.ts'

/** The key in `lcm_meta` under which an import notes where a session was forked from its parent. */
export const forkKey = (importer: string, sessionId: string): string => `forked_at:${importer}:${sessionId}`

/** What a compaction of the fork left of the messages of its parent, by their external ids. */
const KeptOfParent = z.union([z.object({ from: z.string() }), z.object({ externalIds: z.array(z.string()) })])

export const ForkNote = z.object({
  /** The number of the record of the parent at which the fork begins, where the agent says so. */
  ordinal: z.int().optional(),
  /** The `seq` of the newest message of the parent that the fork has. Absent until the parent was imported. */
  newestSeq: z.int().optional(),
  kept: KeptOfParent.optional(),
})
export type ForkNote = z.infer<typeof ForkNote>

/** Where a conversation was forked from another one, whose messages until then are the beginning of its window. */
export type ForkPoint = Required<Pick<ForkNote, 'newestSeq'>> & Pick<ForkNote, 'kept'> & { readonly parentId: number }

const queries = {
  all: /* sql */ `
    SELECT c.conversation_id AS id, c.parent_conversation_id AS parentId, f.value AS note
    FROM lcm_meta AS f JOIN conversations AS c ON f.key = 'forked_at:' || c.importer || ':' || c.session_id
    WHERE f.key >= 'forked_at:' AND f.key < 'forked_at;' AND c.parent_conversation_id IS NOT NULL`,
  forks: /* sql */ `
    SELECT c.conversation_id
    FROM lcm_meta AS f JOIN conversations AS c ON f.key = 'forked_at:' || c.importer || ':' || c.session_id
    WHERE f.key >= 'forked_at:' AND f.key < 'forked_at;'`,
  one: /* sql */ `
    SELECT c.parent_conversation_id AS parentId, f.value AS note
    FROM conversations AS c JOIN lcm_meta AS f ON f.key = 'forked_at:' || c.importer || ':' || c.session_id
    WHERE c.conversation_id = :conversationId AND c.parent_conversation_id IS NOT NULL`,
}

type Row = { readonly parentId: number; readonly note: string }

/** All conversations of a memory that are forks of another one in it. */
export const forkPoints = (db: ReadDb): ReadonlyMap<number, ForkPoint> =>
  new Map(
    db.all<Row & { id: number }>(queries.all).flatMap((row): [number, ForkPoint][] => {
      const found = pointOf(row)
      return found ? [[row.id, found]] : []
    }),
  )

/** All conversations that were forked, whether or not it is known where. */
export const forkedConversations = (db: ReadDb): ReadonlySet<number> => new Set(db.column<number>(queries.forks))

export function forkPoint(db: ReadDb, conversationId: number): ForkPoint | null {
  const row = db.get<Row>(queries.one, { conversationId })
  return row ? pointOf(row) : null
}

function pointOf({ parentId, note }: Row): ForkPoint | null {
  const { newestSeq, kept } = forkNoteIn(note) ?? {}
  return newestSeq === undefined ? null : { parentId, newestSeq, ...(kept ? { kept } : {}) }
}

export function forkNoteIn(note: string): ForkNote | null {
  try {
    return ForkNote.safeParse(JSON.parse(note)).data ?? null
  } catch {
    // A note that is not JSON was damaged. The fork is shown without its beginning.
    return null
  }
}
