import { ROLES } from '../../contract/lists.ts'
import { nextKey } from '../../sqlite/keyset.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { grown, unpackInto } from './packed.ts'

/** Where a role is none of the known ones. */
export const NO_ROLE = 255

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE ${NO_ROLE} END`
const columns = `message_id, seq, token_count, ${roleCode} AS role, created_at`

const queries = {
  lengths: /* sql */ `SELECT conversation_id, count(*) FROM messages GROUP BY conversation_id ORDER BY conversation_id`,
  /** Many messages in one row: a row a message costs an array and two steps between SQLite and JavaScript each. */
  packed: /* sql */ `
    SELECT count(*), group_concat(message_id), group_concat(seq), group_concat(token_count), group_concat(role),
      group_concat(created_at)
    FROM (
      SELECT ${columns}
      FROM messages
      WHERE conversation_id = :conversation AND seq > :seq
      ORDER BY seq
      LIMIT CAST(:limit AS INTEGER)
    )`,
  rows: /* sql */ `
    SELECT ${columns}
    FROM messages
    WHERE conversation_id IS :conversation
    ORDER BY seq, message_id`,
}

type Packed = readonly [
  number,
  ids: string | null,
  seqs: string | null,
  tokens: string | null,
  roles: string | null,
  times: string | null,
]
/** A message without its text, as it stands in a file that may be damaged: any value may be of any type. */
type Row = readonly [id: unknown, seq: unknown, tokens: unknown, role: number, createdAt: unknown]

/** Messages of one row: some milliseconds of work, and texts that are short enough to be forgotten at once. */
const AT_ONCE = 4096

/** The messages of one conversation: the places `from` (inclusive) to `to` (exclusive) of the columns. */
export type MessageRange = { readonly conversationId: number; readonly from: number; readonly to: number }

/**
 * All messages of a file without their texts, in columns: conversation after conversation, each in the order of its
 * sequence. About 37 bytes a message. NaN stands for what is no number.
 */
export class MessageColumns {
  length = 0
  ids = new Float64Array(0)
  conversations = new Float64Array(0)
  seqs = new Float64Array(0)
  tokens = new Float64Array(0)
  roles = new Uint8Array(0)
  atMs = new Float64Array(0)
  readonly ranges: MessageRange[] = []
  #byId: Int32Array | Map<number, number> = new Map();

  /** Reads the file; pauses between any two pieces of some milliseconds. */
  *load(db: ReadDb): Generator<void> {
    const lengths = [...db.iterateRaw<[number | null, number]>(queries.lengths)]
    this.#reserve(lengths.reduce((sum, [, length]) => sum + length, 0))
    for (const [conversation, length] of lengths) {
      const from = this.length
      if (conversation === null || !(yield* this.#packed(db, conversation, length))) {
        // Not every file is a sound one: a time may be missing, a number may be a text.
        this.length = from
        yield* this.#rows(db, conversation)
      }
      this.conversations.fill(conversation ?? Number.NaN, from, this.length)
      this.ranges.push({ conversationId: conversation ?? Number.NaN, from, to: this.length })
    }
    yield* this.#indexIds()
  }

  /** The place of a message, or −1. */
  indexOf(id: number): number {
    if (this.#byId instanceof Map) return this.#byId.get(id) ?? -1
    return (this.#byId[id] ?? 0) - 1
  }

  /** False when anything in the conversation is not a plain number. */
  *#packed(db: ReadDb, conversation: number, length: number): Generator<void, boolean> {
    const from = this.length
    let seq = Number.NEGATIVE_INFINITY
    for (;;) {
      const [packed] = db.iterateRaw<Packed>(queries.packed, { conversation, seq, limit: AT_ONCE })
      const count = packed?.[0] ?? 0
      if (!packed || count === 0) break
      if (this.length + count > this.ids.length || !this.#unpack(packed)) return false
      const last = this.seqs[this.length + count - 1] as number
      let end = count
      // There may be more of the last one's number.
      if (count === AT_ONCE) while (end > 0 && this.seqs[this.length + end - 1] === last) end -= 1
      if (end === 0) return false
      this.length += end
      if (count < AT_ONCE) break
      seq = nextKey(db, 'the places of messages in their conversation', seq, this.seqs[this.length - 1])
      yield
    }
    return this.length - from === length
  }

  #unpack([count, ids, seqs, tokens, roles, times]: Packed): boolean {
    const at = this.length
    const whole = (text: string | null, into: Float64Array): boolean => unpackInto(text ?? '', into, at) === count
    if (!whole(ids, this.ids) || !whole(seqs, this.seqs)) return false
    if (!whole(tokens, this.tokens) || !whole(times, this.atMs)) return false
    const codes = new Int32Array(count)
    if (unpackInto(roles ?? '', codes, 0) !== count) return false
    this.roles.set(codes, at)
    return true
  }

  *#rows(db: ReadDb, conversation: number | null): Generator<void> {
    for (const [id, seq, tokens, role, createdAt] of db.iterateRaw<never>(queries.rows, {
      conversation,
    }) as Iterable<Row>) {
      const at = this.length
      if (at === this.ids.length) this.#reserve(at + AT_ONCE)
      this.ids[at] = numberOf(id)
      this.seqs[at] = numberOf(seq)
      this.tokens[at] = numberOf(tokens)
      this.roles[at] = role
      this.atMs[at] = numberOf(createdAt)
      this.length += 1
      if (at % AT_ONCE === 0) yield
    }
  }

  #reserve(length: number): void {
    this.ids = grown(this.ids, length)
    this.conversations = grown(this.conversations, length)
    this.seqs = grown(this.seqs, length)
    this.tokens = grown(this.tokens, length)
    this.roles = grown(this.roles, length)
    this.atMs = grown(this.atMs, length)
  }

  /** Numbers are mostly dense: a column serves as the index unless that would waste more than it saves. */
  *#indexIds(): Generator<void> {
    let largest = 0
    let isPlain = true
    for (let place = 0; place < this.length; place += 1) {
      const id = this.ids[place] as number
      if (id > largest) largest = id
      else if (!(id >= 0)) isPlain = false
    }
    yield
    const isDense = isPlain && largest < 4 * this.length + 65_536
    const column = isDense ? new Int32Array(largest + 1) : null
    const map = new Map<number, number>()
    for (let place = 0; place < this.length; place += 1) {
      const id = this.ids[place] as number
      if (column) column[id] = place + 1
      else map.set(id, place)
      if (place % (32 * AT_ONCE) === 0) yield
    }
    this.#byId = column ?? map
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
