import type { HostMessage } from '../contract/host.ts'
import { LcmError } from '../errors.ts'
import type { NewMessage, NewPart } from '../ingest/new-message.ts'
import { type BlockPart, contentOf, LONGEST_RAW, raw } from '../ingest/transcripts/content-blocks.ts'
import { openCodeBlock } from '../ingest/transcripts/formats/opencode/parts.ts'
import { type JsonObject, objectAt, textAt } from '../ingest/transcripts/json-value.ts'

/** Fields of a message that are read. */
const READ: ReadonlySet<string> = new Set([
  ...[
    'id',
    'role',
    'content',
    'parts',
    'tool_calls',
    'tool_call_id',
    'createdAtMs',
    'name',
    'function_call',
    'refusal',
  ],
  ...['reasoning_content', 'reasoning', 'thinking', 'is_error', 'timestamp', 'created_at', 'createdAt', 'ts', 'time'],
  ...['created', 'uuid', 'message_id'],
])

/** Fields of the answers of APIs that say how an answer was made, and nothing that was said. */
const OF_THE_CALL: ReadonlySet<string> = new Set([
  ...['type', 'object', 'model', 'usage', 'stop_reason', 'stop_sequence', 'stop_details', 'finish_reason', 'index'],
  ...['logprobs', 'system_fingerprint', 'provider', 'service_tier', 'status', 'container', 'context_management'],
  'cache_control',
])

/** Fields of those answers that belong to what was said, and are kept as they are. */
const KEPT: readonly string[] = ['annotations', 'audio', 'reasoning_details']

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Returns what a message has beside its content.
 * @throws LcmError invalid_argument for a field that would be lost, and for a part that is too large to be kept
 */
export function partsOf(given: HostMessage, index: number): BlockPart[] {
  const lost = Object.keys(given).find(
    (name) => !READ.has(name) && !OF_THE_CALL.has(name) && !KEPT.includes(name) && !isEmpty(given[name]),
  )
  if (lost !== undefined) {
    throw new LcmError(
      'invalid_argument',
      `messages[${index}].${lost.slice(0, 80)} (${given.id}) is no field that is stored: leave it out, or give it as one of the message's parts, with a type.`,
      { index, id: given.id },
    )
  }
  const kept = KEPT.filter((name) => !isEmpty(given[name])).map((name) => ({ type: name, [name]: given[name] }))
  const parts = (given.parts ?? []).map((part, at) => {
    if (part.type === 'compaction') {
      throw new LcmError(
        'invalid_argument',
        `messages[${index}].parts[${at}] (${given.id}) is a compaction, which only a memory itself records: leave it out.`,
        { index, id: given.id },
      )
    }
    const length = JSON.stringify(part).length
    if (length > LONGEST_RAW) {
      throw new LcmError(
        'invalid_argument',
        `messages[${index}].parts[${at}] (${given.id}) has ${length} characters, and a part has at most ${LONGEST_RAW}: give a long text as the content of the message.`,
        { index, id: given.id },
      )
    }
    return asBlock(part)
  })
  return [
    ...kept.map((part) => ({ part: { type: 'text' as const, text: null, metadata: raw(part) }, text: null })),
    ...parts,
  ]
}

/** A part of an unknown type has a text, so that it is found; a known one keeps what its columns do not take. */
function asBlock(part: Readonly<Record<string, unknown>> & { readonly type: string }): BlockPart {
  const metadata = raw(part)
  if (part.type === 'step-finish' || part.type === 'step_finish') return { part: stepEnd(part, metadata), text: null }
  const block = openCodeBlock(part.type === 'step_start' ? { ...part, type: 'step-start' } : part)
  if (part.type === 'text' && Object.keys(part).length === 2) return block
  const isUnknown = block.part.type === 'text' && part.type !== 'text'
  const text = isUnknown ? metadata : block.text
  return { part: { ...block.part, ...(isUnknown ? { text } : {}), metadata }, text }
}

function stepEnd(part: JsonObject, metadata: string): NewPart {
  const tokens = objectAt(part, 'tokens')
  const numberOf = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null)
  const count = (value: unknown): number | null => (Number.isSafeInteger(value) ? numberOf(value) : null)
  return {
    type: 'step_finish',
    stepReason: textAt(part, 'reason'),
    stepCost: numberOf(part.cost),
    stepTokensIn: count(tokens.input),
    stepTokensOut: count(tokens.output),
    snapshotHash: textAt(part, 'snapshot'),
    metadata,
  }
}

/** Adds parts to a message behind its own. */
export function withParts(message: NewMessage, parts: readonly BlockPart[]): NewMessage {
  if (parts.length === 0) return message
  const said = message.content === '' ? [] : [{ part: { type: 'text' as const }, text: message.content }]
  return {
    ...message,
    content: contentOf([...said, ...parts]),
    parts: [...message.parts, ...parts.map(({ part }) => part)],
  }
}
