import type { Message, MessagePart, PartDetails } from '#core/contract/message.ts'
import { formatCompact, plural } from '#renderer/ui/texts/format.ts'
import { parsedObject } from './tool-line.ts'

type BlockBase = {
  readonly key: string
  readonly isSynthetic: boolean
  /** The agent shows it to its user and does not send it to the model. */
  readonly isIgnored: boolean
}

/** One block of a message as it is drawn, in order. `key` is unique within the message. */
export type Block = BlockBase &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'reasoning'; readonly text: string }
    | {
        readonly kind: 'tool_call'
        readonly toolName: string
        /** What its agent calls this call. */
        readonly title: string | null
        readonly toolCallId: string | null
        /** JSON text as stored. */
        readonly input: string
        readonly output: string
        readonly error: string
        readonly status: string | null
      }
    | {
        readonly kind: 'tool_result'
        readonly toolName: string | null
        readonly toolCallId: string | null
        readonly output: string
        readonly isError: boolean
      }
    | { readonly kind: 'patch'; readonly title: string; readonly text: string }
    | {
        readonly kind: 'file'
        readonly name: string | null
        readonly mime: string | null
        readonly url: string | null
        /** The text that represents it in the message's content. */
        readonly text: string
      }
    | {
        readonly kind: 'compaction'
        readonly text: string
        /** The summary that replaced the range, or null when the system does not name it. */
        readonly summaryId: string | null
        /** The tokens of the window just before, or null when the system does not record them. */
        readonly tokensBefore: number | null
        /** A threshold started it (true) or a user (false). */
        readonly isAuto: boolean | null
      }
    | { readonly kind: 'subtask'; readonly title: string; readonly text: string }
    | { readonly kind: 'mark'; readonly label: string; readonly text: string }
  )

/**
 * Returns the blocks of a message. Systems store its text in `content`, in parts, or in both. The text is shown once,
 * and text that is only in one of them is never left out.
 */
export function blocksOf(message: Pick<Message, 'role' | 'content' | 'parts'>): readonly Block[] {
  const isResult = message.role === 'tool'
  const blocks = message.parts.map((part) => blockOf(part, isResult)).filter((block) => !isBlank(block))
  const content = squeezed(message.content)
  if (content === '') return blocks
  // The content leaves out what the model is not sent.
  const told = squeezed(blocks.map((block) => (block.isIgnored ? '' : bodyOf(block))).join(''))
  if (told.includes(content)) return blocks
  // The parts have less text than the content, or another text. The content comes first, and blocks that repeat it are
  // left out.
  return [contentBlock(message, isResult), ...blocks.filter((block) => !isRepeated(block, content))]
}

/** True for a mark whose name says everything, such as the end of a step. It is shown in the head of the message. */
export function isBareMark(block: Block): block is Extract<Block, { kind: 'mark' }> {
  return block.kind === 'mark' && block.text.trim() === ''
}

/** True for the part that this app writes where the range of a summary ends. The gutter beside the message shows it. */
export const isEndOfSummary = (block: Block): boolean => block.kind === 'compaction' && block.isSynthetic

function contentBlock(message: Pick<Message, 'content' | 'parts'>, isResult: boolean): Block {
  const base = { key: 'content', isSynthetic: false, isIgnored: false }
  if (!isResult) return { ...base, kind: 'text', text: message.content }
  const call = message.parts.find((part) => part.toolName !== null)
  return {
    ...base,
    kind: 'tool_result',
    toolName: call?.toolName ?? null,
    toolCallId: message.parts.find((part) => part.toolCallId !== null)?.toolCallId ?? null,
    output: message.content,
    isError: message.parts.some((part) => isFailure(part)),
  }
}

function blockOf(part: MessagePart, isResult: boolean): Block {
  const base = baseOf(part)
  const { details } = part
  const text = part.text ?? ''
  switch (part.type) {
    case 'text':
      if (isResult || part.toolCallId !== null) return resultBlock(part, text)
      return text.trim() === '' && part.metadata !== null ? unread(part) : { ...base, kind: 'text', text }
    case 'reasoning':
      if (text.trim() !== '') return { ...base, kind: 'reasoning', text }
      return { ...base, kind: 'mark', label: 'reasoning, its text was not recorded', text: '' }
    case 'tool':
      if (part.toolInput !== null || (!isResult && part.toolOutput === null)) return callBlock(part)
      return resultBlock(part, part.toolOutput ?? text)
    case 'patch': {
      if (text !== '') return { ...base, kind: 'patch', title: part.fileName ?? 'patch', text }
      const { label, files } = patchFacts(details)
      return { ...base, kind: 'mark', label, text: files }
    }
    case 'file':
      return text !== '' && part.fileName === null && part.fileMime === null && part.fileUrl === null
        ? { ...base, kind: 'text', text }
        : { ...base, kind: 'file', name: part.fileName, mime: part.fileMime, url: part.fileUrl, text }
    case 'compaction':
      return { ...base, kind: 'compaction', text, ...compactionFacts(part) }
    case 'subtask':
      return {
        ...base,
        kind: 'subtask',
        title: subtaskTitle(details, part.toolName ?? 'subtask'),
        text: text === '' ? (details?.subtaskPrompt ?? '') : text,
      }
    case 'step_start':
    case 'step_finish':
    case 'snapshot':
    case 'agent':
    case 'retry':
      return { ...base, kind: 'mark', label: markLabel(part.type, details), text }
  }
}

