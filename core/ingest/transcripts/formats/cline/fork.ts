import type { TranscriptRecord } from '#core/ingest/transcripts/format.ts'
import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'

/**
 * The fork with which a session began. `/fork` and going back both begin a file with copies, under the ids of the
 * originals. Only `/fork` names the session that has them; otherwise it is found by the first messages.
 */
export class ClineFork {
  readonly parentId: string | null
  readonly #atMs: number
  readonly #isAgent: boolean

  constructor(metadata: JsonObject, isAgent: boolean) {
    const fork = objectAt(metadata, 'fork')
    this.parentId = isAgent ? null : textAt(fork, 'forkedFromSessionId')
    this.#atMs = timeOf(fork.forkedAt) ?? Number.NEGATIVE_INFINITY
    this.#isAgent = isAgent
  }

  /** Returns the record with what it was copied from. */
  placed(record: TranscriptRecord): TranscriptRecord {
    const { parentId } = this
    if (record.kind === 'session' && !this.#isAgent) {
      return { ...record, ...(parentId === null ? { mayBeFork: true } : { hasOwnCopies: true }) }
    }
    if (record.kind !== 'message' || parentId === null || record.message.createdAtMs >= this.#atMs) return record
    return { ...record, copiedFrom: [parentId] }
  }
}
