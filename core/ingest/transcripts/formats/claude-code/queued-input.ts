import { sha256 } from '#core/hashing.ts'
import { IdNumbers } from '#core/ingest/transcripts/id-numbers.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { blocksOf, isHarnessText } from './record.ts'

const digest = (text: string): string => sha256(text, 'base64').slice(0, 16)

type Queued = { readonly text: string; readonly timestamp: string | null; readonly line: number }

/** The result of queued texts: a user record that is missing in the file, and texts that never reached the model. */
export type QueueStep = {
  readonly missing: JsonObject | null
  readonly unsent: readonly { readonly line: number; readonly reason: string }[]
}

const NEVER_SENT = 'typed while the agent was busy, and never sent: the agent does not see it'
const TAKEN_BACK = 'typed while the agent was busy, and taken back: the agent does not see it'
const NOTICE = 'a notice of the program that came while the agent was busy, and that it was not sent'
const COMMAND = 'a command that was typed while the agent was busy: what it did is a record of its own'

/**
 * Follows texts that were typed while the agent was busy. Newer versions write those that reached the model as an
 * attachment. With older versions only the bookkeeping of the queue has them.
 */
export class QueuedInput {
  readonly #said = new IdNumbers()
  readonly #formerIds = new Map<string, string>()
  #waiting: Queued[] = []
  #hasAdded = false

  /** In the first reading, remembers which texts are in other records. */
  observe(record: JsonObject): void {
    if (record.type === 'user') {
      for (const block of blocksOf(objectAt(record, 'message')).filter(isObject)) this.#remember(block.text)
    } else if (record.type === 'attachment') {
      this.#remember(objectAt(record, 'attachment').prompt)
    }
  }

  /**
   * In the second reading, follows the queue. A record is missing when a text is handed to the model and is in no other
   * record.
   */
  follow(record: JsonObject, line: number): QueueStep {
    const text = textAt(record, 'content')
    if (record.operation === 'enqueue') {
      if (text !== null) this.#waiting.push({ text, timestamp: textAt(record, 'timestamp'), line })
      return NOTHING
    }
    if (record.operation === 'popAll') return { missing: null, unsent: this.#giveUp(TAKEN_BACK) }
    const index = text === null ? 0 : this.#waiting.findIndex((item) => item.text === text)
    const [item] = index < 0 ? [] : this.#waiting.splice(index, 1)
    // `remove` takes a text for the running turn. `dequeue` starts a turn with a user record of its own.
    if (!item || record.operation !== 'remove') return NOTHING
    const uuid = `queued_${digest(`${item.timestamp} ${item.text}`)}`
    if (this.#said.has(item.text)) {
      this.#formerIds.set(item.text, uuid)
      return NOTHING
    }
    if (item.text.startsWith('/')) return { missing: null, unsent: [{ line: item.line, reason: COMMAND }] }
    this.#hasAdded = true
    const message = { role: 'user', content: item.text }
    const missing = { type: 'user', uuid, sessionId: record.sessionId, timestamp: item.timestamp, message }
    return { missing, unsent: [] }
  }

  /** True when what follows in the file cannot change what was made of the queue. */
  get isSettled(): boolean {
    return this.#waiting.length === 0 && this.#formerIds.size === 0 && !this.#hasAdded
  }

  /** Returns the texts that never left the queue, after the last record. */
  end(): QueueStep['unsent'] {
    return this.#giveUp(NEVER_SENT)
  }

  /** Returns the id of a text that was imported after it had left the queue and before its own record was written. */
  formerId(text: string): string | null {
    const id = this.#formerIds.get(text) ?? null
    this.#formerIds.delete(text)
    return id
  }

  #giveUp(reason: string): QueueStep['unsent'] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
      .filter(({ text }) => !this.#said.has(text))
      .map(({ line, text }) => ({ line, reason: isHarnessText(text) ? NOTICE : reason }))
  }

  #remember(text: unknown): void {
    if (typeof text === 'string') this.#said.add(text)
  }
}

const NOTHING: QueueStep = { missing: null, unsent: [] }
