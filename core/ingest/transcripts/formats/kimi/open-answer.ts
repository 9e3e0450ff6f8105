import type { BlockPart } from '#core/ingest/transcripts/content-blocks.ts'
import type { TranscriptRecord } from '#core/ingest/transcripts/format.ts'
import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { callBlock, jsonText, messageOf, resultMessage } from '#core/ingest/transcripts/parts.ts'
import { kimiBlock, kimiFinish, kimiResult, timed } from './messages.ts'

type Call = { readonly id: string; readonly name: string | null }
type Result = { readonly result: JsonObject; readonly createdAtMs: number; readonly line: number }

/** Where an answer stands: the session, the sessions it was copied from, and whether it is still in the window. */
export type Standing = { readonly sessionId: string; readonly copiedFrom: readonly string[]; readonly isLive: boolean }

/** The field in which an event has what it tells. */
const fieldOf: ReadonlyMap<string, string> = new Map([
  ['content.part', 'part'],
  ['tool.call', 'name'],
  ['tool.result', 'result'],
  ['step.end', 'uuid'],
])

/** A step of the model while the log tells of it: what it says, its calls, and their results. */
export class OpenAnswer {
  readonly uuid: string
  readonly standing: Standing
  readonly #createdAtMs: number
  readonly #line: number
  readonly #details: MessageDetails
  readonly #blocks: BlockPart[] = []
  readonly #calls: Call[] = []
  readonly #results = new Map<string, Result>()
  #usage: JsonObject = {}
  /** What was put in while calls were running. It is sent behind their results. */
  readonly waiting: TranscriptRecord[] = []

  constructor(uuid: string, standing: Standing, createdAtMs: number, line: number, details: MessageDetails) {
    this.uuid = uuid
    this.standing = standing
    this.#createdAtMs = createdAtMs
    this.#line = line
    this.#details = details
  }

  get hasRunningCalls(): boolean {
    return this.#calls.some(({ id }) => !this.#results.has(id))
  }

  /** Returns false for an event that tells nothing of this answer. `atMs` and `line` are those of its record. */
  take(event: JsonObject, atMs: number, line: number): boolean {
    const type = textAt(event, 'type') ?? ''
    const field = fieldOf.get(type)
    if (field === undefined || !(field in event)) return false
    if (type === 'tool.result') return this.#takeResult(event, atMs, line)
    if (textAt(event, type === 'step.end' ? 'uuid' : 'stepUuid') !== this.uuid) return false
    if (type === 'content.part') this.#blocks.push(kimiBlock(event.part))
    else if (type === 'tool.call') this.#takeCall(event)
    else this.used(objectAt(event, 'usage'))
    return true
  }

  #takeCall(event: JsonObject): void {
    const [id, name] = [textAt(event, 'toolCallId') ?? '', textAt(event, 'name')]
    this.#calls.push({ id, name })
    this.#blocks.push(callBlock({ id, name, input: jsonText(event.args) }))
  }

  #takeResult(event: JsonObject, createdAtMs: number, line: number): boolean {
    const id = textAt(event, 'toolCallId') ?? ''
    if (!this.#calls.some((call) => call.id === id)) return false
    this.#results.set(id, { result: objectAt(event, 'result'), createdAtMs, line })
    return true
  }

  /** Notes what its request used. The end of an answer whose calls were interrupted is empty, and keeps what was noted. */
  used(usage: JsonObject): void {
    if (Object.keys(usage).length > 0) this.#usage = usage
  }

  /** The answer unless it is empty, its results in the order of the calls, and what waited for them. */
  records(model: string | null): TranscriptRecord[] {
    const { sessionId, copiedFrom } = this.standing
    const told = { kind: 'message', sessionId, copiedFrom } as const
    const details = this.#details
    const records: TranscriptRecord[] = []
    if (!this.#isEmpty) {
      const finish = kimiFinish(this.#usage, model)
      const said = { externalId: this.uuid, blocks: this.#blocks, more: finish === null ? [] : [finish] }
      const message = messageOf({ ...said, role: 'assistant', createdAtMs: this.#createdAtMs, details })
      records.push({ ...told, message, line: this.#line })
    }
    for (const { id, name } of this.#calls) {
      const found = this.#results.get(id)
      if (!found) continue
      const { result, createdAtMs, line } = found
      const given = { callId: id, name, ...kimiResult(result, timed.test(name ?? '')) }
      const message = resultMessage({ externalId: resultId(this.uuid, id), ...given, createdAtMs, details })
      records.push({ ...told, message, line })
    }
    return [...records, ...this.waiting]
  }

  get #isEmpty(): boolean {
    return this.#blocks.every(({ part }) => part.type !== 'tool' && (part.text ?? 'file').trim() === '')
  }

  /** The ids of its messages. */
  get externalIds(): string[] {
    return [this.uuid, ...this.#calls.map(({ id }) => resultId(this.uuid, id))]
  }
}

/** Models number their calls anew in every answer. */
export const resultId = (uuid: string, callId: string): string => `${uuid}/${callId}`
