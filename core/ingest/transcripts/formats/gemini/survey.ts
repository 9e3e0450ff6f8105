import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { type CallBatch, CallBatches } from './call-batches.ts'
import { CallIds, callIdsIn } from './call-ids.ts'
import { callsOf, geminiBlocks, hasMasked, isSessionContext, recordTypes, responsesOf } from './message.ts'

/** A checkpoint by which the agent replaced earlier messages by others. */
export type Checkpoint = {
  /** Ids that left the window, including those of their tool results. */
  readonly gone: ReadonlySet<string>
  /** Messages that the checkpoint added. */
  readonly fresh: ReadonlySet<string>
}

/**
 * Finds what must be known of a whole file of lines: which record of an id is the last, what was taken back, and what a
 * checkpoint replaced. It holds ids only.
 */
export class GeminiSurvey {
  /** The number of lines of an id. */
  readonly #versions = new Map<string, number>()
  /** A message with the results of its calls, by its id. */
  readonly #derived = new Map<string, string[]>()
  readonly #calls = new CallIds()
  readonly #batches = new CallBatches()
  /** The message that made each call last. */
  readonly #callers = new Map<string, string>()
  readonly #checkpoints: (Checkpoint | null)[] = []
  /** Messages that a checkpoint removed, with those that it added in their place. */
  readonly #exchanges: { readonly gone: readonly string[]; readonly fresh: ReadonlySet<string> }[] = []
  readonly #abandoned = new Set<string>()
  /** Ids of the window in order. */
  readonly #live = new Set<string>()

  add(record: JsonObject): void {
    if (isObject(record.$set)) this.#set(record.$set)
    else if (typeof record.$rewindTo === 'string') this.#rewind(record.$rewindTo)
    else if (recordTypes.has(textAt(record, 'type') ?? '')) this.#addMessage(record)
  }

  versionsOf(id: string): number {
    return this.#versions.get(id) ?? 0
  }

  /** Returns the calls of one answer that are complete with the n-th record of an id, where it has those of several. */
  batchEndingWith(id: string, version: number): CallBatch | null {
    return this.#batches.endingWith(id, version)
  }

  isAbandoned(id: string): boolean {
    return this.#abandoned.has(id)
  }

  /** Returns every message that was taken back, with the results of its calls. */
  givenUp(): Set<string> {
    return new Set([...this.#abandoned].flatMap((id) => this.#messagesOf(id)))
  }

  /** Returns the n-th `$set` of the file, counted from 0, or null when it replaced no messages. */
  checkpoint(index: number): Checkpoint | null {
    return this.#checkpoints[index] ?? null
  }

  /** Lists a record, the messages of its later calls, and the results of all of them. */
  #messagesOf(id: string): readonly string[] {
    const later = this.#batches.of(id).slice(1)
    const ids = later.flatMap(({ externalId, callIds }) => [
      externalId,
      ...Array.from(callIds, (callId) => resultId(externalId, { id: callId })),
    ])
    return [...(this.#derived.get(id) ?? [id]), ...ids]
  }

  #addMessage(record: JsonObject): void {
    const id = textAt(record, 'id')
    this.#calls.note(record)
    if (id === null || this.#isResults(id, record)) {
      this.#batches.close()
      return
    }
    const isLess = this.#derived.has(id) && hasMasked(record)
    if (!isLess) {
      const version = this.versionsOf(id) + 1
      this.#versions.set(id, version)
      this.#batches.add(id, record, version)
    }
    this.#note(id, record)
    this.#live.add(id)
    this.#abandoned.delete(id)
  }

  #note(id: string, record: JsonObject): void {
    this.#derived.set(id, [id, ...callsOf(record).map((call) => resultId(id, call))])
    const callIds = [...callIdsIn(record), ...callsOf(record).flatMap((call) => textAt(call, 'id') ?? [])]
    for (const callId of callIds) this.#callers.set(callId, id)
  }

  /** Says whether a record has nothing but results, and notes to which messages they belong. */
  #isResults(id: string, record: JsonObject): boolean {
    const responses = responsesOf(record)
    for (const response of responses) {
      const caller = this.#callers.get(textAt(response, 'id') ?? '')
      if (caller !== undefined) this.#derived.get(caller)?.push(resultId(id, response))
    }
    return responses.length > 0
  }

  #rewind(to: string): void {
    const live = [...this.#live]
    // An unknown id takes everything back.
    for (const id of live.slice(Math.max(0, live.indexOf(to)))) {
      this.#live.delete(id)
      this.#abandoned.add(id)
    }
    // Summarised messages do not return when their summary is removed.
    for (const { gone, fresh } of this.#exchanges) {
      if (fresh.isSubsetOf(this.#abandoned)) for (const id of gone) this.#abandoned.add(id)
    }
  }

  #set(changes: JsonObject): void {
    if (!Array.isArray(changes.messages)) {
      this.#checkpoints.push(null)
      return
    }
    const records = this.#calls.restored(listAt(changes, 'messages').filter(isObject))
    const fresh = new Set<string>()
    const contexts = new Set<string>()
    const list: string[] = []
    for (const record of records) {
      const id = textAt(record, 'id')
      if (id === null || this.#isResults(id, record)) continue
      list.push(id)
      this.#abandoned.delete(id)
      if (this.#derived.has(id)) continue
      fresh.add(id)
      if (isSessionContext(contentOf(geminiBlocks(record.content)))) contexts.add(id)
      this.#note(id, record)
    }
    const stays = new Set([...list, ...this.#callersIn(records, fresh)])
    const gone = [...this.#live].filter((id) => !stays.has(id))
    // Nothing was said in its place, so it was taken back and not summarised.
    if (fresh.isSubsetOf(contexts)) for (const id of gone) this.#abandoned.add(id)
    else this.#exchanges.push({ gone, fresh })
    this.#live.clear()
    for (const id of stays) this.#live.add(id)
    this.#checkpoints.push({ gone: new Set(gone.flatMap((id) => this.#messagesOf(id))), fresh })
  }

  /**
   * Returns the live records with the calls of answers that a checkpoint keeps. Where an editor runs the agent, these calls
   * are in another record than their answer, and the checkpoint has them in the answer only.
   */
  #callersIn(records: readonly JsonObject[], fresh: ReadonlySet<string>): string[] {
    return records
      .filter((record) => !fresh.has(textAt(record, 'id') ?? ''))
      .flatMap((record) => callIdsIn(record).flatMap((callId) => this.#callers.get(callId) ?? []))
      .filter((id) => this.#live.has(id))
  }
}

/** Returns the id of the message that holds the result of a call. */
export const resultId = (id: string, call: JsonObject): string =>
  `${id}/${textAt(call, 'id') ?? textAt(call, 'name') ?? ''}`
