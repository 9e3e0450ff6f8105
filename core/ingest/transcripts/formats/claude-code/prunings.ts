import type { NewMessage } from '#core/ingest/new-message.ts'
import type { PrunedText, PruningRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { CLEARED, isClearedOutput } from '#core/ingest/transcripts/placeholders.ts'

/** A microcompaction removed tool results and attachments from the window without a summary. */
export const isMicrocompaction = (record: JsonObject): boolean =>
  record.type === 'system' && record.subtype === 'microcompact_boundary'

/**
 * Collects what Claude Code removed from its window, from its own records and from the placeholders of a session that
 * was copied afterwards.
 */
export class ClaudeCodePrunings {
  readonly #source: TranscriptSource
  readonly #told: PruningRecord[] = []
  /** Results of which the file has only the placeholder, by conversation. */
  readonly #placeholders = new Map<string, { readonly texts: PrunedText[]; lastId: string; atMs: number }>()

  constructor(source: TranscriptSource) {
    this.#source = source
  }

  take(record: JsonObject, sessionId: string, atMs: number, isGivenUp: boolean): PruningRecord {
    const metadata = objectAt(record, 'microcompactMetadata')
    const trigger = textAt(metadata, 'trigger')
    const results = stringsAt(metadata, 'compactedToolIds').map((callId) => ({ callId, seen: CLEARED }))
    const attachments = stringsAt(metadata, 'clearedAttachmentUUIDs').map((externalId) => ({ externalId, seen: null }))
    const pruning: PruningRecord = {
      kind: 'pruning',
      sessionId,
      key: textAt(record, 'uuid') ?? `${atMs} ${results[0]?.callId ?? ''}`,
      by: 'microcompaction',
      atMs,
      isAuto: trigger === null ? null : trigger === 'auto',
      toldTokens: countAt(metadata, 'tokensSaved'),
      outputs: [...results, ...attachments],
      isGivenUp,
    }
    this.#told.push(pruning)
    return pruning
  }

  /**
   * Notes a result of which the file has only the placeholder. Returns true when an earlier import stored the message,
   * perhaps with the whole result, which stays.
   */
  isOnlyPlaceholder(sessionId: string, { externalId, role, content, createdAtMs }: NewMessage): boolean {
    if (role !== 'tool' || externalId === null || !isClearedOutput(content)) return false
    const known = this.#placeholders.get(sessionId) ?? { texts: [], lastId: externalId, atMs: createdAtMs }
    known.texts.push({ externalId, seen: content })
    known.lastId = externalId
    known.atMs = Math.max(known.atMs, createdAtMs)
    this.#placeholders.set(sessionId, known)
    return this.#source.storedBlocks(sessionId, externalId) !== undefined
  }

  /**
   * Repeats all prunings, because results may have waited for the answer before them, and adds those without a record.
   */
  end(): PruningRecord[] {
    const unrecorded = Array.from(
      this.#placeholders,
      ([sessionId, { texts, lastId, atMs }]): PruningRecord => ({
        kind: 'pruning',
        sessionId,
        key: `cleared up to ${lastId}`,
        by: 'microcompaction',
        atMs,
        isAuto: null,
        toldTokens: null,
        outputs: texts,
      }),
    )
    return [...this.#told, ...unrecorded]
  }
}

const stringsAt = (record: JsonObject, key: string): string[] =>
  listAt(record, key).filter((value) => typeof value === 'string')
