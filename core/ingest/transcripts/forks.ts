import { isDeepStrictEqual } from 'node:util'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { type ForkNote, forkNoteIn } from '#core/systems/records/forks.ts'
import { notedOf, noteSession } from '#core/systems/records/session-notes.ts'
import type { CompactionRecord, SessionRecord } from './format.ts'

const queries = {
  parent: /* sql */ `
    SELECT parent_conversation_id AS parentId, created_at AS startedAtMs
    FROM conversations WHERE conversation_id = :conversationId`,
  above: /* sql */ `
    SELECT a.conversation_id AS id, a.session_id AS sessionId
    FROM conversations AS c JOIN conversations AS a ON a.conversation_id = c.parent_conversation_id
    WHERE c.conversation_id = :conversationId`,
  seqOf: /* sql */ `
    SELECT seq FROM messages WHERE conversation_id = :conversationId AND external_id = :externalId`,
  isThere: /* sql */ `
    SELECT 1 FROM messages WHERE conversation_id = :conversationId LIMIT 1`,
  newestOf: /* sql */ `
    SELECT max(m.seq) FROM json_each(:externalIds) AS e
    JOIN messages AS m ON m.conversation_id = :conversationId AND m.external_id = e.value`,
  seqBefore: /* sql */ `
    WITH numbered AS (
      SELECT m.seq AS seq, max(iif(json_valid(p.metadata), p.metadata ->> '$.ordinal', NULL)) AS ordinal
      FROM messages AS m JOIN message_parts AS p ON p.message_id = m.message_id
      WHERE m.conversation_id = :conversationId
      GROUP BY m.message_id
    )
    SELECT coalesce(max(iif(ordinal < :ordinal, seq, NULL)), -1) FROM numbered HAVING count(ordinal) > 0`,
  seqByTime: /* sql */ `
    SELECT max(seq) FROM messages WHERE conversation_id = :conversationId AND created_at <= :atMs`,
  forksOf: /* sql */ `
    SELECT conversation_id AS id, session_id AS sessionId, created_at AS startedAtMs
    FROM conversations WHERE parent_conversation_id = :conversationId AND importer = :importer`,
}

/**
 * Notes where sessions were forked from others. A message is stored once, in the session in which it was said, whichever
 * of the two files comes first; the window of the fork begins with what its parent had then.
 */
export class Forks {
  readonly #db: WriteDb
  readonly #importer: string
  /** The last message of each fork that was copied from its parent, by the session of the fork. */
  readonly #copied = new Map<string, string>()
  /** The external ids of all messages that a fork copied, by the session, for forks with `hasOwnCopies`. */
  readonly #paths = new Map<string, string[]>()

  constructor(db: WriteDb, importer: string) {
    this.#db = db
    this.#importer = importer
  }

  /** Notes the number of the record at which a fork begins that has no copies, and what is its own. */
  declare({ sessionId, forkedAtOrdinal, hasOwnCopies, hasOwnAccount }: SessionRecord): void {
    if (hasOwnCopies) this.#paths.set(sessionId, [])
    if (forkedAtOrdinal == null && !hasOwnCopies && !hasOwnAccount) return
    const note = this.#note(sessionId)
    const now: ForkNote = {
      ...note,
      ...(forkedAtOrdinal == null ? {} : { ordinal: forkedAtOrdinal }),
      ...(hasOwnCopies ? { ownCopies: true } : {}),
      ...(hasOwnAccount ? { ownAccount: true } : {}),
    }
    if (!isDeepStrictEqual(now, note)) this.#store(sessionId, now)
  }

  /** Notes that a fork repeats a message of its parent. */
  copied(sessionId: string, externalId: string): void {
    this.#copied.set(sessionId, externalId)
    this.#paths.get(sessionId)?.push(externalId)
  }

  isFork(sessionId: string): boolean {
    return this.#copied.has(sessionId) || this.#note(sessionId).ordinal !== undefined
  }

