import { basename } from 'node:path'
import type { NewPart } from '#core/ingest/new-message.ts'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import type { SessionRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  callBlock,
  compactionPart,
  finishPart,
  messageOf,
  RecordClock,
  reasoningBlock,
  resultMessage,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { whyUnknown } from './events.ts'
import { ItemIds } from './item-ids.ts'
import { type CodexItem, isOldHeader, itemOf, type KnownItem, replacementOf } from './items.ts'
import { type ItemKind, LiveItems } from './live-items.ts'
import type { CodexPlace } from './place.ts'
import type { Rollout } from './rollouts.ts'
import { type CodexSurvey, isContext } from './survey.ts'

/** The lines of a copied history are written at once. A pause as long as this ends it. */
const PAUSE_MS = 250

/** The second reading of a rollout. */
export class CodexReader {
  readonly #source: TranscriptSource
  /** Where this reading begins, or null at the beginning of the file. */
  readonly #from: CodexPlace | null
  readonly #survey: CodexSurvey
  readonly #clock: RecordClock
  readonly #ids = new ItemIds()
  readonly #toolNames = new Map<string, string>()
  readonly #live = new LiveItems()
  #sessionId: string | null = null
  /** The sessions whose history is copied at the beginning of this file, while that part is read. */
  #copiedFrom: readonly string[] = []
  #latestLineMs: number | null = null
  #title: string | null = null
  #model: string | null
  /** Whether everything was said in this session, and each text of a person is known to be typed or not. */
  #isPlain: boolean
  #takenBackFrom = Number.POSITIVE_INFINITY
  /** Whether the record was taken back in a later file. */
  #isTakenBack = false
  /** How the survey numbers the lines of the file. */
  #lineOf = (line: number): number => line

  /** @param isNewest whether the session has no later file, so that a later reading may go on from the end of this one */
  constructor(
    source: TranscriptSource,
    survey: CodexSurvey,
    { from, isNewest }: { readonly from: CodexPlace | null; readonly isNewest: boolean },
  ) {
    this.#source = source
    this.#from = from
    this.#isPlain = isNewest
    this.#model = from?.model ?? null
    this.#survey = survey
    this.#clock = new RecordClock(source.nowMs)
  }

  /** Begins with the next file of the session. */
  begin({ takenBackFrom }: Rollout, lineOf: (line: number) => number): void {
    this.#takenBackFrom = takenBackFrom
    this.#lineOf = lineOf
  }

  take(record: JsonObject, { line, details }: RecordOrigin, out: TranscriptRecord[]): void {
    const ordinal = countAt(record, 'ordinal')
    this.#isTakenBack = ordinal !== null && ordinal >= this.#takenBackFrom
    // A fork names the number of the record at which it begins.
    const origin = { line, details: ordinal === null ? details : { ...details, ordinal } }
    const atMs = this.#clock.at(record.timestamp)
    const payload = isObject(record.payload) ? record.payload : null
    if (payload === null) {
      this.#takeBare(record, origin, atMs, out)
      return
    }
    this.#noteEndOfCopy(record, payload, atMs)
    switch (record.type) {
      case 'session_meta':
        this.#takeMeta(payload, atMs, out)
        return
      case 'response_item':
        this.#takeItem(payload, origin, atMs, out)
        return
      case 'compacted':
        this.#takeCompacted(payload, origin.details, atMs, out)
        return
      case 'turn_context':
        this.#model = textAt(payload, 'model') ?? this.#model
        out.push({ kind: 'other' })
        return
      case 'event_msg':
        if (payload.type === 'thread_rolled_back') this.#live.rollBack(countAt(payload, 'num_turns') ?? 0)
        out.push(eventRecord(payload, origin.line))
        return
      case 'token_usage_record':
      case 'world_state':
      case 'inter_agent_communication_metadata':
        out.push({ kind: 'other' })
        return
      default:
        out.push({
          kind: 'skipped',
          line: origin.line,
          reason: `unknown type of record: ${typeName(record.type)}`,
        })
    }
  }

  end(): TranscriptRecord[] {
    const declared: TranscriptRecord[] = []
    if (this.#from !== null) this.#session(this.#source.nowMs, declared)
    const [sessionId, externalIds] = [this.#sessionId, this.#live.givenUp]
    const title = this.#from?.title ?? this.#survey.name ?? this.#title
    if (sessionId === null) return []
    const place = this.#source.place === undefined ? null : this.#place(sessionId, title)
    return [
      ...declared,
      ...(externalIds.size === 0 ? [] : [{ kind: 'given_up', sessionId, externalIds } as const]),
      ...(title === null ? [] : [{ kind: 'title', sessionId, title } as const]),
      ...(place === null ? [] : [{ kind: 'read_to', sessionId, place } as const]),
    ]
  }

  /** From where a later reading can go on, or null when it cannot. */
  #place(sessionId: string, title: string | null): CodexPlace | null {
    const { hasTyped, ...usage } = this.#survey.place
    const from = this.#from
    // What the header says is stored with the first message.
    if (from === null && this.#ids.areEmpty) return null
    // The first text that is known to be typed says of those before it that they were not.
    if (title === null || !this.#isPlain || (from !== null && hasTyped && !from.hasTyped)) return null
    return { sessionId, title, model: this.#model, ...usage, hasTyped: from?.hasTyped ?? hasTyped }
  }

  /** The first versions wrote items without a wrapper, below a header. */
  #takeBare(record: JsonObject, origin: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    if (isOldHeader(record)) this.#takeMeta(record, atMs, out)
    else if (textAt(record, 'type') !== null) this.#takeItem(record, origin, atMs, out)
    else if (textAt(record, 'record_type') !== null) out.push({ kind: 'other' })
    else out.push({ kind: 'skipped', line: origin.line, reason: 'a record without a type' })
  }

  #takeMeta(meta: JsonObject, atMs: number, out: TranscriptRecord[]): void {
    const id = textAt(meta, 'id') ?? textAt(meta, 'session_id')
    if (this.#sessionId === null) {
      this.#declare(id, meta, atMs, out)
    } else if (id !== null && id !== this.#sessionId) {
      this.#copiedFrom = [...new Set([...this.#copiedFrom, id])]
      this.#isPlain = false
    }
    out.push({ kind: 'other' })
  }

  #declare(id: string | null, meta: JsonObject, atMs: number, out: TranscriptRecord[]): string {
    const sessionId = id ?? `file:${basename(this.#source.path)}`
    this.#sessionId = sessionId
    const spawn = objectAt(objectAt(objectAt(meta, 'source'), 'subagent'), 'thread_spawn')
    const named = textAt(meta, 'agent_nickname') ?? textAt(spawn, 'agent_nickname')
    const role = textAt(meta, 'agent_role') ?? textAt(spawn, 'agent_role')
    const session: SessionRecord = {
      kind: 'session',
      sessionId,
      parentSessionId:
        textAt(meta, 'forked_from_id') ?? textAt(meta, 'parent_thread_id') ?? textAt(spawn, 'parent_thread_id'),
      title:
        this.#from?.title ??
        this.#survey.name ??
        (named === null ? null : role === null ? named : `${named} (${role})`),
      cwd: textAt(meta, 'cwd'),
      startedAtMs: atMs,
      forkedAtOrdinal: countAt(meta, 'forked_from_ordinal_exclusive'),
    }
    this.#isPlain &&= session.parentSessionId === null
    out.push(session)
    return sessionId
  }

  #session(atMs: number, out: TranscriptRecord[]): string {
    return this.#sessionId ?? this.#declare(this.#from?.sessionId ?? null, {}, atMs, out)
  }

  /** A copied history ends with the first turn of the session itself. Ids of turns and sessions rise with time. */
  #noteEndOfCopy(record: JsonObject, payload: JsonObject, atMs: number): void {
    const before = this.#latestLineMs
    this.#latestLineMs = atMs
    if (this.#copiedFrom.length === 0 || record.type === 'session_meta') return
    const turn = textAt(payload, 'turn_id')
    const isOwnTurn = turn !== null && this.#sessionId !== null && isTimeOrdered(turn) && turn >= this.#sessionId
    if (isOwnTurn || (before !== null && atMs - before >= PAUSE_MS)) this.#copiedFrom = []
  }

  #takeItem(item: JsonObject, origin: RecordOrigin, atMs: number, out: TranscriptRecord[]): void {
    const read = itemOf(item)
    if (read.kind === 'unknown') {
      const reason = `unknown type of response item: ${typeName(item.type)}`
      out.push({ kind: 'skipped', line: origin.line, reason })
    } else if (read.kind === 'silent') {
      out.push({ kind: 'other' })
    } else {
      this.#emit(item, read, origin.details, atMs, out, this.#finishAt(origin.line))
    }
  }

  #finishAt(line: number): readonly NewPart[] {
    const usage = this.#survey.usageAt(this.#lineOf(line))
    if (usage === null) return []
    const { input: stepTokensIn, output: stepTokensOut, cached: cacheRead, cacheWrite } = usage
    return [finishPart({ model: this.#model, stepTokensIn, stepTokensOut, cacheRead, cacheWrite })]
  }

  #emit(
    item: JsonObject,
    read: KnownItem,
    details: MessageDetails,
    createdAtMs: number,
    out: TranscriptRecord[],
    more: readonly NewPart[] = [],
  ): void {
    const sessionId = this.#session(createdAtMs, out)
    const externalId = this.#ids.of(item, read)
    if (this.#isTakenBack) this.#live.givenUp.add(externalId)
    else this.#live.add(externalId, this.#kindOf(item, read))
    const copiedFrom = this.#copiedFrom
    const known: MessageDetails = { ...details, ...(copiedFrom.length > 0 ? { copied: true } : {}) }
    const add = (message: Parameters<typeof messageOf>[0]): void => {
      out.push({ kind: 'message', sessionId, message: messageOf(message), copiedFrom })
    }
    switch (read.kind) {
      case 'said': {
        const text = contentOf(read.blocks)
        const author = textAt(item, 'author')
        const isInjected = read.role === 'user' && (author !== null || this.#survey.isInjected(text))
        if (this.#from?.hasTyped && read.role === 'user' && author === null)
          this.#isPlain &&= isContext(text) || this.#survey.isTyped(text)
        if (read.role === 'user' && !isInjected && copiedFrom.length === 0)
          this.#title ??= oneLine(wordsIn(read.blocks))
        const facts: MessageDetails = {
          ...known,
          ...(isInjected ? { harness: true } : {}),
          ...(author === null ? {} : { author }),
          ...(read.role === 'assistant' && this.#model !== null ? { model: this.#model } : {}),
        }
        add({ externalId, role: read.role, blocks: read.blocks, createdAtMs, details: facts, more })
        return
      }
      case 'thought':
        add({ externalId, role: 'assistant', blocks: [reasoningBlock(read.text)], createdAtMs, details: known, more })
        return
      case 'call': {
        const { id, name } = read.call
        if (id !== null && name !== null) this.#toolNames.set(id, name)
        add({ externalId, role: 'assistant', blocks: [callBlock(read.call)], createdAtMs, details: known, more })
        return
      }
      default: {
        const name = read.callId === null ? null : (this.#toolNames.get(read.callId) ?? null)
        const message = resultMessage({ ...read, externalId, name, createdAtMs, details: known })
        out.push({ kind: 'message', sessionId, message, copiedFrom })
      }
    }
  }

  #kindOf(item: JsonObject, read: CodexItem): ItemKind {
    if (read.kind !== 'said' || read.role === 'assistant') return 'rest'
    const isTyped = read.role === 'user' && textAt(item, 'author') === null
    return isTyped && !this.#survey.isInjected(contentOf(read.blocks)) ? 'turn' : 'context'
  }

  /**
   * The window was replaced by a list of items: earlier ones word for word, new context, and a summary, readable or
   * encrypted.
   */
  #takeCompacted(payload: JsonObject, details: MessageDetails, atMs: number, out: TranscriptRecord[]): void {
    const sessionId = this.#session(atMs, out)
    const items = replacementOf(payload)
    const { kept, fresh } = this.#ids.compare(items)
    const summary = fresh.at(-1) === items.at(-1) ? summaryIn(fresh.at(-1), this.#survey) : null
    const text = textAt(payload, 'message') ?? summary
    const externalId = this.#ids.ofCompaction(payload)
    const message = messageOf({
      externalId,
      role: 'user',
      blocks: text === null ? [] : [textBlock(text)],
      createdAtMs: atMs,
      details: { ...details, harness: true },
      more: [compactionPart(null, { kept: kept.size })],
    })
    out.push({ kind: 'message', sessionId, message, copiedFrom: this.#copiedFrom })
    const compaction = {
      key: externalId,
      text,
      atMs,
      isAuto: null,
      model: this.#model,
      recordedBy: [externalId],
    } as const
    if (this.#isTakenBack) this.#live.givenUp.add(externalId)
    else {
      out.push({ kind: 'compaction', sessionId, ...compaction, replaced: { kind: 'all_but', kept } })
      this.#live.compacted()
    }
    for (const item of fresh) {
      if (summary !== null && summary === text && item === items.at(-1)) continue
      const read = itemOf(item)
      if (read.kind === 'unknown' || read.kind === 'silent') continue
      this.#emit(item, read, { ...details, harness: true }, atMs, out)
    }
  }
}

function eventRecord(event: JsonObject, line: number): TranscriptRecord {
  const reason = whyUnknown(event)
  return reason === null ? { kind: 'other' } : { kind: 'skipped', line, reason }
}

/** What a person wrote beside pictures, each of which stands between tags of the program. */
function wordsIn(blocks: Extract<CodexItem, { kind: 'said' }>['blocks']): string {
  const words = blocks.filter(({ part, text }) => part.type === 'text' && !/^\s*<\/?image\b/.test(text ?? ''))
  return contentOf(words.length === 0 ? blocks : words)
}

/** Returns the text that closes the new window, which neither a person typed nor the program added as context. */
function summaryIn(item: JsonObject | undefined, survey: CodexSurvey): string | null {
  const read = item ? itemOf(item) : null
  if (read?.kind !== 'said' || read.role === 'system') return null
  const text = contentOf(read.blocks)
  return text.trim() === '' || survey.isTyped(text) || isContext(text) ? null : text
}

/** A UUID of version 7 begins with its time. https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7 */
const isTimeOrdered = (id: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)
