import { type NewMessage, type NewPart, textUnits } from '#core/ingest/new-message.ts'
import { cutAnswer } from '#core/ingest/transcripts/answer-links.ts'
import type { BlockPart } from '#core/ingest/transcripts/content-blocks.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import type { Contribution } from './contribution.ts'

/** An answer stays open for at most this many later messages and this much text. What arrives later continues it. */
const OPEN_MESSAGES = 512
const OPEN_TEXT_UNITS = 4_000_000
/** The links of this many complete answers are remembered, because the file may be growing. */
const COMPLETE_ANSWERS = 1024

type OpenAnswer = {
  readonly apiId: string
  readonly blocks: BlockPart[]
  readonly createdAtMs: number
  finish: NewPart | null
  details: MessageDetails
  textUnits: number
  isClosed: boolean
}
type Waiting =
  | { readonly kind: 'whole'; readonly message: NewMessage }
  | { readonly kind: 'answer'; readonly answer: OpenAnswer }

/** The stored form of an answer: the number of blocks of its first message and of each continuation. */
type Answer = { readonly links: number[]; nextLink: number; blocks: number }

export type MessageOrderOptions = {
  /** Counts the blocks of an answer in the whole transcript. */
  readonly expectedBlocks: (apiId: string) => number
  /** Lists the number of blocks of each stored message of an answer. */
  readonly storedLinks: (apiId: string) => number[]
}

/**
 * Puts the messages of a conversation in order. An answer that was streamed as several records becomes one message at
 * the place of its first block, and messages after it wait until it is complete. When that takes too long, or when
 * blocks arrive that an earlier import could not see, they become a message `<id>#<n>` of their own. Nothing is lost,
 * and a transcript always leads to the same messages.
 */
export class MessageOrder {
  readonly #options: MessageOrderOptions
  #waiting: Waiting[] = []
  #textUnits = 0
  readonly #open = new Map<string, OpenAnswer>()
  readonly #answers = new Map<string, Answer>()
  readonly #forgettable: string[] = []

  constructor(options: MessageOrderOptions) {
    this.#options = options
  }

  /** Takes the next contribution, and returns the messages that are complete now, in order. */
  take(contribution: Contribution): NewMessage[] {
    if (contribution.kind === 'whole') {
      this.#waiting.push(contribution)
      this.#textUnits += unitsOf(contribution.message.parts)
    } else {
      this.#addBlocks(contribution)
    }
    const isFull = this.#waiting.length > OPEN_MESSAGES || this.#textUnits > OPEN_TEXT_UNITS
    if (isFull && this.#waiting[0]?.kind === 'answer') this.#close(this.#waiting[0].answer)
    return this.#complete()
  }

  /** Returns the rest after the last contribution. */
  end(): NewMessage[] {
    for (const answer of this.#open.values()) answer.isClosed = true
    return this.#complete()
  }

  #addBlocks(contribution: Extract<Contribution, { kind: 'blocks' }>): void {
    const { apiId, createdAtMs } = contribution
    let answer = this.#open.get(apiId)
    if (!answer) {
      answer = {
        apiId,
        blocks: [],
        createdAtMs,
        finish: null,
        details: contribution.details,
        textUnits: 0,
        isClosed: false,
      }
      this.#open.set(apiId, answer)
      this.#waiting.push({ kind: 'answer', answer })
    }
    answer.blocks.push(...contribution.blocks)
    answer.finish = contribution.finish ?? answer.finish
    answer.details = { ...answer.details, ...contribution.details }
    const textUnits = unitsOf(contribution.blocks.map(({ part }) => part))
    answer.textUnits += textUnits
    this.#textUnits += textUnits
    const before = this.#answers.get(apiId)?.blocks ?? 0
    if (before + answer.blocks.length >= this.#options.expectedBlocks(apiId)) this.#close(answer)
  }

  #close(answer: OpenAnswer): void {
    answer.isClosed = true
    this.#open.delete(answer.apiId)
  }

  #complete(): NewMessage[] {
    const messages: NewMessage[] = []
    let count = 0
    for (const item of this.#waiting) {
      if (item.kind === 'answer' && !item.answer.isClosed) break
      this.#textUnits -= item.kind === 'whole' ? unitsOf(item.message.parts) : item.answer.textUnits
      if (item.kind === 'whole') messages.push(item.message)
      else messages.push(...this.#cut(item.answer))
      count += 1
    }
    if (count > 0) this.#waiting = this.#waiting.slice(count)
    return messages
  }

  /** Cuts an answer where earlier imports cut it. What they did not have becomes the last link. */
  #cut(open: OpenAnswer): NewMessage[] {
    let answer = this.#answers.get(open.apiId)
    if (!answer) {
      answer = { links: this.#options.storedLinks(open.apiId), nextLink: 0, blocks: 0 }
      this.#answers.set(open.apiId, answer)
    }
    const messages = cutAnswer({ ...open, externalId: open.apiId }, answer.links, answer.nextLink)
    answer.nextLink += messages.length
    while (answer.links.length < answer.nextLink) answer.links.push(open.blocks.length)
    answer.blocks += open.blocks.length
    if (answer.blocks >= this.#options.expectedBlocks(open.apiId)) this.#noteComplete(open.apiId)
    return messages
  }

  #noteComplete(apiId: string): void {
    this.#forgettable.push(apiId)
    if (this.#forgettable.length <= 2 * COMPLETE_ANSWERS) return
    for (const old of this.#forgettable.splice(0, COMPLETE_ANSWERS)) this.#answers.delete(old)
  }
}

const unitsOf = (parts: readonly NewPart[]): number => textUnits({ content: '', parts })
