import { z } from 'zod'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'
import { blocksOf, kindOf } from './record.ts'

/** What has to be known of the beginning of a session to read the rest of it. */
const Place = z.object({
  sessionId: z.string(),
  title: z.string(),
  /** The id of the last record. */
  last: z.string(),
  /** The external id of the last message. A later account says what the session had cost after it. */
  lastMessage: z.string().nullable(),
  /** Parents that were not written. A record that comes later may be one of them. */
  unwritten: z.array(z.string()),
  promptHash: z.string().nullable(),
})
export type ClaudeCodePlace = z.infer<typeof Place>

export const placeIn = (given: JsonObject | null): ClaudeCodePlace | null => Place.safeParse(given).data ?? null

/** With more of them, the file is read as a whole. */
export const MOST_UNWRITTEN = 100

/** Titles replace each other, so the last one of the whole file counts. */
const titles: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary'])
/** After any other operation, the text that was queued may be in a record anywhere in the file. */
const queueOperations: ReadonlySet<string> = new Set(['enqueue', 'dequeue'])

/**
 * Says whether new records only continue a session. Each has to hang on the last known record or on another new one. None
 * may answer a call that was made before, or compact, rename or give up anything of the earlier part.
 */
export class ContinuationCheck {
  readonly #place: ClaudeCodePlace
  readonly #names = new Set<string>()
  readonly #calls = new Set<string>()
  isContinued = true

  constructor(place: ClaudeCodePlace) {
    this.#place = place
  }

  add(record: JsonObject): void {
    this.isContinued &&= this.#isLinked(record) && this.#goesOn(record)
  }

  #goesOn(record: JsonObject): boolean {
    const type = textAt(record, 'type') ?? ''
    if (type === 'queue-operation') return queueOperations.has(textAt(record, 'operation') ?? '')
    const kind = kindOf(record)
    return kind === 'spoken' ? this.#isPlain(record) : kind === 'silent' && !titles.has(type)
  }

  #isLinked(record: JsonObject): boolean {
    const [uuid, parent] = [textAt(record, 'uuid'), textAt(record, 'parentUuid')]
    if (uuid === null) return true
    const { last, unwritten, sessionId } = this.#place
    const isLinked = parent !== null && (this.#names.size === 0 ? parent === last : this.#names.has(parent))
    const isNew = uuid !== last && !this.#names.has(uuid) && !unwritten.includes(uuid)
    this.#names.add(uuid)
    return isLinked && isNew && record.sessionId === sessionId && record.isSidechain !== true
  }

  #isPlain(record: JsonObject): boolean {
    if (textAt(record, 'uuid') === null || timeOf(record.timestamp) === null) return false
    if (isObject(record.forkedFrom) || textAt(record, 'requestSessionId') !== null) return false
    if (record.isCompactSummary === true || textAt(record, 'logicalParentUuid') !== null) return false
    if (/compact_boundary$/.test(textAt(record, 'subtype') ?? '')) return false
    for (const block of blocksOf(objectAt(record, 'message')).filter(isObject)) {
      if (block.type === 'tool_use') this.#calls.add(textAt(block, 'id') ?? '')
      if (block.type === 'tool_result' && !this.#calls.has(textAt(block, 'tool_use_id') ?? '')) return false
    }
    return true
  }
}
