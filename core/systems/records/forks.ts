import { z } from 'zod'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { parsedValue } from './meta-values.ts'
import { type SessionNote, sessionNote, sessionNotes } from './session-notes.ts'

/**
 * The messages of the parent that a compaction of the fork kept, by their external ids: all from one message on, with the
 * prompt before it where that was kept, too, or a list.
 */
const KeptOfParent = z.union([
  z.object({ from: z.string(), prompt: z.string().optional() }),
  z.object({ externalIds: z.array(z.string()) }),
])

export const ForkNote = z.object({
  /** The number of the record of the parent at which the fork begins, where the agent says so. */
  ordinal: z.int().optional(),
  /** The `seq` of the newest message of the parent that the fork has. Absent until the parent was imported. */
  newestSeq: z.int().optional(),
  /**
   * The session that has that message, when it is not the parent: the parent is a fork, too, and this one was forked from
   * what the parent had copied.
   */
  ancestor: z.string().optional(),
  /** External ids of the messages that the fork copied and still sees. Absent where it did not copy all that it sees. */
  path: z.array(z.string()).optional(),
  kept: KeptOfParent.optional(),
  /**
   * The agent keeps copies of the messages from before the fork, and prunes them or takes them back in the fork alone. All
   * of that is recorded in the fork.
   */
  ownCopies: z.literal(true).optional(),
  /** True when the agent counts the cost of the fork from 0. Otherwise its count includes the cost of the parent. */
  ownAccount: z.literal(true).optional(),
})
export type ForkNote = z.infer<typeof ForkNote>

const queries = {
  relative: /* sql */ `
    SELECT a.conversation_id FROM conversations AS a JOIN conversations AS c ON c.importer = a.importer
    WHERE c.conversation_id = :conversationId AND a.session_id = :sessionId`,
}

/** Where a conversation was forked from another one, whose messages until then are the beginning of its window. */
export type ForkPoint = Required<Pick<ForkNote, 'newestSeq'>> &
  Pick<ForkNote, 'path' | 'kept' | 'ownCopies' | 'ownAccount'> & { readonly forkId: number; readonly parentId: number }

/** All conversations of a memory that are forks of another one in it. */
export const forkPoints = (db: ReadDb): ReadonlyMap<number, ForkPoint> =>
  new Map(
    sessionNotes(db, 'forked_at').flatMap((noted): [number, ForkPoint][] => {
      const found = pointOf(db, noted)
      return found ? [[noted.conversationId, found]] : []
    }),
  )

/** All conversations that were forked, whether or not it is known where. */
export const forkedConversations = (db: ReadDb): ReadonlySet<number> =>
  new Set(sessionNotes(db, 'forked_at').map(({ conversationId }) => conversationId))

/** The forks that begin without copies of what was said before them. */
export const forksWithoutCopies = (db: ReadDb): ReadonlySet<number> =>
  new Set(
    sessionNotes(db, 'forked_at').flatMap(({ conversationId, note }) =>
      forkNoteIn(note)?.ordinal === undefined ? [] : [conversationId],
    ),
  )

export function forkPoint(db: ReadDb, conversationId: number): ForkPoint | null {
  const noted = sessionNote(db, 'forked_at', conversationId)
  return noted ? pointOf(db, noted) : null
}

function pointOf(db: ReadDb, noted: SessionNote): ForkPoint | null {
  const { newestSeq, ancestor: _, ...more } = forkNoteIn(noted.note) ?? {}
  const parentId = originOf(db, noted)
  if (newestSeq === undefined || parentId === null) return null
  return { forkId: noted.conversationId, parentId, newestSeq, ...more }
}

/** The conversation in which the last message was said that a fork repeats, by what was noted of the fork. */
export function originOf(db: ReadDb, { conversationId, parentId, note }: SessionNote): number | null {
  const sessionId = forkNoteIn(note)?.ancestor
  if (sessionId === undefined) return parentId
  return db.value<number>(queries.relative, { conversationId, sessionId }) ?? null
}

/**
 * Returns the conversations that hold the messages of which a fork has copies of its own, the nearest first. Empty for
 * any other conversation.
 */
export function homesOfCopies(db: ReadDb, conversationId: number): number[] {
  const homes: number[] = []
  for (let at: number | null = conversationId; at !== null; ) {
    const noted = sessionNote(db, 'forked_at', at)
    const parentId = noted && forkNoteIn(noted.note)?.ownCopies ? noted.parentId : null
    // A damaged file may name forks of each other.
    at = parentId === conversationId || homes.includes(parentId ?? Number.NaN) ? null : parentId
    if (at !== null) homes.push(at)
  }
  return homes
}

/** A fork whose note was damaged is shown without its beginning. */
export const forkNoteIn = (note: string | undefined): ForkNote | null => parsedValue(ForkNote, note)
