import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, fileBlock, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import {
  callBlock,
  finishPart,
  jsonText,
  messageOf,
  plainText,
  reasoningBlock,
  resultMessage,
  textBlock,
  withCache,
} from '#core/ingest/transcripts/parts.ts'

/** Whether the person gave the prompt. It also counts when the text is that of a skill or command that the person named. */
export function isTyped(message: JsonObject): boolean {
  const { kind = 'user', trigger } = objectAt(message, 'origin')
  if (message.role !== 'user') return false
  return kind === 'user' || ((kind === 'skill_activation' || kind === 'plugin_command') && trigger === 'user-slash')
}

/** Whether a turn began with the prompt. One that was given while the model was working belongs to the turn before. */
export const isTurn = (message: JsonObject): boolean => isTyped(message) && objectAt(message, 'origin').inTurn !== true

/** What is stored beside the content of a message: its id, its time in milliseconds, and facts about its record. */
type Stored = { readonly externalId: string; readonly createdAtMs: number; readonly details: MessageDetails }

/** Converts a message. An agent that begins with a copy of another one's window is given answers and results so, too. */
export function kimiMessage(message: JsonObject, stored: Stored): NewMessage {
  const parts = listAt(message, 'content')
  if (message.role === 'tool') {
    const result = kimiResult({ ...message, output: parts }, true)
    return resultMessage({ ...stored, callId: textAt(message, 'toolCallId'), name: null, ...result })
  }
  const calls = listAt(message, 'toolCalls').filter(isObject)
  const blocks: BlockPart[] = [
    ...parts.map(kimiBlock),
    ...calls.map((call) =>
      callBlock({ id: textAt(call, 'id'), name: textAt(call, 'name'), input: jsonText(call.arguments) }),
    ),
  ]
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user'
  const { kind, variant } = objectAt(message, 'origin')
  const details = {
    ...stored.details,
    ...(role === 'user' && !isTyped(message) ? { harness: true, origin: String(variant ?? kind ?? '') } : {}),
    ...(kind === 'shell_command' ? { bash: true } : {}),
  }
  return messageOf({ ...stored, role, blocks, details })
}

/** Converts one part of what was said. */
export function kimiBlock(part: unknown): BlockPart {
  if (!isObject(part)) return unknownBlock(part)
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? textBlock(part.text) : unknownBlock(part)
    case 'think':
      return typeof part.think === 'string' ? reasoningBlock(part.think) : unknownBlock(part)
    case 'image_url':
      return mediaBlock('image', objectAt(part, 'imageUrl'))
    case 'audio_url':
      return mediaBlock('audio', objectAt(part, 'audioUrl'))
    case 'video_url':
      return mediaBlock('video', objectAt(part, 'videoUrl'))
    default:
      return unknownBlock(part)
  }
}

/** Pictures are kept in files of the session, which the log names by the hash of their bytes. */
const mediaBlock = (kind: string, file: JsonObject): BlockPart => {
  const url = textAt(file, 'url')
  return fileBlock({ kind, mime: /^blobref:([^;]+)/.exec(url ?? '')?.[1] ?? null, name: textAt(file, 'name'), url })
}

export type KimiResult = {
  readonly output: string
  readonly isError: boolean
  readonly files: readonly BlockPart[]
}

/** Tools of which the model is told how long they took. */
export const timed = /^(?:Agent|AgentSwarm|Bash|FetchURL|Glob|Grep|WebSearch|mcp__.*)$/
const FAILED = '<system>ERROR: Tool execution failed.</system>'
const FAILED_EMPTY = '<system>ERROR: Tool execution failed. Tool output is empty.</system>'
const EMPTY = '<system>Tool output is empty.</system>'

/**
 * Converts the result of a call into what the model is sent. The log has the output, how long the call took and whether it
 * failed. In the request, the latter two stand in words before the output, and a note stands behind it.
 * @param isTimed whether the model is told how long it took
 */
export function kimiResult(result: JsonObject, isTimed: boolean): KimiResult {
  const { output: given } = result
  const isError = result.isError === true
  const blocks = Array.isArray(given) ? given.map(kimiBlock) : []
  const files = blocks.filter(({ part }) => part.type === 'file')
  const labels = files.flatMap(({ text }) => text ?? [])
  // A result of another shape is kept as it stands.
  const told = typeof given === 'string' || Array.isArray(given) ? plainText(given) : JSON.stringify(result)
  const said = [told, ...labels].filter((text) => text !== '').join('\n')
  const duration = result.durationMs
  const note = textAt(result, 'note')
  const lines = [
    ...(isTimed && typeof duration === 'number' ? [`Wall time: ${(duration / 1000).toFixed(3)} seconds`] : []),
    statusAnd(said, isError),
    ...(note === null ? [] : [note]),
  ]
  return { output: lines.join('\n'), isError, files }
}

function statusAnd(said: string, isError: boolean): string {
  if (isError) return said === '' ? FAILED_EMPTY : `${FAILED}\n${said}`
  return said.trim() === '' || said.trim() === 'Tool output is empty.' ? EMPTY : said
}

/** What a request used, or null when nothing is known of it. */
export function kimiFinish(usage: JsonObject, model: string | null): NewPart | null {
  const [other, read, written, output] = ['inputOther', 'inputCacheRead', 'inputCacheCreation', 'output'].map((key) =>
    countAt(usage, key),
  )
  if (other == null) return null
  const stepTokensIn = withCache(other, read, written)
  return finishPart({ model, stepTokensIn, stepTokensOut: output ?? null, cacheRead: read, cacheWrite: written })
}
