import { isOnlyRecalled, withoutRecalled } from '#core/ingest/recalled-text.ts'
import { type BlockPart, fileBlock, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import {
  blocksOfContent,
  jsonText,
  plainText,
  resultOfBlocks,
  type ToolCall,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'

/** The role of a response item in the conversation. */
export type CodexItem =
  | { readonly kind: 'said'; readonly role: 'system' | 'user' | 'assistant'; readonly blocks: readonly BlockPart[] }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall }
  | {
      readonly kind: 'result'
      readonly callId: string | null
      readonly output: string
      readonly isError: boolean
      readonly files: readonly BlockPart[]
    }
  /** The item has no readable text, such as encrypted reasoning and snapshots. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unknown' }

/** An item that becomes a message. */
export type KnownItem = Exclude<CodexItem, { kind: 'unknown' | 'silent' }>

export function itemOf(item: JsonObject): CodexItem {
  switch (item.type) {
    case 'message':
      return isOnlyRecalled(textsOf(item.content))
        ? { kind: 'silent' }
        : { kind: 'said', role: roleOf(item.role), blocks: blocksOf(item.content) }
    case 'agent_message':
      return { kind: 'said', role: 'user', blocks: blocksOf(item.content) }
    case 'reasoning': {
      const text = [plainText(item.summary), plainText(item.content)].filter((part) => part !== '').join('\n\n')
      return text === '' ? { kind: 'silent' } : { kind: 'thought', text }
    }
    case 'function_call':
    case 'tool_search_call':
      return call(
        item,
        [textAt(item, 'namespace'), textAt(item, 'name')].filter((name) => name).join('.'),
        item.arguments,
      )
    case 'custom_tool_call':
      return call(item, textAt(item, 'name'), { input: item.input })
    case 'local_shell_call':
      return call(item, 'local_shell', item.action)
    case 'web_search_call':
    case 'image_generation_call':
      return call(item, String(item.type).replace(/_call$/, ''), item.action)
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return { kind: 'result', callId: textAt(item, 'call_id'), ...outputOf(item) }
    case 'ghost_snapshot':
    case 'compaction':
    case 'compaction_summary':
    case 'compaction_trigger':
    case 'context_compaction':
      return { kind: 'silent' }
    default:
      return { kind: 'unknown' }
  }
}

/** What a hook of ours told the model is in the memory already. */
const textsOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content.map((block: unknown) => (isObject(block) ? block.text : block)) : [content]

const roleOf = (role: unknown): 'system' | 'user' | 'assistant' =>
  role === 'assistant' ? 'assistant' : role === 'user' ? 'user' : 'system'

function call(item: JsonObject, name: string | null, input: unknown): CodexItem {
  const id = textAt(item, 'call_id') ?? textAt(item, 'id')
  return { kind: 'call', call: { id, name: name || null, input: jsonText(input), status: textAt(item, 'status') } }
}

const blocksOf = (content: unknown): BlockPart[] => blocksOfContent(content, blockOf)

function blockOf(block: unknown): BlockPart {
  if (!isObject(block)) return unknownBlock(block)
  if (typeof block.text === 'string') return textBlock(withoutRecalled(block.text))
  return imageOf(block) ?? unknownBlock(block)
}

function imageOf(block: JsonObject): BlockPart | null {
  if (block.type !== 'input_image' && block.type !== 'image') return null
  const url = textAt(block, 'image_url') ?? textAt(objectAt(block, 'image_url'), 'url')
  return fileBlock({ kind: 'image', mime: null, url, name: textAt(block, 'file_id') })
}

/** The output is a text, a list of blocks, or (in some versions) an object around one of them. */
function outputOf({ output }: JsonObject): { output: string; isError: boolean; files: BlockPart[] } {
  const isError = isObject(output) && output.success === false
  const content = isObject(output) ? (output.content ?? output.output ?? output) : output
  if (typeof content === 'string') return { output: content, isError, files: [] }
  if (!Array.isArray(content)) {
    return { output: content == null ? '' : JSON.stringify(content), isError, files: [] }
  }
  return { ...resultOfBlocks(blocksOf(content)), isError }
}

/** Returns the list of items that became the window. */
export const replacementOf = (payload: JsonObject): readonly JsonObject[] =>
  listAt(payload, 'replacement_history').filter(isObject)

/** The header of files without a wrapper has no type, but an id, a time, and the instructions of the model. */
export const isOldHeader = (record: JsonObject): boolean =>
  record.type === undefined &&
  textAt(record, 'id') !== null &&
  textAt(record, 'timestamp') !== null &&
  ('instructions' in record || 'git' in record)
