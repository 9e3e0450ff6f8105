import type { Role } from '#core/contract/ids.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { ROLES_BY_NAME } from '#core/ingest/transcripts/roles.ts'

export const roleOf = (record: JsonObject): Role | null => ROLES_BY_NAME.get(textAt(record, 'role') ?? '') ?? null

/** Accepts `{role, content}` with a known role, whose content is a text, blocks, or missing beside tool calls. */
export function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || roleOf(value) === null) return false
  const { content } = value
  if (typeof content === 'string') return true
  if (Array.isArray(content)) return content.every((block) => isObject(block) && typeof block.type === 'string')
  const calls = Array.isArray(value.tool_calls) || isObject(value.function_call)
  return (content === null || content === undefined) && calls
}

/**
 * Accepts a message, or one whose content is a list with plain strings. Such lists alone do not identify a
 * conversation.
 */
export function isReadable(value: unknown): value is JsonObject {
  if (isMessage(value)) return true
  if (!isObject(value) || roleOf(value) === null || !Array.isArray(value.content)) return false
  return value.content.every((block: unknown) => typeof block === 'string' || isObject(block))
}

/**
 * Accepts `{messages: [...]}`. One odd message among many is reported when it is read, and does not change the format.
 */
const isConversation = (value: unknown): value is JsonObject =>
  isObject(value) && isMost(listAt(value, 'messages'), isMessage)

/**
 * Says how the messages lie in the file: `$.*` and `$.messages.*` are one conversation, the others are one for each
 * element or line. Null when the file holds something else.
 */
export type Layout = 'document_list' | 'document_messages' | 'document_conversations' | 'lines' | 'line_conversations'

type Values = Pick<TranscriptHead, 'values' | 'isDocument' | 'isLastCut'>

export function layoutOf({ values, isDocument, isLastCut }: Values): Layout | null {
  const [first] = values
  if (isDocument && Array.isArray(first)) {
    const judged: unknown[] = isLastCut ? first.slice(0, -1) : first
    if (isMost(judged, isMessage)) return 'document_list'
    return isMost(judged, isConversation) ? 'document_conversations' : null
  }
  if (isDocument && isConversation(isLastCut ? withoutLast(first) : first)) return 'document_messages'
  const judged = (isLastCut && values.length > 1 ? values.slice(0, -1) : values).filter(isObject)
  if (isMost(judged, isMessage)) return 'lines'
  return isMost(judged, isConversation) ? 'line_conversations' : null
}

const isMost = (values: readonly unknown[], is: (value: unknown) => boolean): boolean =>
  values.length > 0 && 2 * values.filter(is).length >= values.length

/** The message in which the head ends is not judged. */
function withoutLast(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.messages)) return value
  return { ...value, messages: value.messages.slice(0, -1) }
}
