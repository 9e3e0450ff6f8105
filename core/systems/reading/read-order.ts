import { sumOfOrder } from '#core/memory/growing-messages.ts'
import { MessageOrder, type MessagePositions } from '#core/memory/messages.ts'
import { unpackInto } from '#core/memory/packed-numbers.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { AppendedMessage } from './appended-messages.ts'
import { SUM_OF_ORDER } from './read-messages.ts'

const queries = {
  /** What tells an appended conversation from one whose messages went, came or changed places in between. */
  extent: /* sql */ `
    SELECT count(*) AS length, ${SUM_OF_ORDER} AS ordered
    FROM messages
    WHERE conversation_id = :conversation`,
  packed: /* sql */ `
    SELECT count(*), group_concat(message_id), group_concat(seq)
    FROM (
      SELECT message_id, seq
      FROM messages
      WHERE conversation_id = :conversation AND seq > :seq
      ORDER BY seq
      LIMIT CAST(:limit AS INTEGER)
    )`,
  after: /* sql */ `
    SELECT message_id, seq FROM messages WHERE conversation_id = :conversation AND seq > :seq ORDER BY seq`,
  first: /* sql */ `SELECT min(seq) FROM messages WHERE conversation_id = :conversation`,
  last: /* sql */ `SELECT max(seq) FROM messages WHERE conversation_id = :conversation`,
  wholes: /* sql */ `
    SELECT count(*) AS length, count(*) FILTER (WHERE seq = CAST(seq AS INTEGER)) AS wholes
    FROM messages
    WHERE conversation_id = :conversation`,
  ids: /* sql */ `
    SELECT message_id
    FROM messages
    WHERE conversation_id = :conversation AND seq >= :seq
    ORDER BY seq
    LIMIT CAST(:limit AS INTEGER)`,
  seq: /* sql */ `SELECT seq FROM messages WHERE message_id = :id AND conversation_id = :conversation`,
}

const AT_ONCE = 50_000

type Page = { readonly ids: Float64Array; readonly seqs: Float64Array }

/**
 * The order of a conversation's messages, from an index where the file has one for it: unlike everything else about
 * them it is read without their texts. What is known already is not read again.
 */
export function readOrder(db: ReadDb, conversationId: number, known: MessageOrder | undefined): MessageOrder {
  if (!known || known.length === 0) return joined(conversationId, pagesAfter(db, conversationId, NOTHING))
  const extent = db.get<Extent>(queries.extent, { conversation: conversationId })
  if (isSame(extentOf(known), extent)) return known
  const order = joined(conversationId, [known, ...pagesAfter(db, conversationId, known)])
  return isSame(extentOf(order), extent) ? order : readOrder(db, conversationId, undefined)
}

/**
 * The positions of messages that are numbered without a gap, in a file where no two of a conversation have the same seq:
 * they follow from the seq, so nothing but counting reads every message.
 */
export class NumberedPositions implements MessagePositions {
  readonly length: number
  readonly #db: ReadDb
  readonly #conversation: number
  readonly #first: number

  private constructor(db: ReadDb, conversation: number, first: number, length: number) {
    this.#db = db
    this.#conversation = conversation
    this.#first = first
    this.length = length
  }

  /** Returns null when there is a gap. */
  static read(db: ReadDb, conversation: number): NumberedPositions | null {
    const [first, last] = [queries.first, queries.last].map((sql) => db.value(sql, { conversation }))
    if (typeof first !== 'number' || typeof last !== 'number') return null
    const counted = db.get<{ length: number; wholes: number }>(queries.wholes, { conversation })
    const length = last - first + 1
    if (counted?.length !== length || counted.wholes !== length) return null
    return new NumberedPositions(db, conversation, first, length)
  }

  /** The seq of the message that would come next. */
  get nextSeq(): number {
    return this.#first + this.length
  }

