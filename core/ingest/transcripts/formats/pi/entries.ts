import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import { callBlock, fileBlock, jsonText, plainText, reasoningBlock, textBlock } from '#core/ingest/transcripts/parts.ts'
import type { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'

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
  'context_edit',
  'usage',
  'leaf',
  'reset',
  'reset_boundary',
  'title_change',
  'model_usage',
  'mode_change',
  'session_init',
  'service_tier_change',
  'ttsr_injection',
  'credential_pin',
])

const spokenTypes: ReadonlySet<string> = new Set(['custom_message', 'branch_summary', 'session_init'])

/**
 * An entry with a message of a known role, what an extension or the end of a branch says to the model, or the system
 * prompt of a sub-agent.
 */
export const isSpoken = (entry: JsonObject): boolean =>
  entry.type === 'message'
    ? textAt(objectAt(entry, 'message'), 'role') !== null
    : spokenTypes.has(textAt(entry, 'type') ?? '')

/**
 * True for an answer that failed, was interrupted or was asked for again, for what the person ran with `!!` or `$$`, and
 * for what OpenClaw itself said in the place of the model.
 */
export function isUnsent(message: JsonObject): boolean {
  if (isRun(message)) return message.excludeFromContext === true
  if (message.role !== 'assistant') return false
  const isOfProgram = message.provider === 'openclaw' && programWords.has(textAt(message, 'model') ?? '')
  const isRetried = isObject(message.retryRecovery)
  return isOfProgram || isRetried || message.stopReason === 'error' || message.stopReason === 'aborted'
}

/** Whether a person ran something at the prompt: a command, or in oh-my-pi also lines of Python. */
const isRun = ({ role }: JsonObject): boolean => role === 'bashExecution' || role === 'pythonExecution'

/** What OpenClaw names as the model of its own words. */
const programWords: ReadonlySet<string> = new Set(['gateway-injected', 'delivery-mirror'])

/**
 * Returns the text of a system prompt. Since version 1.6 of Pi it stands in named sections, which are sent in their
 * order, and the tools that the model was given stand beside it.
 */
export function systemText(message: JsonObject): string {
  const sections = Object.values(objectAt(message, 'sections')).map(sectionText)
  const tools = listAt(message, 'toolsAdded').filter(isObject)
  const told = tools.map((tool) => [textAt(tool, 'name'), textAt(tool, 'description')].filter(Boolean).join(': '))
  const texts = [...piBlocks(message.content).map(({ text }) => text ?? ''), ...sections, told.join('\n')]
  return texts.filter((text) => text !== '').join('\n\n')
}

const sectionText = (section: unknown): string =>
  typeof section === 'string' ? section : plainText(isObject(section) ? (section.content ?? section.text) : section)

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

/**
 * Model, usage and stop reason of an answer, or the usage of a summary or of a tool that asked a model. Input tokens
 * include those from the cache.
 */
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

/** Writes what the person ran at the prompt as the model is told of it. */
export function runText(message: JsonObject): string {
  return message.role === 'pythonExecution' ? pythonText(message) : bashText(message)
}

function pythonText(message: JsonObject): string {
  const output = textAt(message, 'output') ?? ''
  const told = [`Ran Python:\n\`\`\`python\n${textAt(message, 'code') ?? ''}\n\`\`\`\n`]
  told.push(output === '' ? '(no output)' : `Output:\n${fenced(output)}`)
  const exitCode = countAt(message, 'exitCode')
  if (message.cancelled === true) told.push('\n\n(execution cancelled)')
  else if (exitCode !== null && exitCode !== 0) told.push(`\n\nExecution failed with code ${exitCode}`)
  return told.join('')
}

/** The files that a person named in a prompt of oh-my-pi, as the model is sent them behind it. */
export function mentionedFiles(message: JsonObject): BlockPart[] {
  const files = listAt(message, 'files').filter(isObject)
  const told = files.map((file) => {
    const content = textAt(file, 'content') ?? ''
    return `<file path="${textAt(file, 'path') ?? ''}">${content === '' ? '' : `\n${content}`}\n</file>`
  })
  const images = files.flatMap(({ image }) => (isObject(image) ? [piBlock(image)] : []))
  return [...(told.length === 0 ? [] : [textBlock(told.join('\n'))]), ...images]
}

function bashText(message: JsonObject): string {
  const output = textAt(message, 'output') ?? ''
  const told = [`Ran \`${textAt(message, 'command') ?? ''}\`\n${output === '' ? '(no output)' : fenced(output)}`]
  const exitCode = countAt(message, 'exitCode')
  if (message.cancelled === true) told.push('(command cancelled)')
  else if (exitCode !== null && exitCode !== 0) told.push(`Command exited with code ${exitCode}`)
  const path = message.truncated === true ? textAt(message, 'fullOutputPath') : null
  if (path !== null) told.push(`[Output truncated. Full output: ${path}]`)
  return told.join('\n\n')
}

const fenced = (output: string): string => `\`\`\`\n${output}\n\`\`\``

/**
 * The entry from which the session goes on behind this one. OpenClaw says with an entry of its own that somebody went back
 * to another, and that the session begins anew, and oh-my-pi that its window was cleared.
 */
function parentOf(record: JsonObject): string | null | undefined {
  if (record.type === 'reset' || record.type === 'reset_boundary') return null
  if (record.type === 'leaf') return textAt(record, 'targetId')
  return record.parentId === null ? null : (textAt(record, 'parentId') ?? undefined)
}

/** Entries of version 1 have no ids, and all of them are live. Others may hang on an entry of an unknown type. */
export function addEntry(graph: RecordGraph, record: JsonObject, line: number): void {
  const id = textAt(record, 'id')
  if (id === null || record.type === 'session') return
  graph.add(id, parentOf(record), {
    isSpoken: isSpoken(record),
    line,
  })
}
