import type { Role } from '../../../contract/ids.ts'
import { isObject, type JsonObject, listAt, textAt } from '../../json-value.ts'

const roles: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

export const roleOf = (record: JsonObject): Role | null => roles.get(textAt(record, 'role') ?? '') ?? null

/** `{role, content}` with a role of a conversation, and content that is a text, blocks, or left out beside tool calls. */
export function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || roleOf(value) === null) return false
  const { content } = value
  if (typeof content === 'string') return true
  if (Array.isArray(content)) return content.every((block) => isObject(block) && typeof block.type === 'string')
  const calls = Array.isArray(value.tool_calls) || isObject(value.function_call)
  return (content === null || content === undefined) && calls
}

/** `{messages: [...]}`. */
export const isConversation = (value: unknown): value is JsonObject =>
  isObject(value) &&
  Array.isArray(value.messages) &&
  listAt(value, 'messages').length > 0 &&
  listAt(value, 'messages').every(isMessage)

/**
 * How the messages lie in the file: `$.*` and `$.messages.*` are one conversation, the others one for each element or
 * line. Null when this is not what the file holds.
 */
export type Layout = 'document_list' | 'document_messages' | 'document_conversations' | 'lines' | 'line_conversations'

/** The beginning of a file may be cut: then its last value is not judged. */
export function layoutOf(values: readonly unknown[], isDocument: boolean, isWhole: boolean): Layout | null {
  const [first] = values
  if (isDocument && Array.isArray(first)) {
    const judged: unknown[] = isWhole || first.length < 2 ? first : first.slice(0, -1)
    if (judged.length === 0) return null
    if (judged.every(isMessage)) return 'document_list'
    return judged.every((item) => isConversation(cutTail(item, isWhole))) ? 'document_conversations' : null
  }
  const judged = isWhole || values.length < 2 ? values : values.slice(0, -1)
  if (judged.length === 0) return null
  if (judged.length === 1 && isDocument && isConversation(cutTail(first, isWhole))) return 'document_messages'
  const records = judged.filter(isObject)
  // One broken line among many is reported; a file of something else is not taken.
  if (records.filter(isMessage).length > records.length * 0.8) return 'lines'
  return records.filter((record) => isConversation(cutTail(record, isWhole))).length > records.length * 0.8
    ? 'line_conversations'
    : null
}

function cutTail(value: unknown, isWhole: boolean): unknown {
  if (isWhole || !isObject(value) || !Array.isArray(value.messages) || value.messages.length < 2) return value
  return { ...value, messages: value.messages.slice(0, -1) }
}
