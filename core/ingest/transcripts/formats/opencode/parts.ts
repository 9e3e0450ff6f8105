import type { NewMessage } from '#core/ingest/new-message.ts'
import { type BlockPart, fileBlock, raw, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import {
  callBlock,
  jsonText,
  reasoningBlock,
  resultMessage,
  textBlock,
  timeOf,
} from '#core/ingest/transcripts/parts.ts'

/** The end of a step and a compaction are stored with what the message says of them. */
const silent: ReadonlySet<string> = new Set(['step-finish', 'compaction'])

/** Converts the parts of a message that have content. The beginning of a step is kept for the state of the files. */
export const openCodeBlocks = (parts: readonly JsonObject[]): BlockPart[] =>
  parts
    .filter((part) => !silent.has(textAt(part, 'type') ?? ''))
    .filter((part) => part.type !== 'step-start' || textAt(part, 'snapshot') !== null)
    .map((part) => {
      const block = openCodeBlock(part)
      return part.ignored === true ? { part: { ...block.part, isIgnored: true }, text: null } : block
    })

/** Returns the state of the files at the end of the last step, or null. */
export const lastSnapshot = (parts: readonly JsonObject[]): string | null =>
  parts.map((part) => (part.type === 'step-finish' ? textAt(part, 'snapshot') : null)).findLast(Boolean) ?? null

/** Converts one part that has content. */
export function openCodeBlock(part: JsonObject): BlockPart {
  switch (part.type) {
    case 'text': {
      const block = typeof part.text === 'string' ? textBlock(part.text) : unknownBlock(part)
      return part.synthetic === true ? { ...block, part: { ...block.part, metadata: '{"synthetic":true}' } } : block
    }
    case 'reasoning':
      return reasoningBlock(textAt(part, 'text') ?? '')
    case 'tool': {
      const state = objectAt(part, 'state')
      const named = { id: textAt(part, 'callID'), name: textAt(part, 'tool') }
      const open = state.status === 'pending' || state.status === 'running' ? String(state.status) : null
      return callBlock({ ...named, input: jsonText(state.input), status: open, title: textAt(state, 'title') })
    }
    case 'file':
      return openCodeFile(part)
    case 'patch':
      return {
        part: { type: 'patch', patchHash: textAt(part, 'hash'), patchFiles: JSON.stringify(listAt(part, 'files')) },
        text: null,
      }
    case 'step-start':
    case 'snapshot':
      return {
        part: { type: part.type === 'snapshot' ? 'snapshot' : 'step_start', snapshotHash: textAt(part, 'snapshot') },
        text: null,
      }
    case 'agent':
      return { part: { type: 'agent', metadata: raw({ name: part.name }) }, text: null }
    case 'subtask': {
      const { model, command } = part
      return {
        part: {
          type: 'subtask',
          subtaskPrompt: textAt(part, 'prompt'),
          subtaskDesc: textAt(part, 'description'),
          subtaskAgent: textAt(part, 'agent'),
          metadata: model === undefined && command === undefined ? null : raw({ model, command }),
        },
        text: textAt(part, 'prompt'),
      }
    }
    case 'retry':
      return { part: { type: 'retry', metadata: raw({ attempt: part.attempt, error: part.error }) }, text: null }
    default:
      return unknownBlock(part)
  }
}

const openCodeFile = (part: JsonObject): BlockPart =>
  fileBlock({ kind: 'file', mime: textAt(part, 'mime'), name: textAt(part, 'filename'), url: textAt(part, 'url') })

/** Returns the time at which the agent stopped sending the result of a call, which its file still has, or null. */
export const prunedAt = (part: JsonObject): number | null => timeOf(objectAt(objectAt(part, 'state'), 'time').compacted)

/** The external id of the result inside of a call's own part. */
export const resultId = (messageId: string, part: JsonObject): string =>
  textAt(part, 'id') ?? `${messageId}/${textAt(part, 'callID') ?? ''}`

/** Returns the result inside of a call's own part, or null while there is none. */
export function openCodeResult(
  part: JsonObject,
  externalId: string,
  atMs: number,
  details: MessageDetails,
): NewMessage | null {
  const state = objectAt(part, 'state')
  if (state.status !== 'completed' && state.status !== 'error') return null
  const time = objectAt(state, 'time')
  const pruned = prunedAt(part)
  const isError = state.status === 'error'
  return resultMessage({
    externalId,
    callId: textAt(part, 'callID'),
    name: textAt(part, 'tool'),
    output: textAt(state, isError ? 'error' : 'output') ?? '',
    isError,
    createdAtMs: timeOf(time.end) ?? timeOf(time.start) ?? atMs,
    details: pruned === null ? details : { ...details, prunedAtMs: pruned },
    files: listAt(state, 'attachments').filter(isObject).map(openCodeFile),
  })
}
