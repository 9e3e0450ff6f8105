import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import {
  type BlockPart,
  contentOf,
  resultFiles,
  resultText,
  toolResult,
  toPart,
} from '#core/ingest/transcripts/content-blocks.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { type MessageDetails, withDetails } from '#core/ingest/transcripts/message-details.ts'
import { finishPart, RecordClock, withCache } from '#core/ingest/transcripts/parts.ts'
import { attachedBy } from './attachment.ts'
import type { Contribution, RecordedCompaction } from './contribution.ts'
import { asSent, blocksOf, isHarnessText, systemText } from './record.ts'

/** A record that says that a compaction happened, and its id in this file. */
type Boundary = { readonly record: JsonObject; readonly id: string }

/**
 * Converts the records of a transcript, in file order, into messages. It remembers what later records need: the names
 * of called tools, and a compaction boundary until its summary arrives.
 */
export class ClaudeCodeMessages {
  readonly #toolNames = new Map<string, string>()
  readonly #timesSeen = new Map<string, number>()
  #boundary: Boundary | null = null
  /** The hash of the latest system prompt, which is written again with each request. */
  #promptHash: string | null
  readonly #clock: RecordClock

  /**
   * `startMs` is the time of records before the first one with a time.
   * @param promptHash what the property said at the end of an earlier reading, where this one goes on
   */
  constructor(startMs: number, promptHash: string | null) {
    this.#promptHash = promptHash
    this.#clock = new RecordClock(startMs)
  }

  /**
   * Converts a record into messages, or none when it has no text. `details` is what the caller knows about it.
   * @param name the id of the record in this file, or null when it has none
   */
  contributions(record: JsonObject, name: string | null, details: MessageDetails): Contribution[] {
    const atMs = this.timeOf(record)
    if (record.type === 'system') return this.#systemContributions(record, name, details)
    if (record.type === 'attachment') return this.#attachmentContributions(record, atMs, details)
    const before = record.isCompactSummary === true ? [] : this.#pendingBoundary(details)
    if (record.type === 'assistant') return [...before, this.#assistantContribution(record, atMs, details)]
    return [...before, ...this.#userContributions(record, atMs, details)]
  }

  #systemContributions(record: JsonObject, name: string | null, details: MessageDetails): Contribution[] {
    const said = record.subtype === 'local_command' ? systemText(record) : null
    if (record.subtype !== 'compact_boundary' && said === null) return []
    const before = this.#pendingBoundary(details)
    if (said === null) {
      this.#boundary = { record, id: name ?? this.#id(record) }
      return before
    }
    // This is the only system record that the model is sent, as words of the user.
    const parts = withDetails([{ type: 'text', text: said }], { ...details, harness: true })
    const named = { externalId: this.#id(record), role: 'user', createdAtMs: this.timeOf(record) } as const
    return [...before, { kind: 'whole', message: { ...named, content: said, parts } }]
  }

  get promptHash(): string | null {
    return this.#promptHash
  }

  /** After the last record, says whether a boundary waits for its summary, which may arrive when the file grows. */
  get hasOpenBoundary(): boolean {
    return this.#boundary !== null
  }

  /** Keeps a boundary without a summary as a message of its own. */
  #pendingBoundary(details: MessageDetails): Extract<Contribution, { kind: 'whole' }>[] {
    const boundary = this.#boundary
    if (boundary === null) return []
    this.#boundary = null
    const { record, id } = boundary
    const content = textAt(record, 'content') ?? ''
    const parts = withDetails([{ type: 'text', text: content }, compactionPart(record)], {
      ...details,
      harness: true,
    })
    const createdAtMs = this.timeOf(record)
    const message = { externalId: id, role: 'user' as const, content, createdAtMs, parts }
    return [{ kind: 'whole', message, compaction: compactionOf(boundary, null) }]
  }

  #assistantContribution(record: JsonObject, createdAtMs: number, details: MessageDetails): Contribution {
    const message = objectAt(record, 'message')
    const blocks = blocksOf(message).map((block) => toPart(asSent(block)))
    for (const { part } of blocks) {
      if (part.toolCallId && part.toolName) this.#toolNames.set(part.toolCallId, part.toolName)
    }
    const isApiError = record.isApiErrorMessage === true
    return {
      kind: 'blocks',
      apiId: textAt(message, 'id') ?? this.#id(record),
      blocks,
      createdAtMs,
      finish: isApiError ? null : claudeFinish(message),
      details: isApiError ? { ...details, apiError: true } : details,
    }
  }

