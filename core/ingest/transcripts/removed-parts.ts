import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { PRUNE, pruneFactsIn, REMOVED } from '#core/systems/reading/pruned-outputs.ts'
import { isSame, type StoredPart } from '../known-parts.ts'
import type { NewPart } from '../new-message.ts'
import { stemOfLink } from './answer-links.ts'
import { contentOf } from './content-blocks.ts'
import type { AnswerRecord, HeldRecord, MessageRecord } from './format.ts'
import { storePruning } from './store-pruning.ts'
import type { StoredSession, StoredSessions } from './stored-sessions.ts'

const queries = {
  runs: /* sql */ `
    SELECT run_id AS runId, configuration FROM compaction_runs
    WHERE conversation_id = :conversationId AND mode = '${PRUNE}' AND owner = 'import'`,
  message: /* sql */ `
    SELECT external_id AS externalId, created_at AS atMs FROM messages WHERE message_id = :messageId`,
  messageId: /* sql */ `
    SELECT message_id FROM messages WHERE conversation_id = :conversationId AND external_id = :externalId`,
  withdraw: /* sql */ `
    DELETE FROM compaction_runs WHERE run_id = :runId`,
}

/** The parts of a stored message that its agent removed from it, and the content that it has without them. */
type RemovedParts = {
  readonly externalId: string
  readonly parts: readonly Pick<StoredPart, 'ordinal' | 'type'>[]
  readonly rest: string
}

/** A message of the memory with its parts. An answer may be stored in several of them. */
export type Link = { readonly externalId: string; readonly parts: readonly StoredPart[] }

/** Follows what agents remove from messages that are stored, in all sessions of a transcript. */
export class PartRemovals {
  readonly #sessions: StoredSessions
  /** By session, and in it by external id. */
  readonly #removed = new Map<string, Map<string, RemovedParts>>()

  constructor(sessions: StoredSessions) {
    this.#sessions = sessions
  }

  /** Returns whether a stored message of a person has lost parts. They are taken out of the window at the end. */
  fromMessage({ id }: StoredSession, { sessionId, message }: MessageRecord): boolean {
    const { externalId, parts, content } = message
    // All that can be removed from a message of a person is in its content.
    if (externalId === null || this.#sessions.contentOf(id, externalId) === content.toWellFormed()) return false
    const stored = this.#sessions.message(id, externalId)
    const links = stored ? [{ externalId, parts: stored.parts }] : []
    return this.#note(
      sessionId,
      removedFrom(links, parts, () => content),
    )
  }

  /** As `fromMessage`, for an answer that is stored in some links. */
  fromAnswer({ sessionId, blocks }: AnswerRecord, links: readonly Link[]): boolean {
    const restOf = (indexes: readonly number[]): string => contentOf(indexes.flatMap((index) => blocks[index] ?? []))
    const parts = blocks.map(({ part }) => part)
    return this.#note(sessionId, removedFrom(links, parts, restOf))
  }