  longerBy(messages: number): NumberedPositions {
    return new NumberedPositions(this.#db, this.#conversation, this.#first, this.length + messages)
  }

  idsFrom(position: number, limit: number): number[] {
    const params = { conversation: this.#conversation, seq: this.#first + position, limit }
    return this.#db.column<number>(queries.ids, params)
  }

  positionOf(id: number): number {
    const seq = this.#db.value<number>(queries.seq, { conversation: this.#conversation, id })
    return (seq ?? this.#first - 1) - this.#first
  }
}

/** Returns an order with the messages that were appended to its conversation, or null when they do not follow it. */
export function orderWith(
  order: MessageOrder | NumberedPositions,
  appended: readonly AppendedMessage[],
): MessageOrder | NumberedPositions | null {
  if (appended.length === 0) return order
  if (order instanceof NumberedPositions) {
    const areNext = appended.every(({ seq }, index) => seq === order.nextSeq + index)
    return areNext ? order.longerBy(appended.length) : null
  }
  const ids = Float64Array.from(appended, ({ messageId }) => messageId)
  const seqs = Float64Array.from(appended, ({ seq }) => (typeof seq === 'number' ? seq : Number.NaN))
  const before = order.seqs.at(-1) ?? Number.NEGATIVE_INFINITY
  if (!seqs.every((seq, index) => seq > (seqs[index - 1] ?? before))) return null
  return joined(order.conversationId, [order, { ids, seqs }])
}

type Extent = { readonly length: number; readonly ordered: number }

const NOTHING: Page = { ids: new Float64Array(0), seqs: new Float64Array(0) }

const extentOf = ({ ids, seqs }: Page): Extent => ({
  length: seqs.length,
  ordered: sumOfOrder(ids, seqs, 0, seqs.length),
})

const isSame = (a: Extent, b: Extent | undefined): boolean => a.length === b?.length && a.ordered === b.ordered

/** Reads all messages after those that are known, a page at a time. */
function* pagesAfter(db: ReadDb, conversation: number, before: Page): Generator<Page> {
  let seq = before.seqs.at(-1) ?? Number.NEGATIVE_INFINITY
  for (;;) {
    const params = { conversation, seq, limit: AT_ONCE }
    const [packed] = db.rows<[number, string | null, string | null]>(queries.packed, params)
    if (!packed || packed[0] === 0) return
    const whole = unpacked(packed)
    if (whole === null) break
    yield whole
    if (packed[0] < AT_ONCE) return
    seq = nextKey(db, 'the places of messages in their conversation', seq, whole.seqs.at(-1))
  }
  // Not every file is a sound one: a number may be a text.
  const rows = db.rows<[number, number]>(queries.after, { conversation, seq })
  yield {
    ids: Float64Array.from(rows, ([messageId]) => messageId),
    seqs: Float64Array.from(rows, ([, of]) => of),
  }
}

/**
 * Messages with the last seq of a full page are left out, because there may be more of them. Returns null when a value is
 * no number, or when nothing would remain.
 */
function unpacked([count, idTexts, seqTexts]: readonly [number, string | null, string | null]): Page | null {
  const [ids, seqs] = [new Float64Array(count), new Float64Array(count)]
  if (unpackInto(idTexts ?? '', ids, 0) !== count || unpackInto(seqTexts ?? '', seqs, 0) !== count) return null
  let end = count
  if (count === AT_ONCE) while (end > 0 && seqs[end - 1] === seqs[count - 1]) end -= 1
  return end === 0 ? null : { ids: ids.subarray(0, end), seqs: seqs.subarray(0, end) }
}

function joined(conversationId: number, pages: Iterable<Page>): MessageOrder {
  const all = [...pages]
  const length = all.reduce((sum, page) => sum + page.seqs.length, 0)
  const columns = { ids: new Float64Array(length), seqs: new Float64Array(length) }
  let first = 0
  for (const { ids, seqs } of all) {
    columns.ids.set(ids, first)
    columns.seqs.set(seqs, first)
    first += seqs.length
  }
  return new MessageOrder({ ...columns, ranges: [{ conversationId, from: 0, to: length }] })
}
