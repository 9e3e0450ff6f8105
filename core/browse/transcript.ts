import type { Message, TranscriptPage, TranscriptPageInput } from '../contract/message.ts'
import { LcmError } from '../errors.ts'
import type { Messages } from '../memory/messages.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { readMessages } from '../systems/reading/message-reader.ts'
import { findNode } from '../systems/reading/node-id.ts'

type Located = { conversationId: number; position: number; lastPosition: number }

/** Every message of a conversation as a row of one long list. The row is the position of the message. */
export class Transcript {
  readonly #db: ReadDb
  readonly #reader: MemoryReader

  constructor(db: ReadDb, reader: MemoryReader) {
    this.#db = db
    this.#reader = reader
  }

  /** @throws LcmError not_found */
  page(input: TranscriptPageInput): TranscriptPage {
    return readSnapshot(this.#db, () => {
      const order = this.#reader.order(input.conversationId)
      const ids = order.idsFrom(input.offset, input.limit)
      const found = readMessages(this.#db, ids, input.contentChars)
      const messages = ids.flatMap((messageId, index): Message[] => {
        const message = found.get(messageId)
        return message ? [ranked(message, input.offset + index)] : []
      })
      return { total: order.length, offset: input.offset, messages }
    })
  }

  /**
   * Returns one message with its whole text.
   * @throws LcmError not_found; invalid_argument when the id names something else
   */
  message(id: string): Message {
    return readSnapshot(this.#db, () => {
      const node = findNode(this.#db, id)
      const messageId = node.kind === 'message' ? node.messageId : null
      const message =
        messageId === null ? undefined : readMessages(this.#db, [messageId], Number.MAX_SAFE_INTEGER).get(messageId)
      if (messageId === null || !message) {
        throw new LcmError('invalid_argument', `${id} is a ${node.kind}, not a message: describe it instead.`, { id })
      }
      return ranked(message, this.#reader.order(node.conversationId).positionOf(messageId))
    })
  }

  /**
   * Returns the row of a message, the rows of what a summary stands for, or all rows of the conversation of a file. A
   * summary without messages is located at the time of its creation.
   * @throws LcmError not_found
   */
  locate(id: string): Located {
    return readSnapshot(this.#db, () => {
      const node = findNode(this.#db, id)
      const { conversationId } = node
      if (node.kind !== 'summary') {
        const order = this.#reader.order(conversationId)
        if (node.kind === 'file') return { conversationId, position: 0, lastPosition: Math.max(0, order.length - 1) }
        const position = order.positionOf(node.messageId)
        return { conversationId, position, lastPosition: position }
      }
      const { messages, summaries, coverage } = this.#reader.memory(conversationId)
      const summary = summaries.rows[summaries.nodeOf(id)]
      const ranges = coverage.reach(summary?.index ?? -1)
      const [first, end] = [ranges[0], ranges.at(-1)]
      if (first !== undefined && end !== undefined) return { conversationId, position: first, lastPosition: end - 1 }
      const position = lastRow(messages, messages.positionAtTime(summary?.createdAtMs ?? Number.POSITIVE_INFINITY))
      return { conversationId, position, lastPosition: position }
    })
  }

  /**
   * Returns the row of the first message at or after a time, or the last row when there is none.
   * @throws LcmError not_found
   */
  positionAt(input: { readonly conversationId: number; readonly atMs: number }): { position: number } {
    const messages = this.#reader.of(input.conversationId)
    return { position: lastRow(messages, messages.positionAtTime(input.atMs)) }
  }
}

const lastRow = (messages: Messages, position: number): number => Math.max(0, Math.min(position, messages.length - 1))

function ranked(message: Omit<Message, 'position'> & { readonly messageId: number }, position: number): Message {
  const { messageId: _, ...rest } = message
  return { ...rest, position }
}
