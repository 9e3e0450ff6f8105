import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, contentOf, fileBlock, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  blocksOfContent,
  callBlock,
  finishPart,
  jsonText,
  messageOf,
  plainText,
  reasoningBlock,
  resultMessage,
  resultOfBlocks,
  textBlock,
  withCache,
} from '#core/ingest/transcripts/parts.ts'

/** What is stored beside the content of a message: its id, its time in milliseconds, and facts about its entry. */
type Stored = { readonly externalId: string; readonly createdAtMs: number; readonly details: MessageDetails }

/** Converts the message of an entry. A role that is not known is one of an extension. */
export function piMessage(message: JsonObject, stored: Stored): NewMessage {
  const { details } = stored
  const role = textAt(message, 'role') ?? ''
  switch (role) {
    case 'user':
      return messageOf({ ...stored, role, blocks: piBlocks(message.content) })
    case 'assistant': {
      const finish = piFinish(message)
      return messageOf({ ...stored, role, blocks: piBlocks(message.content), more: finish ? [finish] : [] })
    }
    case 'toolResult': {
      const told = resultOfBlocks(piBlocks(message.content))
      const given = { callId: textAt(message, 'toolCallId'), name: textAt(message, 'toolName'), ...told }
      const result = resultMessage({ ...stored, ...given, isError: message.isError === true })
      const spent = piFinish({ usage: message.usage })
      return spent ? { ...result, parts: [...result.parts, spent] } : result
    }
    case 'bashExecution':
    case 'pythonExecution': {
      const excluded: MessageDetails = message.excludeFromContext === true ? { excludedFromContext: true } : {}
      const facts = { ...details, bash: true, ...excluded }
      return messageOf({ ...stored, role: 'user', blocks: [textBlock(runText(message))], details: facts })
    }
    case 'system':
      return piSystemMessage(message, stored)
    default: {
      const summary = textAt(message, 'summary')
      const blocks =
        summary === null ? [...piBlocks(message.content), ...mentionedFiles(message)] : [textBlock(summary)]
      return messageOf({ ...stored, role: 'user', blocks, details: { ...details, harness: true, piRole: role } })
    }
  }
}

/** The first words of a prompt. */
export function titleIn(prompt: JsonObject): string | null {
  const texts = piBlocks(prompt.content).map(({ text }) => text ?? '')
  const first = texts.find((words) => words.trim() !== '')
  return first === undefined ? null : oneLine(first)
}

export function piSystemMessage(message: JsonObject, stored: Stored): NewMessage {
  const tools = listAt(message, 'toolsAdded')
  const given: MessageDetails = tools.length === 0 ? {} : { tools: JSON.stringify(tools) }
  const details = { ...stored.details, harness: true, piRole: 'system', ...given }
  return messageOf({ ...stored, role: 'system', blocks: [textBlock(systemText(message))], details })
}

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
export const piBlocks = (content: unknown): BlockPart[] => blocksOfContent(content, piBlock)

function piBlock(block: unknown): BlockPart {
  if (!isObject(block)) return unknownBlock(block)
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
  return finishPart({
    model,
    stepReason: textAt(message, 'stopReason'),
    stepTokensIn: withCache(input, cacheRead, cacheWrite),
    stepTokensOut: countAt(usage, 'output'),
    cacheRead,
    cacheWrite,
    stepCost: amountAt(objectAt(usage, 'cost'), 'total'),
    error: textAt(message, 'errorMessage'),
  })
}

/** Writes what the person ran at the prompt as the model is told of it. */
function runText(message: JsonObject): string {
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
function mentionedFiles(message: JsonObject): BlockPart[] {
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

/** The message that a context edit puts in the place of another one. */
export function replacementText(replacement: unknown): string {
  const content = isObject(replacement) ? (replacement.content ?? replacement.text) : replacement
  return contentOf(piBlocks(content))
}
