import type { NewPart } from '../../../new-message.ts'
import { type BlockPart, unknownBlock } from '../../content-blocks.ts'
import { amountAt, countAt, isObject, type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { callBlock, fileBlock, jsonText, reasoningBlock, textBlock } from '../../parts.ts'

/** The types of entries. A session also has a header. */
export const entryTypes: ReadonlySet<string> = new Set([
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
])

/** Converts the content of a message: a text, or blocks of text, thinking, tool calls and pictures. */
export function piBlocks(content: unknown): BlockPart[] {
  if (typeof content === 'string') return [textBlock(content)]
  if (!Array.isArray(content)) return content == null ? [] : [unknownBlock(content)]
  return content.map((block: unknown) => (isObject(block) ? piBlock(block) : unknownBlock(block)))
}

function piBlock(block: JsonObject): BlockPart {
  if (block.type === 'text' && typeof block.text === 'string') return textBlock(block.text)
  if (block.type === 'thinking' && typeof block.thinking === 'string') return reasoningBlock(block.thinking)
  if (block.type === 'toolCall') {
    return callBlock({ id: textAt(block, 'id'), name: textAt(block, 'name'), input: jsonText(block.arguments) })
  }
  if (block.type === 'image') {
    // Version 1 has the data in the block itself, later versions have it in a source.
    const source = isObject(block.source) ? block.source : block
    return fileBlock({
      kind: 'image',
      mime: textAt(block, 'mimeType') ?? textAt(source, 'mediaType'),
      base64: textAt(source, 'data'),
    })
  }
  return unknownBlock(block)
}

/** Returns the text of a tool result that the model was given, and its files. */
export function piResult(content: unknown): { output: string; files: BlockPart[] } {
  const blocks = piBlocks(content)
  const files = blocks.filter(({ part }) => part.type === 'file')
  return { output: blocks.map(({ text, part }) => text ?? part.metadata ?? '').join('\n'), files }
}

/** Model, usage and stop reason of an answer. Input tokens include those from the cache. */
export function piFinish(message: JsonObject): NewPart | null {
  const usage = objectAt(message, 'usage')
  const [input, cacheRead, cacheWrite] = [
    countAt(usage, 'input'),
    countAt(usage, 'cacheRead'),
    countAt(usage, 'cacheWrite'),
  ]
  const model = textAt(message, 'model')
  if (model === null && input === null) return null
  return {
    type: 'step_finish',
    stepReason: textAt(message, 'stopReason'),
    stepTokensIn: input === null ? null : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    stepTokensOut: countAt(usage, 'output'),
    stepCost: amountAt(objectAt(usage, 'cost'), 'total'),
    metadata: JSON.stringify({
      model: model ?? undefined,
      cacheReadTokens: cacheRead ?? undefined,
      cacheWriteTokens: cacheWrite ?? undefined,
      error: textAt(message, 'errorMessage') ?? undefined,
    }),
  }
}

/** Writes a command that the person ran at the prompt as the model is told of it. */
export function bashText(message: JsonObject): string {
  const lines = [`Ran \`${textAt(message, 'command') ?? ''}\``, textAt(message, 'output') ?? '(no output)']
  if (message.cancelled === true) lines.push('(cancelled)')
  const exitCode = countAt(message, 'exitCode')
  if (exitCode !== null && exitCode !== 0) lines.push(`(exit code ${exitCode})`)
  return lines.join('\n')
}
