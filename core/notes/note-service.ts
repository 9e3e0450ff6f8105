import { titleOf } from '../browse/text-name.ts'
import type { Clock } from '../clock.ts'
import { withKept, withoutKept } from '../contract/kept.ts'
import { MOST_NOTE_CHARS } from '../contract/lists.ts'
import type { Note, NoteInput } from '../contract/notes.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { EXCERPT_BYTES } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { messageOpenings } from '../systems/reading/message-openings.ts'
import { lookUp, messageNumber, notFound } from '../systems/reading/node-id.ts'
import { openingsOfSummaries } from '../systems/reading/texts.ts'
import { firstConversation } from '../systems/records/conversations.ts'
import { fileById } from '../systems/records/files.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { NoteTable, type StoredNote } from './note-table.ts'

/** More of them are no marks any more, and every window reads all of them. */
const MOST_NOTES = 2000

export type NoteServiceOptions = {
  readonly db: ReadDb
  /** The real path of the memory. */
  readonly memory: string
  readonly dataDir: string
  readonly clock: Clock
}

/** Pins and notes of the user on nodes. They are kept in the app's data folder; the memory is only read. */
export class NoteService {
  readonly #options: NoteServiceOptions

  constructor(options: NoteServiceOptions) {
    this.#options = options
  }

  /** Lists them, changed last first. */
  list(): Note[] {
    const { db } = this.#options
    const stored = this.#table().all()
    const nodes = notedNodes(
      db,
      stored.map(({ id }) => id),
    )
    return stored.map((note) => shown(note, nodes.get(note.id)))
  }

  /**
   * Pins a node, writes a note on it, keeps a sentence of it, or removes any of these. Returns null when nothing is left.
   * @throws LcmError not_found for what is neither in the memory nor noted; unsupported when there are too many notes, or
   *   a note would become too long
   */
  set(input: NoteInput): Note | null {
    const { db, clock } = this.#options
    const { id: given } = input
    const id = lookUp(db, given)?.id ?? given
    const node = notedNodes(db, [id]).get(id)
    const note = this.#table().change(id, (notes) => {
      const before = notes.find((one) => one.id === id)
      const seen = node ?? before
      if (seen === undefined) throw notFound(db, given)
      const after = {
        ...{ id, kind: seen.kind, name: seen.name },
        ...changed(before, input),
        changedAtMs: clock(),
      }
      if (!after.isPinned && after.text === '') return null
      if (after.text.length > MOST_NOTE_CHARS)
        throw new LcmError('unsupported', `The note on ${id} is full: shorten it to keep more.`, { id })
      if (before === undefined && notes.length >= MOST_NOTES)
        throw new LcmError(
          'unsupported',
          `${MOST_NOTES} messages and summaries are pinned or noted already: remove some first.`,
        )
      return after
    })
    return note && shown(note, node)
  }

  #table(): NoteTable {
    const { db, memory, dataDir } = this.#options
    return new NoteTable(dataDir, memoryIdentity(db, memory))
  }
}

type Noted = Pick<Note, 'isPinned' | 'text'>

function changed(before: StoredNote | undefined, { isPinned, text, keep, letGo }: NoteInput): Noted {
  const set: Noted = {
    isPinned: isPinned ?? before?.isPinned ?? false,
    text: text === undefined ? (before?.text ?? '') : text.toWellFormed().replace(/\r\n?/g, '\n').trim(),
  }
  const kept = keep === undefined ? set : withKept(set, keep.toWellFormed())
  return letGo === undefined ? kept : withoutKept(kept, letGo.toWellFormed())
}

type NotedNode = Pick<Note, 'kind' | 'conversationId' | 'depth' | 'role' | 'name'>

function shown(note: StoredNote, node: NotedNode | undefined): Note {
  if (node === undefined) return { ...note, conversationId: null, depth: null, role: null, state: 'missing' }
  return { ...note, ...node, state: node.name === note.name ? 'there' : 'changed' }
}

/** Returns what is in the memory of these nodes, by their ids. */
function notedNodes(db: ReadDb, ids: readonly string[]): ReadonlyMap<string, NotedNode> {
  const numbers = ids.flatMap((id) => messageNumber(id) ?? [])
  const ofMessages = messageOpenings(db, numbers, EXCERPT_BYTES)
  const messages = messageHeads(db, numbers).map(({ id, conversationId, role }) => {
    const name = titleOf(ofMessages.get(id) ?? '')
    return [`msg_${id}`, { kind: 'message', conversationId, depth: null, role: knownRole(role), name }] as const
  })
  const found = new Map<string, NotedNode>(messages)
  const others = ids.filter((id) => !found.has(id))
  const ofSummaries = openingsOfSummaries(db, others, EXCERPT_BYTES)
  for (const { id, kind, conversationId, depth } of summaryHeads(db, others)) {
    found.set(id, { kind, conversationId, depth, role: null, name: titleOf(ofSummaries.get(id) ?? '') })
  }
  for (const id of others) {
    const file = found.has(id) ? undefined : fileById(db, id)
    if (file === undefined) continue
    const { conversationId, fileName } = file
    found.set(id, { kind: 'file', conversationId, depth: null, role: null, name: fileName ?? '' })
  }
  return found
}

/**
 * Names a memory by the session and the time with which it began, so that a file that was moved, copied, or pulled again
 * is the same memory. A file whose system records neither is named by its path.
 */
function memoryIdentity(db: ReadDb, path: string): string {
  const { sessionId, createdAtMs } = firstConversation(db) ?? {}
  const isKnown = typeof sessionId === 'string' && sessionId !== '' && Number(createdAtMs) > 0
  const named = isKnown ? ['session', sessionId, Number(createdAtMs)] : ['path', path]
  return sha256(JSON.stringify(named)).slice(0, 32)
}
