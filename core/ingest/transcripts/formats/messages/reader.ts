import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, fileBlock, toolResult, toPart } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  blocksOfContent,
  callBlock,
  compactionPart,
  jsonText,
  messageOf,
  plainText,
  RecordClock,
  reasoningBlock,
  resultMessage,
  resultOfBlocks,
  stringsIn,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import { roleOf } from './shape.ts'

/** What an agent that stores such messages says beside them. */
export type MessagesContext = {
  readonly parentSessionId?: string | null
  /** The parts of a message that say what it cost. */
  readonly finishOf?: (message: JsonObject) => NewPart[]
}

/** Converts the messages of one conversation, in order, into records. */
export class MessagesReader {
  readonly #sessionId: string
  readonly #about: JsonObject
  readonly #context: MessagesContext
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  readonly #toolNames = new Map<string, string>()
  #isDeclared = false
  /** The newest system prompt. */
  #prompt: string | null = null
  #title: string | null = null

  constructor(
    source: Pick<TranscriptSource, 'nowMs'>,
    sessionId: string,
    about: JsonObject,
    context: MessagesContext = {},
  ) {
    this.#sessionId = sessionId
    this.#about = about
    this.#context = context
    this.#clock = new RecordClock(source.nowMs)
    this.#clock.at(timeIn(about))
  }

  take(message: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const createdAtMs = this.#clock.at(timeIn(message))
    this.declare(createdAtMs, out)
    const own = stringsIn(message, 'id', 'uuid', 'message_id')
    const externalId = own === null ? this.#ids.next('message', JSON.stringify(message)) : this.#ids.named(own)
    const role = roleOf(message)
    if (role === 'system') this.#prompt = externalId
    if (role === 'tool') this.#takeResult(message, externalId, createdAtMs, origin.details, out)
    else if (role !== null) this.#takeSaid(message, role, externalId, createdAtMs, origin.details, out)
  }

