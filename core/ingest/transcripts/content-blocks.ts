import { sha256 } from '../../hashing.ts'
import type { NewPart } from '../new-message.ts'
import { isObject, type JsonObject, objectAt, textAt } from './json-value.ts'

/** Unknown blocks are kept as they came, up to this size. */
const LONGEST_RAW = 65_536

/** A block as a part, and the text by which it shows in the message's content. */
export type BlockPart = { readonly part: NewPart; readonly text: string | null }

/** One block of an assistant message, or of a user message other than a tool result. */
export function toPart(block: unknown): BlockPart {
  if (!isObject(block)) return unknownBlock(block)
  const type = textAt(block, 'type') ?? ''
  if (type === 'text' && typeof block.text === 'string') {
    return { part: { type: 'text', text: block.text }, text: block.text }
  }
  if (type === 'thinking') return { part: { type: 'reasoning', text: textAt(block, 'thinking') ?? '' }, text: null }
  if (type === 'redacted_thinking') {
    return { part: { type: 'reasoning', text: null, metadata: '{"redacted":true}' }, text: null }
  }
  if (type.endsWith('tool_use')) return { part: toolCall(block), text: null }
  if (type.endsWith('tool_result')) return { part: toolResult(block, resultText(block.content)), text: null }
  if (type === 'image' || type === 'document') return filePart(block, type)
  return unknownBlock(block)
}

/** Unknown to us: the text that it holds, and the block as it came. A plain string is text. */
export function unknownBlock(value: unknown): BlockPart {
  if (typeof value === 'string') return { part: { type: 'text', text: value }, text: value }
  const texts = textsIn(value)
  const text = texts.length === 0 ? null : texts.join('\n\n')
  return { part: { type: 'text', text, metadata: raw(value) }, text }
}

/** Fields of which every known format uses some for what is said. */
const TEXT_FIELDS = ['text', 'content', 'thinking', 'message', 'output', 'refusal', 'summary', 'transcript'] as const
const DEEPEST_TEXT = 8

function textsIn(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST_TEXT) return []
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, depth + 1))
  return isObject(value) ? TEXT_FIELDS.flatMap((field) => textsIn(value[field], depth + 1)) : []
}

function toolCall(block: JsonObject): NewPart {
  return {
    type: 'tool',
    toolCallId: textAt(block, 'id'),
    toolName: textAt(block, 'name'),
    toolInput: JSON.stringify(block.input ?? {}),
  }
}

/** A tool's answer; `output` is what the model was given. */
export function toolResult(block: JsonObject, output: string, toolName: string | null = null): NewPart {
  return {
    type: 'tool',
    toolCallId: textAt(block, 'tool_use_id'),
    toolName,
    toolStatus: block.is_error === true ? 'error' : 'completed',
    toolOutput: output,
  }
}

/** Text of a tool result: a string as it is, otherwise its blocks line by line, with a note for what is not text. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return raw(content)
  return content.map((block) => resultBlockText(block)).join('\n')
}

function resultBlockText(block: unknown): string {
  if (!isObject(block)) return raw(block)
  if (typeof block.text === 'string') return block.text
  if (block.type === 'image' || block.type === 'document') return filePart(block, block.type).text ?? ''
  if (block.type === 'tool_reference') return `[tool ${textAt(block, 'tool_name') ?? 'unknown'}]`
  return raw(block)
}

/** The files in a tool result's blocks. */
export function resultFiles(content: unknown): NewPart[] {
  if (!Array.isArray(content)) return []
  return content
    .filter((block): block is JsonObject => isObject(block) && (block.type === 'image' || block.type === 'document'))
    .map((block) => filePart(block, String(block.type)).part)
}

/** Bytes of pictures and documents stay in the transcript; the memory holds what they were, and their hash. */
function filePart(block: JsonObject, type: string): BlockPart {
  const source = objectAt(block, 'source')
  const mime = textAt(source, 'media_type')
  const data = textAt(source, 'data')
  const bytes = data === null ? null : Buffer.byteLength(data, 'base64')
  const label = [type, mime, bytes === null ? null : `${bytes} bytes`].filter((word) => word !== null).join(' ')
  const digest = data === null ? undefined : sha256(Buffer.from(data, 'base64'))
  return {
    part: {
      type: 'file',
      fileMime: mime,
      fileName: textAt(block, 'title'),
      fileUrl: textAt(source, 'url'),
      metadata: JSON.stringify({ bytes: bytes ?? undefined, sha256: digest }),
    },
    text: `[${label}]`,
  }
}

export function raw(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= LONGEST_RAW ? text : JSON.stringify({ leftOut: `${text.length} characters` })
}
