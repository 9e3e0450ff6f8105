import { sha256 } from '#core/hashing.ts'
import { BrokenChains } from '#core/ingest/transcripts/broken-chains.ts'
import { type BlockPart, contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { compactionPart, messageOf, neverSent, RecordClock, resultMessage } from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, typeName } from '#core/ingest/transcripts/read-lines.ts'
import type { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { geminiBlocks } from '../gemini/message.ts'
import { bookkeeping, isHarnessText, isSpoken, qwenFinish, recordTypes, resultsOf } from './record.ts'

type Session = {
  readonly id: string
  title: string | null
  /** The session from which the current record was copied, or null. */
  copiedFrom: string | null
  readonly givenUp: Set<string>
  /** The messages that the model is sent, in their order. */
  sent: { readonly externalIds: readonly string[]; readonly digest: string }[]
}

/** The second reading of a session. */
export class QwenReader {
  readonly #graph: RecordGraph
  readonly #clock: RecordClock
  readonly #fallback: string
  readonly #sessions = new Map<string, Session>()
  readonly #taken = new Set<string>()
  readonly #chains: BrokenChains

  constructor(graph: RecordGraph, source: TranscriptSource, fallback: string) {
    this.#graph = graph
    this.#chains = new BrokenChains(graph.breaks)
    this.#clock = new RecordClock(source.nowMs)
    this.#fallback = fallback
  }

  take(record: JsonObject, { line, details }: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(record, 'type') ?? ''
    const subtype = textAt(record, 'subtype')
    const uuid = textAt(record, 'uuid')
    this.#chains.reached(uuid, this.#sessionId(record))
    if (!recordTypes.has(type)) {
      out.push({ kind: 'skipped', line, reason: `unknown type of record: ${typeName(record.type)}` })
    } else if (uuid !== null && this.#taken.has(uuid)) {
      out.push({ kind: 'repeated' })
    } else if (isSpoken(record) && uuid !== null) {
      this.#taken.add(uuid)
      const isLive = this.#graph.isLive(uuid)
      this.#takeSpoken(record, uuid, isLive ? details : { ...details, abandoned: true }, isLive, out)
    } else if (subtype === 'custom_title') {
      const title = textAt(objectAt(record, 'systemPayload'), 'customTitle')
      if (title !== null) this.#session(record, out).title = oneLine(title)
      out.push({ kind: 'other' })
    } else if (type === 'system' && subtype !== null && bookkeeping.has(subtype)) {
      out.push({ kind: 'other' })
    } else {
      const what = type === 'system' ? `system/${typeName(record.subtype)}` : type
      out.push({ kind: 'skipped', line, reason: `a record of type ${what} without a message that can be read` })
    }
  }

  end(): TranscriptRecord[] {
    return [...this.#sessions.values()].flatMap(({ id, title, givenUp }): TranscriptRecord[] => [
      { kind: 'given_up', sessionId: id, externalIds: givenUp },
      this.#chains.recordOf(id),
      ...(title === null ? [] : [{ kind: 'title' as const, sessionId: id, title }]),
    ])
  }

  #takeSpoken(
    record: JsonObject,
    uuid: string,
    details: MessageDetails,
    isLive: boolean,
    out: TranscriptRecord[],
  ): void {
    const createdAtMs = this.#clock.at(record.timestamp)
    const session = this.#session(record, out)
    session.copiedFrom = originOf(record)
    if (record.type === 'system') {
      this.#takeCompression(record, uuid, session, createdAtMs, details, isLive, out)
      return
    }
    const parts = listAt(objectAt(record, 'message'), 'parts')
    const results = resultsOf(record)
    for (const [at, result] of results.entries()) {
      const externalId = at === 0 ? uuid : `${uuid}#${at}`
      this.#push(session, resultMessage({ externalId, ...result, createdAtMs, details }), isLive, out)
    }
    const said = parts.filter((part) => !isObject(part) || !isObject(part.functionResponse))
    const resultIds = results.map((_, at) => (at === 0 ? uuid : `${uuid}#${at}`))
    if (said.length === 0 && results.length > 0) {
      this.#note(session, resultIds, parts, isLive)
      return
    }
    const blocks = geminiBlocks(said)
    const role = record.type === 'assistant' ? ('assistant' as const) : ('user' as const)
    const externalId = results.length === 0 ? uuid : `${uuid}#said`
    const facts = role === 'user' ? this.#userDetails(record, blocks, session, details, isLive) : details
    const finish = role === 'assistant' ? qwenFinish(record) : null
    const more = finish === null ? [] : [finish]
    this.#push(session, messageOf({ externalId, role, blocks, createdAtMs, details: facts, more }), isLive, out)
    this.#note(session, [...resultIds, externalId], parts, isLive)
    // What was spoken over a voice connection is never sent to the model of the session.
    if (isLive && record.subtype === 'realtime_message') out.push(neverSent(session.id, externalId, createdAtMs))
  }

  #userDetails(
    record: JsonObject,
    blocks: readonly BlockPart[],
    session: Session,
    details: MessageDetails,
    isLive: boolean,
  ): MessageDetails {
    const provenance = textAt(record, 'provenance') ?? 'real_user'
    const typed = blocks.map(({ text }) => text ?? '').find((text) => text.trim() !== '' && !isHarnessText(text))
    if (provenance !== 'real_user' || typed === undefined) return { ...details, harness: true }
    if (isLive) session.title ??= oneLine(typed)
    return details
  }

  /**
   * The record holds the new window in the clear: the summary, an acknowledgement of the model, and the newest messages
   * again. What stands in it again stays in the window as the message that it is.
   */
  #takeCompression(
    record: JsonObject,
    uuid: string,
    session: Session,
    createdAtMs: number,
    details: MessageDetails,
    isLive: boolean,
    out: TranscriptRecord[],
  ): void {
    const payload = objectAt(record, 'systemPayload')
    const info = objectAt(payload, 'info')
    const window = listAt(payload, 'compressedHistory').filter(isObject)
    const digests = window.map(({ parts }) => digestOf(parts))
    const kept = withoutOpenResults(keptMessages(session.sent, digests), window)
    const [first, ...rest] = window.slice(0, window.length - kept.length)
    const blocks = first ? geminiBlocks(first.parts) : []
    const trigger = textAt(info, 'triggerReason')
    const isAuto = trigger === null ? null : trigger !== 'manual'
    const facts = {
      preTokens: countAt(info, 'originalTokenCount') ?? undefined,
      postTokens: countAt(info, 'newTokenCount') ?? undefined,
    }
    const harness = { ...details, harness: true }
    const more = [compactionPart(isAuto, facts)]
    const summary = messageOf({ externalId: uuid, role: 'user', blocks, createdAtMs, details: harness, more })
    this.#push(session, summary, isLive, out)
    if (isLive) {
      out.push({
        kind: 'compaction',
        sessionId: session.id,
        key: uuid,
        text: contentOf(blocks),
        atMs: createdAtMs,
        isAuto,
        model: textAt(record, 'model'),
        recordedBy: [uuid],
        replaced: { kind: 'all_but', kept: new Set(kept.flatMap(({ externalIds }) => externalIds)) },
      })
      session.sent = [{ externalIds: [uuid], digest: digests[0] ?? '' }]
    }
    for (const [at, { role, parts }] of rest.entries()) {
      const externalId = `${uuid}#${at + 1}`
      const speaker = role === 'model' ? ('assistant' as const) : ('user' as const)
      const [result] = resultsOf({ message: { parts } })
      const said = { externalId, role: speaker, blocks: geminiBlocks(parts), createdAtMs, details: harness }
      const message = result ? resultMessage({ externalId, ...result, createdAtMs, details: harness }) : messageOf(said)
      this.#push(session, message, isLive, out)
      this.#note(session, [externalId], parts, isLive)
    }
    if (isLive) session.sent.push(...kept)
  }

  #push(
    session: Session,
    message: Extract<TranscriptRecord, { kind: 'message' }>['message'],
    isLive: boolean,
    out: TranscriptRecord[],
  ): void {
    if (!isLive && message.externalId !== null) session.givenUp.add(message.externalId)
    this.#chains.said(session.id, message.externalId)
    const copiedFrom = session.copiedFrom === null ? [] : [session.copiedFrom]
    out.push({ kind: 'message', sessionId: session.id, message, copiedFrom })
  }

  #note(session: Session, externalIds: readonly string[], parts: unknown, isLive: boolean): void {
    if (isLive) session.sent.push({ externalIds, digest: digestOf(parts) })
  }

  /** A sub-agent has a file of its own, whose records name it beside the session. */
  #session(record: JsonObject, out: TranscriptRecord[]): Session {
    const id = this.#sessionId(record)
    const known = this.#sessions.get(id)
    if (known) return known
    const session: Session = { id, title: null, copiedFrom: null, givenUp: new Set(), sent: [] }
    this.#sessions.set(id, session)
    const startedAtMs = this.#clock.at(record.timestamp)
    const main = textAt(record, 'sessionId') ?? this.#fallback
    const origin = id === main ? originOf(record) : null
    const parentSessionId = id === main ? origin : main
    const fork = origin === null ? {} : { hasOwnCopies: true }
    out.push({ kind: 'session', sessionId: id, parentSessionId, cwd: textAt(record, 'cwd'), startedAtMs, ...fork })
    return session
  }

  #sessionId(record: JsonObject): string {
    const main = textAt(record, 'sessionId') ?? this.#fallback
    const agentId = record.isSidechain === true ? textAt(record, 'agentId') : null
    return agentId === null ? main : `${main}/agent-${agentId}`
  }
}

/** A fork has copies of the records that its parent had then, under the same ids. Each names the parent. */
const originOf = (record: JsonObject): string | null => textAt(objectAt(record, 'forkedFrom'), 'sessionId')

const digestOf = (parts: unknown): string => sha256(JSON.stringify(parts ?? null), 'base64').slice(0, 16)

/** The longest end of what was sent that is also the end of the new window. */
function keptMessages(sent: Session['sent'], digests: readonly string[]): Session['sent'] {
  let kept = 0
  while (kept < sent.length && kept < digests.length && sent.at(-1 - kept)?.digest === digests.at(-1 - kept)) kept += 1
  return kept === 0 ? [] : sent.slice(-kept)
}

/**
 * Returns what is kept without results at its beginning. In the middle of a turn their call stands in the acknowledgement
 * of the summary, which is a message of its own, and they follow it.
 */
function withoutOpenResults(kept: Session['sent'], window: readonly JsonObject[]): Session['sent'] {
  const first = window.slice(window.length - kept.length).findIndex((message) => resultsOf({ message }).length === 0)
  return first === -1 ? [] : kept.slice(first)
}