  end(): TranscriptRecord[] {
    const title = stringsIn(this.#about, 'title', 'name') ?? this.#title
    return this.#isDeclared && title !== null
      ? [{ kind: 'title', sessionId: this.#sessionId, title: oneLine(title) }]
      : []
  }

  /** Declares the session before its first record. */
  declare(startedAtMs: number, out: TranscriptRecord[]): void {
    if (this.#isDeclared) return
    this.#isDeclared = true
    const cwd = stringsIn(this.#about, 'cwd', 'project', 'directory')
    const { parentSessionId = null } = this.#context
    out.push({ kind: 'session', sessionId: this.#sessionId, parentSessionId, cwd, startedAtMs })
  }

  #takeResult(
    message: JsonObject,
    externalId: string,
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const callId = textAt(message, 'tool_call_id')
    const name = textAt(message, 'name') ?? this.#toolNames.get(callId ?? '') ?? null
    const isError = message.is_error === true
    const given = {
      externalId,
      callId,
      name,
      isError,
      createdAtMs,
      details,
      ...resultOfBlocks(blocksIn(message.content)),
    }
    out.push({ kind: 'message', sessionId: this.#sessionId, message: resultMessage(given) })
  }

  /** Splits words and results of tools among the blocks into messages of their own, in their order. */
  #takeSaid(
    message: JsonObject,
    role: 'system' | 'user' | 'assistant',
    externalId: string,
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    let said: BlockPart[] = []
    let told = 0
    let more: readonly NewPart[] = []
    const nextId = (): string => {
      told += 1
      return told === 1 ? externalId : `${externalId}/${told}`
    }
    const flush = (): void => {
      if (said.length === 0 && told > 0) return
      const given = { externalId: nextId(), role, blocks: said, createdAtMs, details, more }
      out.push({ kind: 'message', sessionId: this.#sessionId, message: messageOf(given) })
      said = []
    }
    const blocks = [...listAt(message, 'content')]
    for (const block of typeof message.content === 'string' ? [message.content] : blocks) {
      const summary = isObject(block) && block.type === 'compaction' ? textAt(block, 'content') : null
      if (summary !== null) {
        if (said.length > 0) flush()
        this.#takeSummary(summary, nextId(), createdAtMs, details, out)
        continue
      }
      if (!isObject(block) || block.type !== 'tool_result') {
        said.push(this.#blockOf(block, role))
        continue
      }
      if (said.length > 0) flush()
      const callId = textAt(block, 'tool_use_id')
      const { output } = resultOfBlocks(blocksIn(block.content))
      const part = toolResult(block, output, this.#toolNames.get(callId ?? '') ?? null)
      const given = {
        externalId: nextId(),
        role: 'tool' as const,
        blocks: [{ part, text: output }],
        createdAtMs,
        details,
      }
      out.push({ kind: 'message', sessionId: this.#sessionId, message: messageOf(given) })
    }
    said.unshift(...reasoningOf(message))
    const refusal = textAt(message, 'refusal')
    if (refusal !== null) said.push(textBlock(refusal))
    said.push(...this.#callsOf(message))
    more = this.#context.finishOf?.(message) ?? []
    flush()
  }

  /**
   * A provider may compact by itself: it answers with a summary in a block of its own, and is sent again what stands
   * before it without the model seeing that. A block without a text is a compaction that failed, and changes nothing.
   * https://platform.claude.com/docs/en/build-with-claude/compaction
   */
  #takeSummary(
    text: string,
    externalId: string,
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const sessionId = this.#sessionId
    const given = { externalId, role: 'assistant', createdAtMs, more: [compactionPart(null)] } as const
    const message = messageOf({ ...given, blocks: [textBlock(text)], details: { ...details, harness: true } })
    out.push({ kind: 'message', sessionId, message })
    const told = { key: externalId, text, atMs: createdAtMs, isAuto: null, model: null } as const
    const replaced = { recordedBy: [externalId], keptPrompt: this.#prompt, replaced: { kind: 'all' } } as const
    out.push({ kind: 'compaction', sessionId, ...told, ...replaced })
  }

  #blockOf(block: unknown, role: string): BlockPart {
    if (typeof block === 'string') {
      if (role === 'user' && block.trim() !== '') this.#title ??= oneLine(block)
      return textBlock(block)
    }
    const read = isObject(block) ? (foreignBlock(block) ?? toPart(block)) : toPart(block)
    if (role === 'user' && read.part.type === 'text' && read.text?.trim()) this.#title ??= oneLine(read.text)
    const { toolCallId, toolName } = read.part
    if (toolCallId && toolName) this.#toolNames.set(toolCallId, toolName)
    return read
  }

  #callsOf(message: JsonObject): BlockPart[] {
    const calls = listAt(message, 'tool_calls').filter(isObject)
    const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : []
    return [...calls, ...legacy].map((call: JsonObject) => {
      const named = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : call
      const id = textAt(call, 'id')
      const name = textAt(named, 'name')
      if (id !== null && name !== null) this.#toolNames.set(id, name)
      return callBlock({ id, name, input: jsonText(named.arguments ?? named.args ?? named.input) })
    })
  }
}

/** Converts a text, or blocks as the APIs of Anthropic and OpenAI have them. */
export const blocksIn = (content: unknown): BlockPart[] =>
  blocksOfContent(content, (block) => (isObject(block) ? (foreignBlock(block) ?? toPart(block)) : toPart(block)))

/** Converts blocks that the API of Anthropic does not have. Returns null for the others. */
function foreignBlock(block: JsonObject): BlockPart | null {
  switch (block.type) {
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return textBlock(plainText([{ text: block.text ?? block.refusal }]))
    case 'image_url':
    case 'input_image': {
      const url = textAt(block, 'image_url') ?? textAt(objectAt(block, 'image_url'), 'url')
      return fileBlock({ kind: 'image', mime: null, url })
    }
    case 'input_audio': {
      const audio = objectAt(block, 'input_audio')
      return fileBlock({ kind: 'audio', mime: textAt(audio, 'format'), base64: textAt(audio, 'data') })
    }
    case 'file':
    case 'input_file': {
      const file = isObject(block.file) ? block.file : block
      const url = textAt(file, 'file_data')
      return fileBlock({ kind: 'file', mime: null, name: textAt(file, 'filename'), url })
    }
    case 'reasoning':
      return reasoningBlock(textAt(block, 'text') ?? plainText(block.summary))
    default:
      return null
  }
}

/** Some models write their reasoning into a separate field. */
function reasoningOf(message: JsonObject): BlockPart[] {
  const text = stringsIn(message, 'reasoning_content', 'reasoning', 'thinking')
  return text === null ? [] : [reasoningBlock(text)]
}

const timeIn = (record: JsonObject): unknown =>
  record.timestamp ?? record.created_at ?? record.createdAt ?? record.ts ?? record.time ?? record.created
