import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import type { HeldRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { finishPart, plainText } from '#core/ingest/transcripts/parts.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import { MessagesReader } from '../messages/reader.ts'
import { isReadable } from '../messages/shape.ts'

/**
 * Converts the items of one session, in order, into records. They have neither ids nor times. The command line takes what
 * a compaction replaced out of the file, so that only a memory that was written before still has it.
 */
export class ContinueReader {
  readonly #messages: MessagesReader
  readonly #sessionId: string
  readonly #nowMs: number
  readonly #held = new Set<string>()
  /**
   * The id of the item before. Each id follows from the item and from all before it: after a prompt was edited, the same
   * words are another message.
   */
  #before = ''
  #isFirst = true
  /** True when the file has lost its beginning. */
  #isShortened = false
  readonly #wasStored: boolean

  constructor(source: TranscriptSource, sessionId: string, about: JsonObject) {
    this.#messages = new MessagesReader(source, sessionId, about, { finishOf })
    this.#sessionId = sessionId
    this.#nowMs = source.nowMs
    this.#wasStored = source.hasSession(sessionId)
  }

  take(item: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const message = isObject(item) ? objectAt(item, 'message') : {}
    const said = isObject(item) ? saidIn(item, message) : {}
    if (!isObject(item) || !isReadable(said)) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'not an item with a message' })
      return
    }
    const id = `item_${sha256(JSON.stringify([this.#before, said])).slice(0, 24)}`
    this.#before = id
    const from = out.length
    this.#messages.take({ ...said, id }, origin, out)
    for (const [n, result] of resultsIn(item).entries()) {
      this.#messages.take({ ...result, id: `${id}/result ${n + 1}` }, origin, out)
    }
    for (const record of out.slice(from)) {
      if (record.kind === 'message' && record.message.externalId !== null) this.#held.add(record.message.externalId)
    }
    const summary = textAt(item, 'conversationSummary')
    if (summary !== null) this.#takeSummary(summary, id, message, out)
    if (this.#isFirst && this.#isShortened && this.#wasStored) {
      for (const [at, record] of out.entries()) if (record.kind === 'session') out[at] = { ...record, keepsTitle: true }
    }
    this.#isFirst = false
  }

  end(): TranscriptRecord[] {
    const rest = this.#messages.end()
    if (this.#isFirst) return rest
    // The session is named by its first words, which only the memory still has.
    if (this.#isShortened) return this.#wasStored ? rest.filter(({ kind }) => kind !== 'title') : rest
    // A prompt that was edited and given again takes the place of what followed it.
    const held: HeldRecord = {
      kind: 'held',
      sessionId: this.#sessionId,
      externalIds: this.#held,
      changedAtMs: this.#nowMs,
    }
    return [...rest, { kind: 'given_up', sessionId: this.#sessionId, externalIds: new Set() }, held]
  }

  /** The summary stands for everything up to its item, which the command line puts in the place of all that. */
  #takeSummary(text: string, id: string, message: JsonObject, out: TranscriptRecord[]): void {
    const isItsRecord = plainText(message.content) === text
    this.#isShortened ||= this.#isFirst && isItsRecord
    out.push({
      kind: 'compaction',
      sessionId: this.#sessionId,
      key: id,
      text,
      atMs: this.#nowMs,
      isAuto: null,
      model: textAt(objectAt(message, 'usage'), 'model'),
      recordedBy: [id],
      replaced: { kind: 'all' },
    })
  }
}

/** The message of an item as the API of OpenAI has it, with what was put before the model beside it. */
function saidIn(item: JsonObject, message: JsonObject): JsonObject {
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  const given = listAt(item, 'contextItems').flatMap((one) => (isObject(one) ? (textAt(one, 'content') ?? []) : []))
  const context = given.map((text) => ({ type: 'text', text }))
  const isThought = message.role === 'thinking'
  const thought = isThought ? plainText(message.content) : textAt(objectAt(item, 'reasoning'), 'text')
  const content = isThought ? [] : [...context, ...(Array.isArray(blocks) ? blocks.map(blockOf) : [])]
  return {
    role: isThought ? 'assistant' : message.role,
    content: content.length === 1 && typeof message.content === 'string' ? message.content : content,
    ...(thought === null ? {} : { reasoning: thought }),
    ...(Array.isArray(message.toolCalls) ? { tool_calls: message.toolCalls } : {}),
    ...(textAt(message, 'toolCallId') === null ? {} : { tool_call_id: message.toolCallId }),
    ...(isObject(message.usage) ? { usage: message.usage } : {}),
  }
}

const blockOf = (block: unknown): unknown =>
  isObject(block) && block.type === 'imageUrl' ? { type: 'image_url', image_url: block.imageUrl } : block

/** The outputs of the calls of an item. */
const resultsIn = (item: JsonObject): JsonObject[] =>
  listAt(item, 'toolCallStates')
    .filter(isObject)
    .filter(({ output }) => Array.isArray(output))
    .map((state) => ({
      role: 'tool',
      tool_call_id: textAt(state, 'toolCallId'),
      content: listAt(state, 'output')
        .flatMap((one) => (isObject(one) ? (textAt(one, 'content') ?? []) : []))
        .join('\n\n'),
      is_error: state.status === 'errored',
    }))

/** Model and usage of an answer. The cost that Continue writes beside it is not that of the model's provider. */
function finishOf(message: JsonObject): NewPart[] {
  const usage = objectAt(message, 'usage')
  const model = textAt(usage, 'model')
  const input = countAt(usage, 'prompt_tokens')
  if (model === null && input === null) return []
  const cached = countAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens')
  return [
    finishPart({ model, stepTokensIn: input, stepTokensOut: countAt(usage, 'completion_tokens'), cacheRead: cached }),
  ]
}