  #note(sessionId: string, found: readonly RemovedParts[] | null): boolean {
    if (found === null) return false
    const ofSession = this.#removed.get(sessionId) ?? new Map<string, RemovedParts>()
    this.#removed.set(sessionId, ofSession)
    for (const one of found) ofSession.set(one.externalId, one)
    return true
  }

  /** @param held which messages the file holds of the sessions that it holds as a whole */
  finish(place: Omit<Place, 'conversationId'>, held: readonly HeldRecord[]): void {
    const wholes = new Map(held.map((one) => [one.sessionId, one]))
    for (const sessionId of new Set([...this.#removed.keys(), ...wholes.keys()])) {
      const session = this.#sessions.get(sessionId)
      if (session === undefined || session.isNew) continue
      const { externalIds = new Set<string>(), changedAtMs } = wholes.get(sessionId) ?? {}
      const removed = this.#removed.get(sessionId) ?? new Map<string, RemovedParts>()
      storeRemovedParts({ ...place, conversationId: session.id }, { removed, held: externalIds, changedAtMs })
    }
  }
}

type Sent = Pick<NewPart, 'text'> & { readonly type: string }

/** Whether a part is sent to the model itself, or names something that is. */
const isSent = ({ type, text }: Sent): boolean =>
  type === 'tool' || type === 'file' || type === 'subtask' || (type === 'text' && (text ?? null) !== null)

/**
 * Finds what an agent removed from a message whose other parts are unchanged and in the same order. Returns null when
 * nothing was removed, or when something else of the message changed, too.
 * @param contentOf returns the content of those of the given parts, by their indexes
 */
function removedFrom(
  links: readonly Link[],
  parts: readonly NewPart[],
  contentOf: (indexes: readonly number[]) => string,
): RemovedParts[] | null {
  const stored = links.flatMap(({ parts }, link) =>
    parts.filter((part) => isSent(part) && part.isIgnored === 0).map((part) => ({ link, part })),
  )
  const given = [...parts.entries()].filter(
    ([, part]) => isSent(part) && part.isIgnored !== true && part.isSynthetic !== true,
  )
  if (given.length >= stored.length) return null
  const kept = new Map<StoredPart, number>()
  let from = 0
  for (const [index, part] of given) {
    const at = stored.findIndex((one, place) => place >= from && isSamePart(one.part, part))
    const found = stored[at]
    if (!found) return null
    kept.set(found.part, index)
    from = at + 1
  }
  return links.flatMap(({ externalId }, link): RemovedParts[] => {
    const own = stored.filter((one) => one.link === link).map(({ part }) => part)
    const gone = own.filter((part) => !kept.has(part))
    const rest = own.flatMap((part) => kept.get(part) ?? [])
    return gone.length === 0 ? [] : [{ externalId, parts: gone, rest: contentOf(rest) }]
  })
}

function isSamePart(stored: StoredPart, given: NewPart): boolean {
  if (stored.type === 'file')
    return (
      given.type === 'file' &&
      stored.fileUrl === (given.fileUrl ?? null) &&
      stored.fileName === (given.fileName ?? null)
    )
  if (stored.type === 'subtask')
    return given.type === 'subtask' && stored.subtaskPrompt === (given.subtaskPrompt ?? null)
  return isSame(stored, given)
}

type Place = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly importer: string
  readonly conversationId: number
}

type FoundRemoved = {
  /** By the external id of the message. */
  readonly removed: ReadonlyMap<string, RemovedParts>
  /** All messages of the session that the file holds. Empty when it may not hold all of them. */
  readonly held: ReadonlySet<string>
  /** Not later than the newest of what was removed. Absent when the file does not tell. */
  readonly changedAtMs?: number | undefined
}

/** What an earlier import noted of a message. */
type Noted = { readonly runId: string; readonly ordinals: readonly number[] }

/** Takes parts that were removed since out of the window, and puts those back that are there again. */
function storeRemovedParts(place: Place, { removed, held, changedAtMs }: FoundRemoved): void {
  const { db, conversationId } = place
  db.transaction(() => {
    const noted = notedOf(db, conversationId)
    for (const [messageId, { runId }] of noted) {
      const externalId = db.get<{ externalId: string | null }>(queries.message, { messageId })?.externalId ?? ''
      if (held.has(stemOfLink(externalId)) && !removed.has(externalId)) db.run(queries.withdraw, { runId })
    }
    for (const { externalId, parts, rest } of removed.values()) {
      const messageId = db.value<number>(queries.messageId, { conversationId, externalId })
      if (messageId === undefined) continue
      const ordinals = parts.map(({ ordinal }) => ordinal)
      const before = noted.get(messageId)
      if (before?.ordinals.join() === ordinals.join()) continue
      // All that was removed is one run, so that one text is what is left.
      if (before) db.run(queries.withdraw, { runId: before.runId })
      const saidAtMs = db.get<{ atMs: number }>(queries.message, { messageId })?.atMs ?? 0
      storePruning({
        ...place,
        pruning: {
          kind: 'pruning',
          sessionId: '',
          key: `removed from ${externalId}: ${ordinals.join(' ')}`,
          by: REMOVED,
          atMs: Math.max(saidAtMs, changedAtMs ?? 0),
          isAuto: false,
          toldTokens: null,
          outputs: parts.map(({ ordinal, type }) => ({ externalId, ordinal, seen: type === 'tool' ? null : rest })),
        },
      })
    }
  })
}

function notedOf(db: WriteDb, conversationId: number): ReadonlyMap<number, Noted> {
  const noted = new Map<number, Noted>()
  type Run = { readonly runId: string; readonly configuration: string }
  for (const { runId, configuration } of db.all<Run>(queries.runs, { conversationId })) {
    const facts = pruneFactsIn(configuration)
    const [first] = facts?.outputs ?? []
    if (facts?.by !== REMOVED || !first) continue
    noted.set(first[0], { runId, ordinals: facts.outputs.map(([, ordinal]) => ordinal) })
  }
  return noted
}
