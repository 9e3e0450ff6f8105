import type { NewMessage, NewPart } from '../../../new-message.ts'
import { cutAnswer } from '../../answer-links.ts'
import type { BlockPart } from '../../content-blocks.ts'
import type { Draft, Marks } from '../../draft.ts'

/** An answer stays open for at most so many later messages and so much text; what comes later continues it. */
const OPEN_MESSAGES = 512
const OPEN_TEXT_UNITS = 4_000_000
/** Of so many answers that are complete it is remembered how they lie in the memory: the file may be growing. */
const COMPLETE_ANSWERS = 1024

type OpenAnswer = {
  readonly apiId: string
  readonly blocks: BlockPart[]
  readonly createdAtMs: number
  finish: NewPart | null
  marks: Marks
  textUnits: number
  isClosed: boolean
}
type Waiting =
  | { readonly kind: 'whole'; readonly message: NewMessage }
  | { readonly kind: 'answer'; readonly answer: OpenAnswer }

/** How an answer lies in the memory: number of blocks of each stored message, the first and its continuations. */
type Answer = { readonly links: number[]; nextLink: number; blocks: number }

export type MessageOrderOptions = {
  /** How many blocks of an answer the transcript holds altogether. */
  readonly expectedBlocks: (apiId: string) => number
  /** Blocks of what is stored of an answer: its message, then its continuations. */
  readonly storedLinks: (apiId: string) => number[]
}

/**
 * Puts the messages of one conversation in order. An answer that was streamed as several records becomes one message at
 * the place of its first block; messages behind it wait until it is complete. When that takes too long, or blocks come
 * that an earlier import could not see, they become a message `<id>#<n>` of their own: nothing is lost, and the same
 * transcript always gives the same messages.
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

  /** Takes the next draft; returns the messages that are complete now, in order. */
  take(draft: Draft): NewMessage[] {
    if (draft.kind === 'whole') {
      this.#waiting.push(draft)
      this.#textUnits += sizeOf(draft.message.parts)
    } else {
      this.#addBlocks(draft)
    }
    const isFull = this.#waiting.length > OPEN_MESSAGES || this.#textUnits > OPEN_TEXT_UNITS
    if (isFull && this.#waiting[0]?.kind === 'answer') this.#close(this.#waiting[0].answer)
    return this.#complete()
  }

  /** The rest, after the last draft. */
  end(): NewMessage[] {
    for (const answer of this.#open.values()) answer.isClosed = true
    return this.#complete()
  }

  #addBlocks(draft: Extract<Draft, { kind: 'blocks' }>): void {
    const { apiId, createdAtMs } = draft
    let answer = this.#open.get(apiId)
    if (!answer) {
      answer = { apiId, blocks: [], createdAtMs, finish: null, marks: draft.marks, textUnits: 0, isClosed: false }
      this.#open.set(apiId, answer)
      this.#waiting.push({ kind: 'answer', answer })
    }
    answer.blocks.push(...draft.blocks)
    answer.finish = draft.finish ?? answer.finish
    answer.marks = { ...answer.marks, ...draft.marks }
    const textUnits = sizeOf(draft.blocks.map(({ part }) => part))
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
      this.#textUnits -= item.kind === 'whole' ? sizeOf(item.message.parts) : item.answer.textUnits
      if (item.kind === 'whole') messages.push(item.message)
      else messages.push(...this.#cut(item.answer))
      count += 1
    }
    if (count > 0) this.#waiting = this.#waiting.slice(count)
    return messages
  }

  /** Cuts an answer where earlier imports have cut it; what they did not have becomes the last link. */
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

const sizeOf = (parts: readonly NewPart[]): number =>
  parts.reduce(
    (sum, part) => sum + (part.text?.length ?? 0) + (part.toolInput?.length ?? 0) + (part.toolOutput?.length ?? 0),
    0,
  )
