import type { ConversationRow } from '../contract/memory.ts'
import type { Guidelines, Outline, OutlineInput } from '../contract/outline.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { contentsOfSummaries } from '../systems/reading/texts.ts'
import { noSuchConversation } from '../systems/records/conversations.ts'
import { cutText } from '../text.ts'
import { guidelinesOf, PREAMBLE } from '../window/guidelines.ts'
import { newestFirst } from './conversation-order.ts'
import { nodeCards } from './node-cards.ts'
import type { MemoryStats } from './stats/memory-stats.ts'

const MOST_CONVERSATIONS = 50
const MOST_SUMMARIES = 50
/** The leaves and messages at one end of a conversation. */
const LEAVES_AT_END = 6
const MESSAGES_AT_END = 12

/** What readers that may not see all of a memory may see. */
export type OutlineLimits = {
  readonly conversationIds: readonly number[]
  /** The level below the topmost of all that may be read, by id. Null when that is everything in the conversations. */
  readonly reach: ReadonlyMap<string, number> | null
}

/** Shows a memory to somebody who knows no id of it yet. */
export class Outliner {
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #stats: MemoryStats

  constructor(db: ReadDb, reader: MemoryReader, stats: MemoryStats) {
    this.#db = db
    this.#reader = reader
    this.#stats = stats
  }

  /** @throws LcmError not_found */
  outline(input: OutlineInput, limits?: OutlineLimits): Outline {
    return readSnapshot(this.#db, () => {
      const reach = limits?.reach ?? null
      const all = this.#stats.listed().toSorted(newestFirst)
      const rows = limits ? all.filter((row) => limits.conversationIds.includes(row.conversationId)) : all
      const facts = (row: Facts): Facts => (reach ? this.#factsWithin(row.conversationId, reach) : factsOf(row))
      const { conversationId = rows[0]?.conversationId, section, contentChars } = input
      const conversation = rows.find((row) => row.conversationId === conversationId)
      if (conversationId !== undefined && !conversation) throw noSuchConversation(this.#db, conversationId)
      const memory = conversation && this.#reader.memory(conversation.conversationId)
      const shown = memory ? idsOf(memory, section, reach) : NOTHING
      const contents = new Map(contentsOfSummaries(this.#db, shown.summaries))
      const cards = nodeCards(this.#db, this.#reader, [...shown.summaries, ...shown.messages])
      return {
        section,
        conversation: conversation ? facts(conversation) : null,
        conversations: rows.slice(0, MOST_CONVERSATIONS).map(facts),
        conversationCount: rows.length,
        guidelines: memory && !reach ? guidelinesOf(memory) : [],
        summaries: cards.slice(0, shown.summaries.length).map((card) => {
          const content = contents.get(card.id) ?? ''
          return { ...card, content: cutText(content, contentChars), contentChars: content.length }
        }),
        summaryCount: shown.summaryCount,
        messages: cards.slice(shown.summaries.length),
      }
    })
  }

  /** Counts only what may be read. The title and the times of a conversation say something of all of it. */
  #factsWithin(conversationId: number, reach: ReadonlyMap<string, number>): Facts {
    const memory = this.#reader.memory(conversationId)
    const own = memory.summaries.rows.filter((row) => row.conversationId === conversationId && reach.has(row.id))
    let messages = 0
    for (let position = 0; position < memory.messages.length; position += 1) {
      if (reach.has(memory.messageId(position))) messages += 1
    }
    const maxDepth = own.reduce((most, { depth }) => Math.max(most, depth), -1)
    const unknown = { title: null, createdAtMs: null, updatedAtMs: null }
    return { conversationId, ...unknown, messages, summaries: own.length, maxDepth }
  }

  /** @throws LcmError not_found */
  guidelines(conversationId: number): Guidelines {
    return { preamble: PREAMBLE, guidelines: guidelinesOf(this.#reader.memory(conversationId)) }
  }
}

type Facts = Pick<
  ConversationRow,
  'conversationId' | 'title' | 'messages' | 'summaries' | 'maxDepth' | 'createdAtMs' | 'updatedAtMs'
>

const factsOf = ({ conversationId, title, messages, summaries, maxDepth, createdAtMs, updatedAtMs }: Facts): Facts => ({
  conversationId,
  title,
  messages,
  summaries,
  maxDepth,
  createdAtMs,
  updatedAtMs,
})

type SectionIds = { readonly summaries: string[]; readonly messages: string[]; readonly summaryCount: number }
const NOTHING: SectionIds = { summaries: [], messages: [], summaryCount: 0 }

/** The ids of a section, in the order of the history. */
function idsOf(memory: Memory, section: OutlineInput['section'], reach: OutlineLimits['reach']): SectionIds {
  const { summaries, lineage, coverage, messages } = memory
  const allows = (id: string): boolean => reach?.has(id) ?? true
  const isTopmost = (node: number): boolean =>
    reach ? reach.get(summaries.at(node).id) === 0 : (lineage.dependents[node] ?? []).length === 0
  const isWanted = (node: number): boolean =>
    section === 'overview' ? isTopmost(node) : summaries.kindOf(node) === 'leaf'
  const own = summaries.rows.filter(
    ({ id, index, conversationId }) => conversationId === messages.conversationId && isWanted(index) && allows(id),
  )
  const placeOf = (node: number): number => coverage.seqRange(node)?.firstSeq ?? Number.POSITIVE_INFINITY
  const inOrder = own.toSorted((a, b) => placeOf(a.index) - placeOf(b.index) || a.index - b.index).map(({ id }) => id)
  const most = section === 'overview' ? MOST_SUMMARIES : LEAVES_AT_END
  return {
    summaries: section === 'earliest' ? inOrder.slice(0, most) : inOrder.slice(-most),
    summaryCount: own.length,
    // Before the first summary the newest messages are all that an overview can show.
    messages: section === 'overview' && own.length > 0 ? [] : messagesAtEnd(memory, section === 'earliest', allows),
  }
}

function messagesAtEnd(memory: Memory, isEarliest: boolean, allows: (id: string) => boolean): string[] {
  const { length } = memory.messages
  const ids: string[] = []
  for (let place = 0; place < length && ids.length < MESSAGES_AT_END; place += 1) {
    const id = memory.messageId(isEarliest ? place : length - 1 - place)
    if (allows(id)) ids.push(id)
  }
  return isEarliest ? ids : ids.reverse()
}
