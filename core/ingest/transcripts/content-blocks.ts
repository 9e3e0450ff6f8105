import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '../new-message.ts'
import { isObject, type JsonObject, objectAt, textAt } from './json-value.ts'
import { textsInBlock } from './text-leaves.ts'

/** Unknown blocks are kept unchanged up to this size. */
export const LONGEST_RAW = 65_536

/** A block is stored as a part. `text` is how it appears in the content of the message. */
export type BlockPart = { readonly part: NewPart; readonly text: string | null }

/** Converts a block of an assistant message, or of a user message other than a tool result. */
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

/** Keeps a block of an unknown type: all texts in it, and the block itself. A plain string is text. */
export function unknownBlock(value: unknown): BlockPart {
  if (typeof value === 'string') return { part: { type: 'text', text: value }, text: value }
  const known = knownTexts(value)
  // Most texts are known ones as a whole, so a block of many is not compared with all of them each time.
  const wholes = new Set(known)
  const isKnown = (text: string): boolean => wholes.has(text) || known.some((other) => other.includes(text))
  const texts = [...known, ...textsInBlock(value).filter((text) => !isKnown(text))]
  const text = texts.length === 0 ? null : texts.join('\n\n')
  return { part: { type: 'text', text, metadata: raw(value) }, text }
}

/** Every known format has its text in one of these fields, so that they come first. */
const TEXT_FIELDS = ['text', 'content', 'thinking', 'message', 'output', 'refusal', 'summary', 'transcript'] as const
const DEEPEST_TEXT = 8

function knownTexts(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST_TEXT) return []
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((item: unknown) => knownTexts(item, depth + 1))
  return isObject(value) ? TEXT_FIELDS.flatMap((field) => knownTexts(value[field], depth + 1)) : []
}

function toolCall(block: JsonObject): NewPart {
  return {
    type: 'tool',
    toolCallId: textAt(block, 'id'),
    toolName: textAt(block, 'name'),
    toolInput: JSON.stringify(block.input ?? {}),
  }
}

/** Converts the result of a tool. `output` is what the model was given. */
export function toolResult(block: JsonObject, output: string, toolName: string | null = null): NewPart {
  return {
    type: 'tool',
    toolCallId: textAt(block, 'tool_use_id'),
    toolName,
    toolStatus: block.is_error === true ? 'error' : 'completed',
    toolOutput: output,
  }
}

/** Gives the text of a tool result: a string unchanged, blocks line by line with a note for each that is no text. */
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

/** Lists the files in the blocks of a tool result. */
export function resultFiles(content: unknown): NewPart[] {
  if (!Array.isArray(content)) return []
  return content
    .filter((block): block is JsonObject => isObject(block) && (block.type === 'image' || block.type === 'document'))
    .map((block) => filePart(block, String(block.type)).part)
}

type FileGiven = {
  readonly kind: string
  readonly mime: string | null
  readonly name?: string | null
  /** A `data:` URL counts as bytes. */
  readonly url?: string | null
  readonly base64?: string | null
}

/** Describes a picture or file. Its bytes stay in the transcript, and the memory holds its name, type and hash. */
export function fileBlock({ kind, mime, name, url, base64 }: FileGiven): BlockPart {
  const embedded = /^data:([^;,]*)(?:;[^,]*)?,/.exec(url ?? '')
  const data = base64 ?? (embedded ? (url ?? '').slice(embedded[0].length) : null)
  const type = mime ?? embedded?.[1] ?? null
  const bytes = data === null ? null : Buffer.byteLength(data, 'base64')
  const digest = data === null ? undefined : sha256(Buffer.from(data, 'base64'))
  const label = [kind, type, name, bytes === null ? null : `${bytes} bytes`].filter((word) => word)
  return {
    part: {
      type: 'file',
      fileMime: type,
      fileName: name ?? null,
      fileUrl: embedded ? null : (url ?? null),
      metadata: JSON.stringify({ bytes: bytes ?? undefined, sha256: digest }),
    },
    text: `[${label.join(' ')}]`,
  }
}

/** The title of a document is its name, and no part of its text. */
function filePart(block: JsonObject, type: string): BlockPart {
  const source = objectAt(block, 'source')
  const [mime, url, base64] = ['media_type', 'url', 'data'].map((key) => textAt(source, key))
  const { part, text } = fileBlock({ kind: type, mime: mime ?? null, url: url ?? null, base64: base64 ?? null })
  return { part: { ...part, fileName: textAt(block, 'title') }, text }
}

export function raw(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= LONGEST_RAW ? text : JSON.stringify({ leftOut: `${text.length} characters` })
}

/** Joins the texts of a message's blocks with blank lines. */
export const contentOf = (blocks: readonly BlockPart[]): string =>
  blocks
    .map((block) => block.text)
    .filter((text) => text !== null)
    .join('\n\n')
