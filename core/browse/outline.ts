import type { ConversationRow } from '../contract/memory.ts'
import type { Guidelines, Outline, OutlineInput } from '../contract/outline.ts'
import type { Memory } from '../memory/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/memory-reader.ts'
import { noSuchConversation } from '../systems/records/conversations.ts'
import { contentsOfSummaries } from '../systems/texts.ts'
import { cutText } from '../text.ts'
import { guidelinesOf, PREAMBLE } from '../window/guidelines.ts'
import { newestFirst } from './newest-first.ts'
import { nodeCards } from './node-cards.ts'
import type { MemoryStats } from './stats/memory-stats.ts'

const MOST_CONVERSATIONS = 50
const MOST_SUMMARIES = 50
/** The leaves and messages at one end of a conversation. */
const LEAVES_AT_END = 6
const MESSAGES_AT_END = 12

/** Limits for readers that may not see all of a memory. */
export type OutlineLimits = {
  readonly allowsConversation: (conversationId: number) => boolean
  readonly allows: (id: string) => boolean
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
      const all = this.#stats.listed().filter((row) => limits?.allowsConversation(row.conversationId) ?? true)
      const rows = all.toSorted(newestFirst)
      const { conversationId = rows[0]?.conversationId, section, contentChars } = input
      const conversation = rows.find((row) => row.conversationId === conversationId)
      if (conversationId !== undefined && !conversation) throw noSuchConversation(this.#db, conversationId)
      const memory = conversation && this.#reader.memory(conversation.conversationId)
      const shown = memory ? idsOf(memory, section, limits) : NOTHING
      const contents = new Map(contentsOfSummaries(this.#db, shown.summaries))
      const cards = nodeCards(this.#db, this.#reader, [...shown.summaries, ...shown.messages])
      return {
        section,
        conversation: conversation ? factsOf(conversation) : null,
        conversations: rows.slice(0, MOST_CONVERSATIONS).map(factsOf),
        conversationCount: rows.length,
        guidelines: memory ? guidelinesOf(memory) : [],
        summaries: cards.slice(0, shown.summaries.length).map((card) => {
          const content = contents.get(card.id) ?? ''
          return { ...card, content: cutText(content, contentChars), contentChars: content.length }
        }),
        summaryCount: shown.summaryCount,
        messages: cards.slice(shown.summaries.length),
      }
    })
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

type Shown = { readonly summaries: string[]; readonly messages: string[]; readonly summaryCount: number }
const NOTHING: Shown = { summaries: [], messages: [], summaryCount: 0 }

/** The ids of a section, in the order of the history. */
function idsOf(memory: Memory, section: OutlineInput['section'], limits: OutlineLimits | undefined): Shown {
  const { summaries, lineage, coverage, messages } = memory
  const allows = limits?.allows ?? (() => true)
  const isWanted = (node: number): boolean =>
    section === 'overview' ? (lineage.dependents[node] ?? []).length === 0 : summaries.kindOf(node) === 'leaf'
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
