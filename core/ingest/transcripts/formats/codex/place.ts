import { z } from 'zod'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'
import { itemOf } from './items.ts'

/** What has to be known of the beginning of a rollout to read the rest of it. */
const Place = z.object({
  sessionId: z.string(),
  title: z.string(),
  model: z.string().nullable(),
  /** See `CodexSurvey`. */
  hasTyped: z.boolean(),
  hasRecords: z.boolean(),
  totalTokens: z.number().nullable(),
})
export type CodexPlace = z.infer<typeof Place>

export const placeIn = (given: JsonObject | null): CodexPlace | null => Place.safeParse(given).data ?? null

const types: ReadonlySet<string> = new Set([
  ...(['response_item', 'event_msg', 'turn_context', 'token_usage_record', 'world_state'] as const),
])
/** These change what stands before them. */
const changes: ReadonlySet<string> = new Set(['thread_rolled_back', 'thread_name_updated'])

/**
 * Says whether new records only continue a rollout. They do not if one of them refers to an earlier record (a call that it
 * answers, an answer that it counts, a text that was typed), or compacts, renames or takes back anything.
 */
export class ContinuationCheck {
  readonly #calls = new Set<string>()
  /** Texts of a person, from the items of the rollout and from the events that say what was typed. */
  readonly #said = new Set<string>()
  readonly #typed = new Set<string>()
  #hasAnswer = false
  #goOn = true

  add(record: JsonObject): void {
    this.#goOn &&= this.#goesOn(record)
  }

  get isContinued(): boolean {
    return this.#goOn && this.#typed.isSubsetOf(this.#said)
  }

  #goesOn(record: JsonObject): boolean {
    const { payload } = record
    const type = textAt(record, 'type') ?? ''
    if (!isObject(payload) || !types.has(type) || timeOf(record.timestamp) === null) return false
    if (type === 'response_item') return this.#takeItem(payload)
    if (type === 'token_usage_record') return this.#hasAnswer
    if (type !== 'event_msg') return true
    if (payload.type === 'user_message') this.#typed.add((textAt(payload, 'message') ?? '').trim())
    const counts = payload.type === 'token_count' && isObject(payload.info)
    return !changes.has(textAt(payload, 'type') ?? '') && (!counts || this.#hasAnswer)
  }

  #takeItem(item: JsonObject): boolean {
    const read = itemOf(item)
    if (read.kind === 'call' && read.call.id !== null) this.#calls.add(read.call.id)
    if (read.kind === 'result') return read.callId !== null && this.#calls.has(read.callId)
    if (read.kind === 'call' || read.kind === 'thought') this.#hasAnswer = true
    if (read.kind === 'said' && read.role === 'assistant') this.#hasAnswer = true
    if (read.kind === 'said' && read.role === 'user') this.#said.add(contentOf(read.blocks).trim())
    return true
  }
}
