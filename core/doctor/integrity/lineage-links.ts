import type { ReadDb } from '../../sqlite/read-db.ts'
import type { MessageColumns } from './message-columns.ts'
import { grown, unpackInto } from './packed.ts'
import type { SummaryTable } from './summary-table.ts'

const queries = {
  /** One row a summary: messages in their order. */
  messages: /* sql */ `
    SELECT summary_id, count(*), group_concat(coalesce(message_id, '?'), ',' ORDER BY ordinal, message_id),
      min(ordinal), max(ordinal), total(ordinal)
    FROM summary_messages
    GROUP BY summary_id`,
  messagesOf: /* sql */ `
    SELECT message_id FROM summary_messages WHERE summary_id IS :summary ORDER BY ordinal, message_id`,
  sources: /* sql */ `
    SELECT summary_id, source_summary_id, ordinal FROM summary_sources ORDER BY summary_id, ordinal, source_summary_id`,
}

/** A link of which one end is missing. */
export type BrokenLink = {
  readonly summaryId: string
  /** The place of the summary, or −1 when that is what is missing. */
  readonly summary: number
  /** As an id of a node. */
  readonly sourceId: string
}

/** Which messages and summaries every summary was made from, as stored; ends are places in their tables. */
export class LineageLinks {
  /** Messages of all summaries, one after the other; −1 for one that does not exist. */
  messages = new Int32Array(1024)
  /** Where in `messages` the messages of a summary begin and end. */
  starts = new Int32Array(0)
  ends = new Int32Array(0)
  sources: number[][] = []
  dependents: number[][] = []
  readonly broken: BrokenLink[] = []
  /** Summaries whose sources are not numbered from 0 without gaps. */
  readonly sparse = new Set<number>()
  #length = 0;

  *load(db: ReadDb, messages: MessageColumns, summaries: SummaryTable): Generator<void> {
    this.starts = new Int32Array(summaries.length)
    this.ends = new Int32Array(summaries.length)
    this.sources = Array.from({ length: summaries.length }, () => [])
    this.dependents = Array.from({ length: summaries.length }, () => [])
    let scratch = new Float64Array(1024)
    let rows = 0
    let since = 0
    type Links = [id: string, count: number, packed: string, first: unknown, last: unknown, sum: unknown]
    for (const [summaryId, count, packed, first, last, sum] of db.iterateRaw<never>(
      queries.messages,
    ) as Iterable<Links>) {
      if (count > scratch.length) scratch = new Float64Array(2 * count)
      if (unpackInto(packed, scratch, 0) !== count) this.#unpackOneByOne(db, summaryId, scratch)
      this.#add(summaryId, scratch.subarray(0, count), messages, summaries)
      if (first !== 0 || last !== count - 1 || sum !== (count * (count - 1)) / 2) {
        this.sparse.add(summaries.indexOf(summaryId))
      }
      rows += count
      if (rows - since > 16_384) {
        since = rows
        yield
      }
    }
    this.messages = this.messages.slice(0, this.#length)
    yield
    let place = 0
    let before: string | null = null
    for (const [summaryId, sourceId, ordinal] of db.iterateRaw<[string, string, number]>(queries.sources)) {
      const summary = summaries.indexOf(summaryId)
      const source = summaries.indexOf(sourceId)
      place = summaryId === before ? place + 1 : 0
      before = summaryId
      if (ordinal !== place) this.sparse.add(summary)
      if (summary >= 0 && source >= 0) {
        this.sources[summary]?.push(source)
        this.dependents[source]?.push(summary)
      } else {
        this.broken.push({ summaryId, summary, sourceId })
      }
      rows += 1
      if (rows % 8192 === 0) yield
    }
  }

  #unpackOneByOne(db: ReadDb, summary: string, into: Float64Array): void {
    let place = 0
    for (const id of db.column<number>(queries.messagesOf, { summary })) {
      into[place] = typeof id === 'number' ? id : Number.NaN
      place += 1
    }
  }

  #add(summaryId: string, ids: Float64Array, messages: MessageColumns, summaries: SummaryTable): void {
    const summary = summaries.indexOf(summaryId)
    if (this.#length + ids.length > this.messages.length) {
      this.messages = grown(this.messages, Math.ceil(1.25 * (this.#length + ids.length)))
    }
    const start = this.#length
    for (const id of ids) {
      const message = messages.indexOf(id)
      if (message < 0 || summary < 0) this.broken.push({ summaryId, summary, sourceId: `msg_${id}` })
      if (summary < 0) continue
      this.messages[this.#length] = message
      this.#length += 1
    }
    if (summary < 0) return
    this.starts[summary] = start
    this.ends[summary] = this.#length
  }

  /** Places of the messages that a summary names, in their order; −1 for one that does not exist. */
  messagesOf(summary: number): Int32Array {
    return this.messages.subarray(this.starts[summary], this.ends[summary])
  }

  get messageLinks(): number {
    return this.#length
  }
}
