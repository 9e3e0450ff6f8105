import type { TranscriptRecord } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { compactionPart, messageOf, textBlock, timeOf } from '#core/ingest/transcripts/parts.ts'
import { OMITTED } from '#core/systems/reading/pruned-outputs.ts'
import { sentMessage, sentTexts } from './blocks.ts'

/** A message that the agent kept: the external ids under which it is stored, and whether it is still sent as it was. */
type Kept = { readonly externalIds: readonly string[]; readonly isSame: boolean }

/**
 * The last compaction of a session, which lies in a file of its own. It has the window after it: a summary, and the
 * messages that the agent kept, some of them with a note of what was done since. The file of the session keeps all.
 */
export class ClineCompaction {
  /** The messages after the compaction, its summary first. */
  readonly #window: readonly JsonObject[]
  readonly #byId: ReadonlyMap<string, JsonObject>
  readonly #atMs: number
  /** How the file names the last message before the compaction. */
  readonly #after: string | null
  readonly #kept = new Map<JsonObject, Kept>()

  constructor(file: JsonObject, nowMs: number) {
    this.#window = listAt(file, 'messages').filter(isObject)
    this.#byId = new Map(this.#window.map((one) => [textAt(one, 'id') ?? '', one]))
    this.#after = textAt(file, 'source_last_message_key')
    this.#atMs = timeOf(file.updated_at) ?? nowMs
  }

  /** Notes a message, and returns the records of the compaction when it is the last one before it. */
  take(
    message: JsonObject,
    externalIds: readonly string[],
    sessionId: string,
    kept: string | null,
  ): TranscriptRecord[] {
    const id = textAt(message, 'id')
    if (id === null) return []
    const after = this.#byId.get(id)
    if (after) this.#kept.set(after, { externalIds, isSame: contentOf(after) === contentOf(message) })
    return this.#after === `id:${id}` ? this.#records(sessionId, `${sessionId}/compaction/${id}`, kept) : []
  }

  #records(sessionId: string, key: string, prompt: string | null): TranscriptRecord[] {
    const [summary, ...rest] = this.#window
    if (summary === undefined) return []
    const facts = objectAt(summary, 'metadata')
    const text = sentTexts(summary)
    const reason = textAt(facts, 'reason')
    const isAuto = reason === null ? null : reason !== 'manual_compaction'
    const used = countAt(objectAt(facts, 'usageBefore'), 'inputTokens')
    const more = [compactionPart(isAuto, { preTokens: countAt(facts, 'tokensBefore') ?? used ?? undefined })]
    const given = { externalId: key, role: 'user' as const, blocks: [textBlock(text)], createdAtMs: this.#atMs }
    const kept = rest.flatMap((one) => this.#kept.get(one)?.externalIds ?? [])
    return [
      { kind: 'message', sessionId, message: messageOf({ ...given, details: { harness: true }, more }) },
      {
        kind: 'compaction',
        sessionId,
        ...{ key, text, atMs: this.#atMs, isAuto, model: null, recordedBy: [key] },
        replaced: { kind: 'all_but', kept: new Set([...(prompt === null ? [] : [prompt]), ...kept]) },
      },
      ...rest.flatMap((one) => this.#changed(one, sessionId, key)),
    ]
  }

  /** Says how a message that was kept is sent, when the agent changed it. */
  #changed(message: JsonObject, sessionId: string, key: string): TranscriptRecord[] {
    const { externalIds: [externalId, ...others] = [], isSame } = this.#kept.get(message) ?? {}
    if (externalId === undefined || others.length > 0 || isSame) return []
    const told = { by: OMITTED, atMs: this.#atMs, isAuto: null, toldTokens: null }
    const outputs = [{ externalId, seen: sentTexts(message) }]
    return [{ kind: 'pruning', sessionId, key: `${key} ${externalId}`, ...told, outputs }]
  }
}

const contentOf = (message: JsonObject): string => JSON.stringify(sentMessage(message).content)