type Compaction = Extract<Block, { kind: 'compaction' }>

const baseOf = ({ partId, isSynthetic, details }: MessagePart): BlockBase => ({
  key: partId,
  isSynthetic,
  isIgnored: details?.ignored ?? false,
})

/**
 * Our engine names the summary in the part's metadata, other systems in its text. Claude Code notes the tokens before.
 */
function compactionFacts(part: MessagePart): Pick<Compaction, 'summaryId' | 'tokensBefore' | 'isAuto'> {
  const metadata = parsedObject(part.metadata ?? '') ?? {}
  const named = typeof metadata.summary === 'string' ? metadata.summary : /\bsum_[\w-]+/.exec(part.text ?? '')?.[0]
  return {
    summaryId: named ?? null,
    tokensBefore: typeof metadata.preTokens === 'number' ? metadata.preTokens : null,
    isAuto: part.details?.compactionAuto ?? null,
  }
}

/** Returns what the importer kept of a block of an unknown kind. */
function unread(part: MessagePart): Block {
  const text = part.metadata ?? ''
  return { ...baseOf(part), kind: 'mark', label: 'unrecognised block', text }
}

function resultBlock(part: MessagePart, output: string): Block {
  return {
    ...baseOf(part),
    kind: 'tool_result',
    toolName: part.toolName,
    toolCallId: part.toolCallId,
    output: output === '' ? (part.toolError ?? '') : output,
    isError: isFailure(part),
  }
}

function callBlock(part: MessagePart): Block {
  return {
    ...baseOf(part),
    kind: 'tool_call',
    toolName: part.toolName ?? 'tool',
    title: part.details?.toolTitle ?? null,
    toolCallId: part.toolCallId,
    input: part.toolInput ?? '',
    // Some systems keep a note of the model beside the call. It is shown with the result.
    output: part.toolOutput ?? part.text ?? '',
    error: part.toolError ?? '',
    status: part.toolStatus,
  }
}

function isFailure(part: MessagePart): boolean {
  return part.toolError !== null || part.toolStatus === 'error'
}

/** Returns the text by which a block can represent the content of its message. */
function bodyOf(block: Block): string {
  switch (block.kind) {
    case 'tool_call':
      return `${block.output}${block.error}`
    case 'tool_result':
      return block.output
    case 'mark':
      return ''
    default:
      return block.text
  }
}

function isBlank(block: Block): boolean {
  return block.kind === 'text' && block.text.trim() === ''
}

function isRepeated(block: Block, content: string): boolean {
  return (block.kind === 'text' || block.kind === 'tool_result') && content.includes(squeezed(bodyOf(block)))
}

/** Systems join parts with line breaks, spaces or nothing, so texts are compared without white space. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** What is known of a step of an answer, or of the state of the files: `step finish: stop, 1.2k in, 56 out`. */
function markLabel(type: string, details: PartDetails = {}): string {
  const { stepReason, stepTokensIn, stepTokensOut, stepCost, snapshotHash } = details
  const facts = [
    stepReason,
    stepTokensIn === undefined ? undefined : `${formatCompact(stepTokensIn)} in`,
    stepTokensOut === undefined ? undefined : `${formatCompact(stepTokensOut)} out`,
    stepCost === undefined || stepCost === 0 ? undefined : `cost ${costText(stepCost)}`,
    snapshotHash === undefined ? undefined : `files at ${shortHash(snapshotHash)}`,
  ].filter((fact) => fact !== undefined)
  const label = type.replace('_', ' ')
  return facts.length === 0 ? label : `${label}: ${facts.join(', ')}`
}

/** Costs of steps are parts of a cent: three digits that say something. */
const costText = (cost: number): string => String(Number(cost.toPrecision(3)))

const shortHash = (hash: string): string => hash.slice(0, 12)

/** `patch 1234abcd, 2 files`, and the paths line by line. */
function patchFacts({ patchHash, patchFiles }: PartDetails = {}): { label: string; files: string } {
  const files = patchFiles === undefined ? [] : pathsIn(patchFiles)
  const named = patchHash === undefined ? 'patch' : `patch ${shortHash(patchHash)}`
  return { label: files.length === 0 ? named : `${named}, ${plural(files.length, 'file')}`, files: files.join('\n') }
}

/** The paths of a JSON array; any other text as it is, because a system may write what it likes. */
function pathsIn(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list.map((path) => (typeof path === 'string' ? path : JSON.stringify(path)))
  } catch {
    // It was cut, or never was JSON.
  }
  return [text]
}

/** `subtask for explore: find the callers`. */
function subtaskTitle({ subtaskAgent, subtaskDesc }: PartDetails = {}, otherwise: string): string {
  const named = subtaskAgent === undefined ? otherwise : `subtask for ${subtaskAgent}`
  return subtaskDesc === undefined ? named : `${named}: ${subtaskDesc}`
}
