import type { Role } from '#core/contract/ids.ts'
import { parsedJson } from '#core/parsed-json.ts'
import { OMITTED } from '#core/systems/reading/pruned-outputs.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import { type BlockPart, contentOf, unknownBlock } from './content-blocks.ts'
import type { PruningRecord } from './format.ts'
import { isObject, type JsonObject, textAt } from './json-value.ts'
import { type MessageDetails, withDetails } from './message-details.ts'

// These blocks occur in the messages of every agent, whatever the format calls them.

export const textBlock = (text: string): BlockPart => ({ part: { type: 'text', text }, text })

/** The thoughts of the model are never part of the content. */
export const reasoningBlock = (text: string): BlockPart => ({ part: { type: 'reasoning', text }, text: null })

export type ToolCall = {
  readonly id: string | null
  readonly name: string | null
  /** The arguments as JSON text. */
  readonly input: string
  readonly status?: string | null
  readonly title?: string | null
}

export const callBlock = ({ id, name, input, status, title }: ToolCall): BlockPart => ({
  part: {
    type: 'tool',
    toolCallId: id,
    toolName: name,
    toolInput: input,
    ...(status ? { toolStatus: status } : {}),
    ...(title ? { toolTitle: title } : {}),
  },
  text: null,
})

/**
 * Converts the content of a message: a text, or a list of blocks. Content of another shape is one unknown block, and
 * without any there is none.
 */
export function blocksOfContent(content: unknown, blockOf: (block: unknown) => BlockPart): BlockPart[] {
  if (typeof content === 'string') return [textBlock(content)]
  if (!Array.isArray(content)) return content == null ? [] : [unknownBlock(content)]
  return content.map((block: unknown) => blockOf(block))
}

/** Returns what the blocks of a tool result say, a line a block, and the files among them. */
export const resultOfBlocks = (blocks: readonly BlockPart[]): { output: string; files: BlockPart[] } => ({
  output: blocks.map(({ text, part }) => text ?? part.metadata ?? '').join('\n'),
  files: blocks.filter(({ part }) => part.type === 'file'),
})

/** Writes arguments as JSON text. A string that contains JSON is kept unchanged. */
export function jsonText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? {})
  return parsedJson(value) === undefined ? JSON.stringify(value) : value
}

export type MessageGiven = {
  readonly externalId: string | null
  readonly role: Role
  readonly blocks: readonly BlockPart[]
  readonly createdAtMs: number
  readonly details?: MessageDetails
  /** Parts without text that follow the blocks. */
  readonly more?: readonly NewPart[]
}

export function messageOf({
  externalId,
  role,
  blocks,
  createdAtMs,
  details = {},
  more = [],
}: MessageGiven): NewMessage {
  const parts = [...blocks.map(({ part }) => part), ...more]
  return { externalId, role, content: contentOf(blocks), createdAtMs, parts: withDetails(parts, details) }
}

export type ResultGiven = {
  readonly externalId: string
  readonly callId: string | null
  readonly name: string | null
  /** The output that the model was given. */
  readonly output: string
  readonly isError: boolean
  readonly createdAtMs: number
  readonly details?: MessageDetails
  readonly files?: readonly BlockPart[]
}

/** Makes a message of its own from the result of a tool. */
export function resultMessage(given: ResultGiven): NewMessage {
  const { externalId, callId, name, output, isError, createdAtMs, details = {}, files = [] } = given
  const part: NewPart = {
    type: 'tool',
    toolCallId: callId,
    toolName: name,
    toolStatus: isError ? 'error' : 'completed',
    toolOutput: output,
  }
  const parts = withDetails([part, ...files.map((file) => file.part)], details)
  return { externalId, role: 'tool', content: output, createdAtMs, parts }
}

/** Returns the part that marks a message as the record of a compaction by the agent. */
export const compactionPart = (isAuto: boolean | null, facts: Readonly<Record<string, unknown>> = {}): NewPart => ({
  type: 'compaction',
  compactionAuto: isAuto,
  metadata: JSON.stringify(facts),
})

/** How an answer ended, and what its request used, with the tokens of the cache among those of the input. */
export type AnswerEnd = Pick<NewPart, 'stepReason' | 'stepTokensIn' | 'stepTokensOut' | 'stepCost' | 'snapshotHash'> & {
  readonly model: string | null
  readonly cacheRead?: number | null | undefined
  readonly cacheWrite?: number | null | undefined
  readonly reasoning?: number | null
  readonly error?: string | null
}

/** Returns the part that ends an answer. */
export const finishPart = ({ model, cacheRead, cacheWrite, reasoning, error, ...step }: AnswerEnd): NewPart => ({
  type: 'step_finish',
  ...step,
  metadata: JSON.stringify({
    model: model ?? undefined,
    cacheReadTokens: cacheRead ?? undefined,
    cacheWriteTokens: cacheWrite ?? undefined,
    reasoningTokens: reasoning ?? undefined,
    error: error ?? undefined,
  }),
})

/** Adds the tokens of the cache to those of the input, for agents that count them apart. */
export const withCache = (
  input: number | null | undefined,
  ...cached: readonly (number | null | undefined)[]
): number | null => (input == null ? null : cached.reduce<number>((sum, tokens) => sum + (tokens ?? 0), input))

/** Says that an agent does not send a message to the model: it is for the person, or another one stands in its place. */
export const neverSent = (sessionId: string, externalId: string, atMs: number): PruningRecord => ({
  kind: 'pruning',
  sessionId,
  key: `omitted ${externalId}`,
  by: OMITTED,
  atMs,
  isAuto: null,
  toldTokens: null,
  outputs: [{ externalId, seen: null }],
})

/**
 * Withdraws what an earlier import stored of `neverSent`: the message that stood in the place of this one was taken back,
 * so that this one is sent again.
 */
export const sentAgain = (sessionId: string, externalId: string, atMs: number): PruningRecord => ({
  ...neverSent(sessionId, externalId, atMs),
  isGivenUp: true,
})

/** Returns the text of a list of blocks, of a text field, or of a string. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((block) => (isObject(block) ? (textAt(block, 'text') ?? []) : [])).join('\n')
}

/**
 * Reads a time in milliseconds from an ISO text or from a number of milliseconds or seconds. Returns null for other
 * values.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'string') return plausible(Date.parse(value))
  const number = isObject(value) ? Number(value.rawJSON) : value
  if (typeof number !== 'number') return null
  return plausible(number < SECONDS_END ? number * 1000 : number)
}

const plausible = (ms: number): number | null => (ms >= EARLIEST_MS && ms <= LATEST_MS ? Math.round(ms) : null)

/** Smaller numbers are seconds, because as milliseconds they would lie in 1973. */
const SECONDS_END = 100_000_000_000
/** There were no agents before this time. */
const EARLIEST_MS = Date.UTC(2000, 0, 1)
const LATEST_MS = Date.UTC(9999, 11, 31)

/** Gives times to records in the order of the file. A record without a time gets the time of the one before it. */
export class RecordClock {
  #latestMs: number

  constructor(startMs: number) {
    this.#latestMs = startMs
  }

  at(value: unknown): number {
    this.#latestMs = timeOf(value) ?? this.#latestMs
    return this.#latestMs
  }
}

export const stringsIn = (record: JsonObject, ...keys: readonly string[]): string | null => {
  for (const key of keys) {
    const text = textAt(record, key)
    if (text !== null) return text
  }
  return null
}