  /** A user record holds what a person typed, results of tools, or both. Each becomes a message, in their order. */
  #userContributions(record: JsonObject, createdAtMs: number, details: MessageDetails): Contribution[] {
    const id = this.#id(record)
    const contributions: Contribution[] = []
    let said: BlockPart[] = []
    const nextId = (): string => (contributions.length === 0 ? id : `${id}#${contributions.length + 1}`)
    const flush = (): void => {
      if (said.length === 0) return
      const content = contentOf(said)
      const parts = said.map(({ part }) => part)
      const boundary = record.isCompactSummary === true ? this.#takeBoundary(id) : null
      if (boundary) parts.push(compactionPart(boundary.record))
      const externalId = nextId()
      const known = withDetails(parts, userMarks(record, content, details))
      const message = { externalId, role: 'user' as const, content, createdAtMs, parts: known }
      contributions.push(
        boundary ? { kind: 'whole', message, compaction: compactionOf(boundary, content) } : { kind: 'whole', message },
      )
      said = []
    }
    for (const block of blocksOf(objectAt(record, 'message'))) {
      if (!isObject(block) || block.type !== 'tool_result') {
        said.push(toPart(block))
        continue
      }
      flush()
      const content = resultText(block.content)
      const parts = withDetails(
        [toolResult(block, content, this.#toolName(block)), ...resultFiles(block.content)],
        details,
      )
      contributions.push({
        kind: 'whole',
        message: { externalId: nextId(), role: 'tool', content, createdAtMs, parts },
      })
    }
    flush()
    return contributions
  }

  #attachmentContributions(record: JsonObject, createdAtMs: number, details: MessageDetails): Contribution[] {
    const { role, blocks } = attachedBy(record)
    const content = contentOf(blocks)
    const type = textAt(objectAt(record, 'attachment'), 'type') ?? 'unknown'
    if (blocks.length === 0) return []
    if (type === 'prompt_snapshot') {
      const hash = sha256(content)
      if (hash === this.#promptHash) return []
      this.#promptHash = hash
    }
    const known = { ...details, attachment: type }
    const parts = withDetails(
      blocks.map(({ part }) => part),
      known,
    )
    return [{ kind: 'whole', message: { externalId: this.#id(record), role, content, createdAtMs, parts } }]
  }

  /** A summary without a boundary before it has the id of its own record. */
  #takeBoundary(summaryId: string): Boundary {
    const boundary = this.#boundary
    this.#boundary = null
    return boundary ?? { record: {}, id: summaryId }
  }

  #toolName(block: JsonObject): string | null {
    const id = textAt(block, 'tool_use_id') ?? ''
    const name = this.#toolNames.get(id) ?? null
    this.#toolNames.delete(id)
    return name
  }

  /** Returns the id of the record. A record without one gets an id from its content and its number of repetitions. */
  #id(record: JsonObject): string {
    const uuid = textAt(record, 'uuid')
    if (uuid !== null) return uuid
    const hash = sha256(JSON.stringify(record)).slice(0, 24)
    const times = (this.#timesSeen.get(hash) ?? 0) + 1
    this.#timesSeen.set(hash, times)
    return times === 1 ? `record_${hash}` : `record_${hash}~${times}`
  }

  /** Returns the time of a record, or of the last one before it with a time. */
  timeOf(record: JsonObject): number {
    return this.#clock.at(record.timestamp)
  }
}

function userMarks(record: JsonObject, content: string, details: MessageDetails): MessageDetails {
  return {
    ...details,
    ...(record.isMeta === true ? { meta: true } : {}),
    ...(isHarnessText(content) || record.isCompactSummary === true ? { harness: true } : {}),
  }
}

/** Records a compaction that the agent made in its window. The messages before it stay in the history. */
function compactionPart(boundary: JsonObject): NewPart {
  const metadata = objectAt(boundary, 'compactMetadata')
  const trigger = textAt(metadata, 'trigger')
  return {
    type: 'compaction',
    compactionAuto: trigger === null ? null : trigger === 'auto',
    metadata: JSON.stringify({
      trigger: trigger ?? undefined,
      preTokens: countAt(metadata, 'preTokens') ?? undefined,
    }),
  }
}

function compactionOf({ record, id }: Boundary, text: string | null): RecordedCompaction {
  const metadata = objectAt(record, 'compactMetadata')
  const trigger = textAt(metadata, 'trigger')
  return {
    key: id,
    text,
    isAuto: trigger === null ? null : trigger === 'auto',
    kept: keptRecords(metadata),
  }
}

/** Lists the ids of the records that a boundary left in the window. */
export function keptIds(boundary: JsonObject): readonly string[] {
  const kept = keptRecords(objectAt(boundary, 'compactMetadata'))
  return kept === null ? [] : 'from' in kept ? [kept.from] : kept.ids
}

/** Newer versions keep the last records unchanged and name them. */
function keptRecords(metadata: JsonObject): RecordedCompaction['kept'] {
  const preserved = metadata.preservedMessages
  const list = Array.isArray(preserved) ? preserved : listAt(objectAt(metadata, 'preservedMessages'), 'uuids')
  const ids = list.flatMap((item) =>
    typeof item === 'string' ? item : isObject(item) ? (textAt(item, 'uuid') ?? []) : [],
  )
  if (ids.length > 0) return { ids }
  const from = textAt(objectAt(metadata, 'preservedSegment'), 'headUuid')
  return from === null ? null : { from }
}

/**
 * Returns the last of the records that a compaction kept. `isBefore` is true when they stand before the summary, which
 * then tells what came after them. Null when the version of the agent did not record their place.
 */
export function keptSegment(boundary: JsonObject): { readonly last: string | null; readonly isBefore: boolean } | null {
  const metadata = objectAt(boundary, 'compactMetadata')
  const [segment, messages] = [objectAt(metadata, 'preservedSegment'), objectAt(metadata, 'preservedMessages')]
  const anchor = textAt(segment, 'anchorUuid') ?? textAt(messages, 'anchorUuid')
  if (anchor === null) return null
  const last = textAt(segment, 'tailUuid') ?? keptIds(boundary).at(-1) ?? null
  return { last, isBefore: anchor === textAt(boundary, 'uuid') }
}

/** Model, usage and stop reason of an answer. Input tokens include those from the cache. */
function claudeFinish(message: JsonObject): NewPart | null {
  const usage = objectAt(message, 'usage')
  const inputs = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
  const [fresh, cacheWrite, cacheRead] = inputs.map((key) => countAt(usage, key))
  const model = textAt(message, 'model')
  if (model === null && fresh == null) return null
  const stepTokensIn = withCache(fresh, cacheWrite, cacheRead)
  const stepTokensOut = countAt(usage, 'output_tokens')
  const stepReason = textAt(message, 'stop_reason')
  return finishPart({ model, stepReason, stepTokensIn, stepTokensOut, cacheRead, cacheWrite })
}
