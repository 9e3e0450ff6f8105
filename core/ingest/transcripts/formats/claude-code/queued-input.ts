import { sha256 } from '../../../../hashing.ts'
import { IdNumbers } from '../../id-numbers.ts'
import { isObject, type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { blocksOf } from './record.ts'

const digest = (text: string): string => sha256(text, 'base64').slice(0, 16)

type Queued = { readonly text: string; readonly timestamp: string | null; readonly line: number }

/** What became of texts in the queue: the user record that is missing in the file, and texts that never reached the model. */
export type QueueStep = {
  readonly missing: JsonObject | null
  readonly unsent: readonly { readonly line: number; readonly reason: string }[]
}

const NEVER_SENT = 'typed while the agent was busy, and never sent: the agent does not see it'
const TAKEN_BACK = 'typed while the agent was busy, and taken back: the agent does not see it'
const COMMAND = 'a command that was typed while the agent was busy: what it did is a record of its own'

/**
 * Text that was typed while the agent was busy. Newer versions write what reached the model as an attachment; older
 * ones leave only the queue's own bookkeeping, and then that is the one place where the text can be found.
 */
export class QueuedInput {
  readonly #said = new IdNumbers()
  readonly #formerIds = new Map<string, string>()
  #waiting: Queued[] = []

  /** First reading of the file: remembers which texts stand elsewhere. */
  observe(record: JsonObject): void {
    if (record.type === 'user') {
      for (const block of blocksOf(objectAt(record, 'message')).filter(isObject)) this.#remember(block.text)
    } else if (record.type === 'attachment') {
      this.#remember(objectAt(record, 'attachment').prompt)
    }
  }

  /** Second reading: follows the queue. The record is missing when a text is handed to the model that stands nowhere else. */
  follow(record: JsonObject, line: number): QueueStep {
    const text = textAt(record, 'content')
    if (record.operation === 'enqueue') {
      if (text !== null) this.#waiting.push({ text, timestamp: textAt(record, 'timestamp'), line })
      return NOTHING
    }
    if (record.operation === 'popAll') return { missing: null, unsent: this.#giveUp(TAKEN_BACK) }
    const index = text === null ? 0 : this.#waiting.findIndex((item) => item.text === text)
    const [item] = index < 0 ? [] : this.#waiting.splice(index, 1)
    // `remove` takes from the queue for the running turn; `dequeue` starts a turn that has its own user record.
    if (!item || record.operation !== 'remove') return NOTHING
    const uuid = `queued_${digest(`${item.timestamp} ${item.text}`)}`
    if (this.#said.has(item.text)) {
      this.#formerIds.set(item.text, uuid)
      return NOTHING
    }
    if (item.text.startsWith('/')) return { missing: null, unsent: [{ line: item.line, reason: COMMAND }] }
    const message = { role: 'user', content: item.text }
    const missing = { type: 'user', uuid, sessionId: record.sessionId, timestamp: item.timestamp, message }
    return { missing, unsent: [] }
  }

  /** What never left the queue. To be called after the last record. */
  end(): QueueStep['unsent'] {
    return this.#giveUp(NEVER_SENT)
  }

  /**
   * The id that a text has in a memory when it was imported after it had left the queue and before its own record was
   * written.
   */
  formerId(text: string): string | null {
    const id = this.#formerIds.get(text) ?? null
    this.#formerIds.delete(text)
    return id
  }

  #giveUp(reason: string): QueueStep['unsent'] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting.filter(({ text }) => !this.#said.has(text)).map(({ line }) => ({ line, reason }))
  }

  #remember(text: unknown): void {
    if (typeof text === 'string') this.#said.add(text)
  }
}

const NOTHING: QueueStep = { missing: null, unsent: [] }
