/**
 * Which messages a conversation has, in order. A *rank* is the 0-based place of a message by seq. About 16 bytes a
 * message.
 */
export class MessageOrder {
  readonly conversationId: number
  readonly length: number
  /** By rank. */
  readonly messageIds: Float64Array
  /** By rank. */
  readonly seqs: Float64Array
  #ranksById: Int32Array | null | undefined

  constructor(conversationId: number, columns: Pick<MessageOrder, 'messageIds' | 'seqs'>) {
    this.conversationId = conversationId
    this.length = columns.messageIds.length
    this.messageIds = columns.messageIds
    this.seqs = columns.seqs
  }

  /** Rank of a message number, or −1 when it is not in this conversation. */
  rankOf(messageId: number): number {
    const order = this.#idOrder()
    // Message numbers are mostly dense.
    const guess = messageId - (this.messageIds[0] ?? 0)
    if (order === null && this.messageIds[guess] === messageId) return guess
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.messageIds[order ? (order[middle] as number) : middle] as number) < messageId) low = middle + 1
      else high = middle
    }
    const rank = order ? (order[low] ?? -1) : low
    return this.messageIds[rank] === messageId ? rank : -1
  }

  /** Ranks ordered by message number; null in the usual case that both orders are the same. */
  #idOrder(): Int32Array | null {
    if (this.#ranksById === undefined) {
      const ids = this.messageIds
      this.#ranksById = ascends(ids)
        ? null
        : Int32Array.from(ids.keys()).sort((a, b) => (ids[a] as number) - (ids[b] as number))
    }
    return this.#ranksById
  }
}

function ascends(ids: Float64Array): boolean {
  for (let rank = 1; rank < ids.length; rank += 1) {
    if ((ids[rank] as number) <= (ids[rank - 1] as number)) return false
  }
  return true
}
