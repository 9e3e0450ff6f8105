import { createHash } from 'node:crypto'
import { IdNumbers } from '../../id-numbers.ts'
import { isObject, type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { blocksOf } from './record.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64').slice(0, 16)

/**
 * Text that was typed while the agent was busy. Newer versions write what reached the model as an attachment; older
 * ones leave only the queue's own bookkeeping, and then that is the one place where the text can be found.
 */
export class QueuedInput {
  readonly #said = new IdNumbers()
  #waiting: { readonly text: string; readonly timestamp: string | null }[] = []

  /** First reading of the file: remembers which texts stand elsewhere. */
  observe(record: JsonObject): void {
    if (record.type === 'user') {
      for (const block of blocksOf(objectAt(record, 'message')).filter(isObject)) this.#remember(block.text)
    } else if (record.type === 'attachment') {
      this.#remember(objectAt(record, 'attachment').prompt)
    }
  }

  /**
   * Second reading: follows the queue. Returns the user record that is missing when this one hands a text to the model
   * that stands nowhere else.
   */
  follow(record: JsonObject): JsonObject | null {
    const text = textAt(record, 'content')
    if (record.operation === 'enqueue') {
      if (text !== null) this.#waiting.push({ text, timestamp: textAt(record, 'timestamp') })
      return null
    }
    if (record.operation === 'popAll') this.#waiting = []
    const index = text === null ? 0 : this.#waiting.findIndex((item) => item.text === text)
    const [item] = index < 0 ? [] : this.#waiting.splice(index, 1)
    // `remove` takes from the queue for the running turn; `dequeue` starts a turn that has its own user record.
    if (!item || record.operation !== 'remove' || item.text.startsWith('/') || this.#said.has(item.text)) {
      return null
    }
    return {
      type: 'user',
      uuid: `queued_${digest(`${item.timestamp} ${item.text}`)}`,
      sessionId: record.sessionId,
      timestamp: item.timestamp,
      message: { role: 'user', content: item.text },
    }
  }

  #remember(text: unknown): void {
    if (typeof text === 'string') this.#said.add(text)
  }
}
