import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { callsOf, responsesOf } from './message.ts'

/** A compression writes the calls that stay in the window again, in records of their own and without their ids. */
export class CallIds {
  /** The newest id of a call, by its name and arguments. */
  readonly #newest = new Map<string, string>()

  note(record: JsonObject): void {
    for (const call of callsOf(record)) {
      const id = textAt(call, 'id')
      if (id !== null) this.#newest.set(keyOf(call), id)
    }
  }

  /** Returns the records with the ids of their calls: those of the results behind them, or of the same calls before. */
  restored(records: readonly JsonObject[]): JsonObject[] {
    return records.map((record, at) => {
      if (record.type !== 'gemini' || !Array.isArray(record.content)) return record
      const answers = responsesOf(records[at + 1] ?? {}).values()
      const content = record.content.map((part: unknown) => {
        if (!isObject(part) || !isObject(part.functionCall)) return part
        const { functionCall } = part
        const answer = answers.next().value ?? {}
        const id = textAt(functionCall, 'id') ?? textAt(answer, 'id') ?? this.#newest.get(keyOf(functionCall))
        return id === undefined ? part : { ...part, functionCall: { ...functionCall, id } }
      })
      return { ...record, content }
    })
  }
}

/** Lists the ids of the calls that stand in the content of a record. */
export function callIdsIn({ content }: JsonObject): string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part) =>
    isObject(part) && isObject(part.functionCall) ? (textAt(part.functionCall, 'id') ?? []) : [],
  )
}

const keyOf = ({ name, args }: JsonObject): string => JSON.stringify([name, args])