  /** Notes what a compaction of a fork left of the messages of its parent. */
  compacted(conversationId: number, { sessionId, replaced, recordedBy, keptPrompt }: CompactionRecord): void {
    if (!this.isFork(sessionId) || replaced.kind === 'these') return
    // A compaction from before the fork is in the window of the parent.
    if (this.#seqOf(conversationId, recordedBy.at(-1) ?? '') === undefined) return
    const kept =
      replaced.kind === 'all_before' && this.#seqOf(conversationId, replaced.keptFrom) === undefined
        ? { from: replaced.keptFrom, ...(keptPrompt == null ? {} : { prompt: keptPrompt }) }
        : { externalIds: replaced.kind === 'all_but' ? [...replaced.kept] : keptPrompt == null ? [] : [keptPrompt] }
    this.#store(sessionId, { ...this.#note(sessionId), kept })
  }

  /**
   * Completes the notes of a fork, and of the forks of a session, when their messages are stored.
   * @param givenUp the messages on branches that each session gave up
   */
  finish(sessionId: string, conversationId: number, givenUp: ReadonlyMap<string, ReadonlySet<string>>): void {
    type Own = { parentId: number | null; startedAtMs: number }
    const own = this.#db.get<Own>(queries.parent, { conversationId })
    if (own?.parentId != null) this.#place(sessionId, own.parentId, own.startedAtMs, givenUp)
    type Fork = { id: number; sessionId: string; startedAtMs: number }
    const forks = this.#db.all<Fork>(queries.forksOf, { conversationId, importer: this.#importer })
    for (const fork of forks) this.#place(fork.sessionId, conversationId, fork.startedAtMs, givenUp)
  }

  #place(
    sessionId: string,
    parentId: number,
    startedAtMs: number,
    givenUp: ReadonlyMap<string, ReadonlySet<string>>,
  ): void {
    const note = this.#note(sessionId)
    const copied = this.#copied.get(sessionId)
    if (copied !== undefined) {
      const { ancestor: _, ...rest } = note
      const path = this.#paths.get(sessionId)?.filter((id) => !givenUp.get(sessionId)?.has(id))
      // After a compaction the copies begin with its summary, which is newer than what it kept.
      const copies = JSON.stringify([copied, ...(path ?? [])])
      this.#store(sessionId, { ...rest, ...this.#holderOf(parentId, copied, copies), ...(path ? { path } : {}) })
    } else if (note.ordinal !== undefined && this.#db.value(queries.isThere, { conversationId: parentId })) {
      // Earlier imports of the parent did not keep the numbers of its records.
      const newestSeq =
        this.#db.value<number>(queries.seqBefore, { conversationId: parentId, ordinal: note.ordinal }) ??
        this.#db.value<number | null>(queries.seqByTime, { conversationId: parentId, atMs: startedAtMs })
      this.#store(sessionId, { ...note, newestSeq: newestSeq ?? -1 })
    }
  }

  /**
   * Finds the last copy of a fork in its parent, or in an ancestor from which the parent copied it, and the newest of the
   * copies there.
   */
  #holderOf(parentId: number, copied: string, externalIds: string): Pick<ForkNote, 'newestSeq' | 'ancestor'> {
    const newestIn = (conversationId: number): number =>
      this.#db.value<number>(queries.newestOf, { conversationId, externalIds }) ?? -1
    if (this.#seqOf(parentId, copied) !== undefined) return { newestSeq: newestIn(parentId) }
    type Above = { id: number; sessionId: string }
    const seen = new Set([parentId])
    for (let id = parentId; ; ) {
      const above = this.#db.get<Above>(queries.above, { conversationId: id })
      // A damaged file may name forks of each other.
      if (!above || seen.has(above.id)) return { newestSeq: -1 }
      if (this.#seqOf(above.id, copied) !== undefined)
        return { newestSeq: newestIn(above.id), ancestor: above.sessionId }
      id = above.id
      seen.add(id)
    }
  }

  #seqOf(conversationId: number, externalId: string): number | undefined {
    return this.#db.value<number>(queries.seqOf, { conversationId, externalId })
  }

  #note(sessionId: string): ForkNote {
    return forkNoteIn(notedOf(this.#db, 'forked_at', { importer: this.#importer, sessionId })) ?? {}
  }

  #store(sessionId: string, note: ForkNote): void {
    noteSession(this.#db, 'forked_at', { importer: this.#importer, sessionId }, JSON.stringify(note))
  }
}
