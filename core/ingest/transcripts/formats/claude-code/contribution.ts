import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'
import type { BlockPart } from '#core/ingest/transcripts/content-blocks.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'

/**
 * A record contributes a whole message, or blocks of an assistant message that arrives over several records.
 */
export type Contribution =
  | {
      readonly kind: 'whole'
      readonly message: NewMessage
      /** When set, the agent compacted its window here and this message records it. */
      readonly compaction?: RecordedCompaction
    }
  | {
      readonly kind: 'blocks'
      /** The id of the message at the API is the same on every record that has a part of it. */
      readonly apiId: string
      readonly blocks: readonly BlockPart[]
      readonly createdAtMs: number
      /** The usage of the step so far. The last record counts. */
      readonly finish: NewPart | null
      readonly details: MessageDetails
    }

export type RecordedCompaction = {
  readonly key: string
  /** The summary by the agent, or null when the transcript has none. */
  readonly text: string | null
  readonly isAuto: boolean | null
  /** Names the records that stayed unchanged in the window, or the first of them. */
  readonly kept: { readonly from: string } | { readonly ids: readonly string[] } | null
}
