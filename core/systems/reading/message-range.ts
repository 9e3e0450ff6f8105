import type { MessageEnds } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from './memory-reader.ts'
import { type FoundNode, findNode } from './node-id.ts'

/** A range of positions: `first` is its first position, and `end` the one behind its last. */
export type MessageRange = { readonly first: number; readonly end: number }

type FoundMessage = Extract<FoundNode, { readonly kind: 'message' }>

/**
 * Returns the range between two messages, both included, and the memory of their conversation. Null without ends. This
 * and `messageRangeIn` are called for every limit by messages, so that a mistake has the same message everywhere.
 * @throws LcmError not_found; invalid_argument for ends that are no messages of one conversation, and for a beginning
 * that comes after the end
 */
export function messageRange(
  db: ReadDb,
  reader: MemoryReader,
  ends: MessageEnds,
): (MessageRange & { readonly memory: Memory }) | null {
  const [from, to] = [messageOf(db, ends.fromMessage), messageOf(db, ends.toMessage)]
  const conversationId = (from ?? to)?.conversationId
  if (conversationId === undefined) return null
  if (from && to && from.conversationId !== to.conversationId) {
    const message = `${from.id} and ${to.id} belong to different conversations.`
    throw new LcmError('invalid_argument', message, { id: to.id })
  }
  const memory = reader.memory(conversationId)
  return { memory, ...between(memory, from, to) }
}

/**
 * Returns the range between two messages of a conversation, both included. Without ends it is all of its messages.
 * @throws LcmError as `messageRange`, and invalid_argument for messages of another conversation
 */
export function messageRangeIn(db: ReadDb, memory: Memory, ends: MessageEnds): MessageRange {
  const { conversationId } = memory.messages
  const [from, to] = [messageOf(db, ends.fromMessage), messageOf(db, ends.toMessage)]
  const other = [from, to].find((end) => end && end.conversationId !== conversationId)
  if (!other) return between(memory, from, to)
  const message = `${other.id} is no message of conversation ${conversationId}.`
  throw new LcmError('invalid_argument', message, { id: other.id })
}

function between({ messages }: Memory, from: FoundMessage | null, to: FoundMessage | null): MessageRange {
  const first = from ? messages.positionOf(from.messageId) : 0
  const end = to ? messages.positionOf(to.messageId) + 1 : messages.length
  if (from && to && first >= end) {
    const message = `${from.id} comes after ${to.id}: a range begins with its earlier message. Exchange the two.`
    throw new LcmError('invalid_argument', message, { from: from.id, to: to.id })
  }
  return { first, end }
}

function messageOf(db: ReadDb, id: string | undefined): FoundMessage | null {
  if (id === undefined) return null
  const node = findNode(db, id)
  if (node.kind === 'message') return node
  throw new LcmError('invalid_argument', `A range goes from message to message; ${id} is a ${node.kind}.`, { id })
}
