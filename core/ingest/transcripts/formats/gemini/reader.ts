import { basename } from 'node:path'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { compactionPart, messageOf, neverSent, RecordClock, resultMessage } from '#core/ingest/transcripts/parts.ts'
import { isMasked } from '#core/ingest/transcripts/placeholders.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import type { CallBatch } from './call-batches.ts'
import { CallIds, callIdsIn } from './call-ids.ts'
import {
  answerBlocks,
  answerFinish,
  callResult,
  callsOf,
  geminiBlocks,
  hasMasked,
  isSessionContext,
  recordTypes,
  responsesOf,
} from './message.ts'
import { type Checkpoint, type GeminiSurvey, resultId } from './survey.ts'

/** The second reading of lines, or the only reading of a document. */
export class GeminiReader {
  readonly #source: TranscriptSource
  readonly #survey: GeminiSurvey
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  readonly #versions = new Map<string, number>()
  readonly #told = new Set<string>()
  /** Calls whose result was emitted, with the id of its message. */
  readonly #answered = new Map<string, string>()
  readonly #calls = new CallIds()
  /** How many results of each call are in the history with which the session was resumed last. */
  #resent: ReadonlyMap<string, number> = new Map()
  /** The texts in the place of masked results, by the id of their message. */
  readonly #masked = new Map<string, string>()
  #header: JsonObject = {}
  #checkpoints = 0
  #sessionId: string | null = null
  #title: string | null = null
  #summary: string | null = null

  constructor(source: TranscriptSource, survey: GeminiSurvey) {
    this.#source = source
    this.#survey = survey
    this.#clock = new RecordClock(source.nowMs)
  }

  /** Takes what is known of the session before its first message. */
  open(header: JsonObject): void {
    this.#header = header
    this.#clock.at(header.startTime)
  }

  takeMetadata(changes: JsonObject): void {
    this.#summary = textAt(changes, 'summary') ?? this.#summary
  }

  take(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    if (isObject(record.$set)) {
      this.#takeSet(record.$set, origin, out)
    } else if ('$rewindTo' in record) {
      out.push({ kind: 'other' })
    } else if (recordTypes.has(textAt(record, 'type') ?? '')) {
      this.#takeVersion(record, origin.details, out)
    } else if (textAt(record, 'sessionId') !== null) {
      if (this.#sessionId === null) this.open(record)
      this.takeMetadata(record)
      out.push({ kind: 'other' })
    } else {
      const type = textAt(record, 'type')
      const reason = type === null ? 'a record without a type' : `unknown type of record: ${type.slice(0, 60)}`
      out.push({ kind: 'skipped', line: origin.line, reason })
    }
  }

  end(): TranscriptRecord[] {
    const title = this.#summary === null ? this.#title : oneLine(this.#summary)
    const sessionId = this.#sessionId
    if (sessionId === null) return []
    const givenUp: TranscriptRecord = { kind: 'given_up', sessionId, externalIds: this.#survey.givenUp() }
    const rest = [...this.#masking(sessionId), givenUp, this.#sentAgain(sessionId)]
    return title === null ? rest : [...rest, { kind: 'title', sessionId, title }]
  }

  /** The last record of an id is the message. The records before it are earlier states. */
  #takeVersion(record: JsonObject, details: MessageDetails, out: TranscriptRecord[]): void {
    this.#calls.note(record)
    const responses = responsesOf(record)
    if (responses.length > 0) {
      this.#takeResponses(record, responses, details, out)
      return
    }
    const id = textAt(record, 'id')
    if (id === null) {
      this.#emit(record, details, out)
      return
    }
    if (hasMasked(record)) {
      this.#noteMasked(id, record)
      // It has less content than the record before it.
      if (this.#versions.has(id) || this.#told.has(id)) {
        out.push({ kind: 'other' })
        return
      }
    }
    const version = (this.#versions.get(id) ?? 0) + 1
    this.#versions.set(id, version)
    const batch = this.#survey.batchEndingWith(id, version)
    if (batch !== null) this.#emitBatch(record, id, batch, details, out)
    else if (version < this.#survey.versionsOf(id)) out.push({ kind: 'other' })
    else this.#emit(record, details, out)
  }

  /** What the record says and used belongs to its first calls. */
  #emitBatch(
    record: JsonObject,
    id: string,
    { externalId, callIds }: CallBatch,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const toolCalls = callsOf(record).filter((call) => callIds.has(textAt(call, 'id') ?? ''))
    const timestamp = toolCalls.find((call) => call.timestamp !== undefined)?.timestamp
    const own = externalId === id ? {} : { id: externalId, content: '', thoughts: [], tokens: null, timestamp }
    const given = this.#survey.isAbandoned(id) ? { ...details, abandoned: true } : details
    this.#emit({ ...record, ...own, toolCalls }, given, out)
  }

  /** A result is in the file twice: beside its call, and as the next record of the user. */
  #takeResponses(
    record: JsonObject,
    responses: readonly JsonObject[],
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const fresh = responses.filter((response) => !this.#answered.has(textAt(response, 'id') ?? ''))
    if (fresh.length === 0) out.push({ kind: 'other' })
    const createdAtMs = this.#clock.at(record.timestamp)
    for (const functionResponse of fresh) {
      const callId = textAt(functionResponse, 'id')
      const sessionId = this.#session(createdAtMs, out)
      const result = callResult({ result: [{ functionResponse }] }) ?? { output: '', isError: false }
      const isError = textAt(objectAt(functionResponse, 'response'), 'error') !== null
      const externalId = this.#ids.named(`${textAt(record, 'id') ?? 'response'}/${callId ?? ''}`)
      const given = { callId, name: textAt(functionResponse, 'name'), output: result.output, isError }
      if (callId !== null) this.#answered.set(callId, externalId)
      out.push({ kind: 'message', sessionId, message: resultMessage({ externalId, ...given, createdAtMs, details }) })
    }
  }

  #takeSet(changes: JsonObject, { details }: RecordOrigin, out: TranscriptRecord[]): void {
    const checkpoint = this.#survey.checkpoint(this.#checkpoints)
    this.#checkpoints += 1
    this.takeMetadata(changes)
    out.push({ kind: 'other' })
    if (checkpoint === null) return
    const records = this.#calls.restored(listAt(changes, 'messages').filter(isObject))
    this.#resent = countOf(records.flatMap(responsesOf).flatMap((response) => textAt(response, 'id') ?? []))
    const isFresh = (record: JsonObject): boolean =>
      responsesOf(record).length === 0 && checkpoint.fresh.has(textAt(record, 'id') ?? '')
    const fresh = records.filter(isFresh)
    const summary = checkpoint.gone.size === 0 ? undefined : summaryAmong(fresh)
    for (const record of records) {
      const id = textAt(record, 'id')
      if (id !== null) this.#noteMasked(id, record)
    }
    for (const record of records) {
      const responses = responsesOf(record)
      if (responses.some(({ id }) => !this.#answered.has(String(id)))) {
        this.#takeResponses(record, responses, details, out)
      }
      if (!isFresh(record)) continue
      if (record !== summary && this.#survey.versionsOf(textAt(record, 'id') ?? '') > 0) continue
      // The results of a call that was written again follow it.
      for (const callId of callIdsIn(record)) this.#answered.delete(callId)
      this.#emit(record, record === summary ? { ...details, harness: true } : details, out, record === summary)
      if (record === summary) this.#emitCompaction(record, checkpoint, out)
    }
  }

  #emitCompaction(summary: JsonObject, { gone }: Checkpoint, out: TranscriptRecord[]): void {
    const id = textAt(summary, 'id')
    if (id === null || this.#sessionId === null || this.#survey.isAbandoned(id)) return
    out.push({
      kind: 'compaction',
      sessionId: this.#sessionId,
      key: id,
      text: contentOf(geminiBlocks(summary.content)),
      atMs: this.#clock.at(summary.timestamp),
      isAuto: null,
      model: textAt(summary, 'model'),
      recordedBy: [id],
      replaced: { kind: 'these', externalIds: gone, summaries: gone },
    })
  }

  #emit(record: JsonObject, given: MessageDetails, out: TranscriptRecord[], isSummary = false): void {
    const createdAtMs = this.#clock.at(record.timestamp)
    const sessionId = this.#session(createdAtMs, out)
    const externalId = textAt(record, 'id') ?? this.#ids.next('record', JSON.stringify(record))
    if (this.#told.has(externalId)) {
      out.push({ kind: 'repeated' })
      return
    }
    this.#told.add(externalId)
    const details = this.#survey.isAbandoned(externalId) ? { ...given, abandoned: true } : given
    if (record.type === 'gemini' && !isSummary) {
      const answer = { blocks: answerBlocks(record), finish: answerFinish(record), createdAtMs, details }
      out.push({ kind: 'answer', sessionId, externalId, ...answer })
      this.#emitResults(record, externalId, details, createdAtMs, out)
      return
    }
    const blocks = geminiBlocks(record.content)
    const isContext = isSessionContext(contentOf(blocks))
    const isTyped = record.type === 'user' && !isSummary && !isContext
    if (isTyped && details.abandoned !== true) this.#nameAfter(contentOf(blocks))
    const isNotice = record.type !== 'user' && record.type !== 'gemini'
    const notice: MessageDetails = isNotice ? { notice: String(record.type) } : {}
    const facts = isNotice || isContext ? { ...details, harness: true, ...notice } : details
    const more = isSummary ? [compactionPart(null)] : []
    const message = messageOf({ externalId, role: 'user', blocks, createdAtMs, details: facts, more })
    out.push({ kind: 'message', sessionId, message })
    if (isNotice) out.push(neverSent(sessionId, externalId, createdAtMs))
  }

  #emitResults(record: JsonObject, id: string, details: MessageDetails, atMs: number, out: TranscriptRecord[]): void {
    const sessionId = this.#session(atMs, out)
    for (const call of callsOf(record)) {
      const result = callResult(call)
      if (result === null) continue
      const given = { callId: textAt(call, 'id'), name: textAt(call, 'name'), ...result }
      const externalId = this.#ids.named(resultId(id, call))
      if (given.callId !== null) this.#answered.set(given.callId, externalId)
      // The stored result of an earlier import says more, or the same.
      if (isMasked(result.output) && this.#source.storedBlocks(sessionId, externalId) !== undefined) {
        out.push({ kind: 'repeated' })
        continue
      }
      const message = resultMessage({ externalId, ...given, createdAtMs: this.#clock.at(call.timestamp), details })
      out.push({ kind: 'message', sessionId, message })
    }
  }

  #noteMasked(id: string, record: JsonObject): void {
    for (const call of callsOf(record)) {
      const output = callResult(call)?.output ?? ''
      if (isMasked(output)) this.#masked.set(resultId(id, call), output)
    }
  }

  /** Each resume adds a copy of a result to the history that the model is sent. The memory has it once. */
  #sentAgain(sessionId: string): TranscriptRecord {
    const copies = new Map<string, number>()
    for (const [callId, times] of this.#resent) {
      const externalId = this.#answered.get(callId)
      if (externalId !== undefined && times > 1) copies.set(externalId, times - 1)
    }
    return { kind: 'sent_again', sessionId, copies }
  }

  /** Emits outputs that the agent moved into files. The transcript does not say when. */
  #masking(sessionId: string): TranscriptRecord[] {
    if (this.#masked.size === 0) return []
    const outputs = Array.from(this.#masked, ([externalId, seen]) => ({ externalId, seen }))
    const key = `masked up to ${outputs.at(-1)?.externalId}`
    const atMs = this.#clock.at(undefined)
    return [{ kind: 'pruning', sessionId, key, by: 'masking', atMs, isAuto: true, toldTokens: null, outputs }]
  }

  #nameAfter(text: string): void {
    if (text.trim() !== '') this.#title ??= oneLine(text)
  }

  #session(startedAtMs: number, out: TranscriptRecord[]): string {
    if (this.#sessionId !== null) return this.#sessionId
    const header = this.#header
    const sessionId = textAt(header, 'sessionId') ?? `file:${basename(this.#source.path)}`
    this.#sessionId = sessionId
    const folder = listAt(header, 'directories').find((entry) => typeof entry === 'string')
    const cwd = typeof folder === 'string' ? folder : textAt(header, 'projectHash')
    this.#summary ??= textAt(header, 'summary')
    out.push({ kind: 'session', sessionId, parentSessionId: textAt(header, 'parentSessionId'), cwd, startedAtMs })
    return sessionId
  }
}

function countOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/**
 * Returns the record that summarises what was removed: the snapshot of the agent, or else the first record that was
 * added. The context of a session that begins again is no summary.
 */
const summaryAmong = (fresh: readonly JsonObject[]): JsonObject | undefined =>
  fresh.find((record) => /<state_snapshot>|<compressed/.test(contentOf(geminiBlocks(record.content)))) ??
  fresh.find((record) => {
    const text = contentOf(geminiBlocks(record.content))
    return text.trim() !== '' && !isSessionContext(text)
  })
