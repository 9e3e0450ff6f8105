import { basename } from 'node:path'
import type { NewPart } from '#core/ingest/new-message.ts'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type {
  CompactionRecord,
  HeldRecord,
  PruningRecord,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  compactionPart,
  finishPart,
  messageOf,
  neverSent,
  RecordClock,
  textBlock,
  timeOf,
  withCache,
} from '#core/ingest/transcripts/parts.ts'
import { CLEARED } from '#core/ingest/transcripts/placeholders.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import type { DynamicPruning } from './dynamic-pruning.ts'
import { lastSnapshot, openCodeBlocks, openCodeResult, prunedAt, resultId } from './parts.ts'

/** A request to compact by a person or the program. The answer to it is the summary. */
type Request = { readonly id: string; readonly isAuto: boolean | null; readonly tailFrom: string | null }

type PrunedPart = { readonly externalId: string; readonly atMs: number }

/** MessageDetails at most this far apart belong to one pruning. */
const ONE_PRUNING_MS = 5_000

type Known = {
  /** Messages that opencode removed later. */
  readonly removed?: ReadonlySet<string>
  /** The session from which this one was forked. */
  readonly forkedFrom?: string | null
  /** The ids that its copies were given, by those that they have in the file. */
  readonly originals?: ReadonlyMap<string, string>
  /** What a plugin made of its window. */
  readonly plugin?: DynamicPruning | null
}

/** Converts the messages of one session, in order, into records. */
export class OpenCodeReader {
  readonly #source: TranscriptSource
  readonly #info: JsonObject
  readonly #known: Known
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  #sessionId: string | null = null
  #title: string | null = null
  #request: Request | null = null
  #pruned: PrunedPart[] = []
  /** True from the message on to which the person took the session back. */
  #isReverted = false
  readonly #givenUp = new Set<string>()
  /** The ids of all messages that were read, and of the results in their parts. */
  readonly #held = new Set<string>()

  constructor(source: TranscriptSource, info: JsonObject, known: Known = {}) {
    this.#source = source
    this.#info = info
    this.#known = known
    this.#clock = new RecordClock(source.nowMs)
    this.#clock.at(objectAt(info, 'time').created)
  }

  take(value: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const info = isObject(value) ? objectAt(value, 'info') : {}
    const role = textAt(info, 'role')
    if (!isObject(value) || (role !== 'user' && role !== 'assistant')) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'not a message with the role of a user or an assistant' })
      return
    }
    const parts = listAt(value, 'parts').filter(isObject)
    const createdAtMs = this.#clock.at(objectAt(info, 'time').created)
    const sessionId = this.#session(textAt(info, 'sessionID'), createdAtMs, out)
    const id = this.#ids.named(textAt(info, 'id') ?? this.#ids.next('message', JSON.stringify(value)))
    if (this.#isStoredCopy(sessionId, id, createdAtMs)) {
      out.push({ kind: 'repeated' })
      return
    }
    this.#held.add(id)
    this.#isReverted ||= id === this.#original(textAt(objectAt(this.#info, 'revert'), 'messageID'))
    const isGivenUp = this.#isReverted || this.#known.removed?.has(id) === true
    const details = isGivenUp ? { ...origin.details, abandoned: true } : origin.details
    const from = out.length
    if (role === 'user') this.#takeUser(sessionId, id, parts, createdAtMs, details, out)
    else this.#takeAssistant(sessionId, id, info, parts, createdAtMs, details, out)
    out.push(...(this.#known.plugin?.after(sessionId, id, info, parts) ?? []))
    const copiedFrom = this.#isFromBefore(createdAtMs) ? (this.#known.forkedFrom ?? null) : null
    if (!isGivenUp && copiedFrom === null) return
    // What was taken back is not sent any more, and what was copied is in the window of its origin: no compaction among
    // them changed this window.
    for (const record of out.splice(from)) {
      if (record.kind === 'compaction') continue
      const isSaid = record.kind === 'message' || record.kind === 'answer'
      const externalId = record.kind === 'message' ? record.message.externalId : isSaid ? record.externalId : null
      if (isGivenUp && externalId !== null) this.#givenUp.add(externalId)
      out.push(isSaid && copiedFrom !== null ? { ...record, copiedFrom: [copiedFrom] } : record)
    }
  }

  /** The file names a message by the id of its copy. */
  #original(id: string | null): string | null {
    return id === null ? null : (this.#known.originals?.get(id) ?? id)
  }

  /** Says whether a message is older than its session, as the copies in a fork are. */
  #isFromBefore(createdAtMs: number): boolean {
    return createdAtMs < (timeOf(objectAt(this.#info, 'time').created) ?? 0)
  }

  /**
   * Says whether a message of a fork is stored as that of its origin. Where the origin was deleted, or only the fork was
   * exported, nothing says which one it was.
   */
  #isStoredCopy(sessionId: string, externalId: string, createdAtMs: number): boolean {
    return (
      this.#known.forkedFrom == null &&
      isNamedAsFork(textAt(this.#info, 'title')) &&
      this.#isFromBefore(createdAtMs) &&
      this.#source.hasSession(sessionId) &&
      this.#source.storedBlocks(sessionId, externalId) === undefined
    )
  }

  /** Also says what the session holds, after the last of all its messages: opencode removes messages and parts of them. */
  endOfWhole(): TranscriptRecord[] {
    const changedAtMs = timeOf(objectAt(this.#info, 'time').updated)
    if (this.#sessionId === null || changedAtMs === null) return this.end()
    const held: HeldRecord = { kind: 'held', sessionId: this.#sessionId, externalIds: this.#held, changedAtMs }
    return [...this.end(), held]
  }

  /** Keeps a message that cannot be read from counting as removed. */
  hold(externalId: string): void {
    this.#held.add(externalId)
  }

  end(): TranscriptRecord[] {
    const title = textAt(this.#info, 'title') ?? this.#title
    if (this.#sessionId === null) return []
    const sessionId = this.#sessionId
    const version = textAt(this.#info, 'version')
    const rest: TranscriptRecord[] = [
      ...(version === null ? [] : [{ kind: 'written_by', version } as const]),
      ...this.#prunings(sessionId, Number.POSITIVE_INFINITY),
      ...(this.#known.plugin?.removals(sessionId) ?? []),
      { kind: 'given_up', sessionId, externalIds: this.#givenUp, compactions: this.#known.plugin?.takenBack },
    ]
    return title === null ? rest : [...rest, { kind: 'title', sessionId, title: oneLine(title) }]
  }

  /** Returns what was pruned up to a time and was not emitted. The parts of one pruning are marked one by one. */
  #prunings(sessionId: string, untilMs: number): PruningRecord[] {
    const due = this.#pruned.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)
    this.#pruned = this.#pruned.filter(({ atMs }) => atMs > untilMs)
    const groups: PrunedPart[][] = []
    for (const part of due) {
      const group = groups.at(-1)
      if (group && part.atMs - (group.at(-1)?.atMs ?? 0) <= ONE_PRUNING_MS) group.push(part)
      else groups.push([part])
    }
    return groups.map((group) => ({
      kind: 'pruning',
      sessionId,
      key: `pruned at ${group[0]?.atMs}`,
      by: 'pruning',
      atMs: group.at(-1)?.atMs ?? 0,
      isAuto: null,
      toldTokens: null,
      outputs: group.map(({ externalId }) => ({ externalId, seen: CLEARED })),
    }))
  }

  #takeUser(
    sessionId: string,
    externalId: string,
    parts: readonly JsonObject[],
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const blocks = openCodeBlocks(parts)
    const request = parts.find((part) => part.type === 'compaction')
    const isAuto = typeof request?.auto === 'boolean' ? request.auto : null
    this.#request = request
      ? { id: externalId, isAuto, tailFrom: this.#original(textAt(request, 'tail_start_id')) }
      : null
    const texts = parts.filter((part) => part.type === 'text')
    const isSynthetic = texts.length > 0 && texts.every((part) => part.synthetic === true)
    const typed = texts.find((part) => part.synthetic !== true)
    if (typed) this.#title ??= oneLine(textAt(typed, 'text') ?? '')
    const facts = isSynthetic || request ? { ...details, harness: true } : details
    const more = request ? [compactionPart(isAuto)] : []
    const message = messageOf({ externalId, role: 'user', blocks, createdAtMs, details: facts, more })
    out.push({ kind: 'message', sessionId, message, isComplete: true })
    // What a plugin tells the person alone.
    if (parts.length > 0 && parts.every(({ ignored }) => ignored === true)) {
      out.push(neverSent(sessionId, externalId, createdAtMs))
    }
  }

  #takeAssistant(
    sessionId: string,
    externalId: string,
    info: JsonObject,
    parts: readonly JsonObject[],
    createdAtMs: number,
    given: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const request = this.#request
    this.#request = null
    const error = textAt(objectAt(info, 'error'), 'name')
    const told = textAt(objectAt(objectAt(info, 'error'), 'data'), 'message')
    const details = error === null ? given : { ...given, error, ...(told === null ? {} : { errorMessage: told }) }
    for (const [n, part] of parts.filter(({ type }) => type === 'retry').entries()) {
      const id = this.#ids.named(textAt(part, 'id') ?? `${externalId}/retry ${n + 1}`)
      this.#takeError(
        sessionId,
        id,
        objectAt(part, 'error'),
        timeOf(objectAt(part, 'time').created) ?? createdAtMs,
        out,
      )
    }
    const said = openCodeBlocks(parts)
    const isSummary = info.summary === true
    const blocks = isSummary ? [...said, { part: compactionPart(request?.isAuto ?? null), text: null }] : said
    const isComplete = timeOf(objectAt(info, 'time').completed) !== null
    const answer = { externalId, blocks, createdAtMs, finish: finishOf(info, parts), details, isComplete }
    out.push({ kind: 'answer', sessionId, ...answer })
    for (const part of parts.filter((candidate) => candidate.type === 'tool')) {
      const id = this.#ids.named(resultId(externalId, part))
      const isRemoved = part.ignored === true
      const message = openCodeResult(part, id, createdAtMs, isRemoved ? { ...details, abandoned: true } : details)
      if (!message) continue
      this.#held.add(id)
      if (isRemoved) this.#givenUp.add(id)
      out.push({ kind: 'message', sessionId, message })
      const atMs = prunedAt(part)
      if (atMs !== null) this.#pruned.push({ externalId: id, atMs })
    }
    if (!isSummary || error !== null) return
    const text = contentOf(blocks)
    if (text.trim() === '') return
    const replaced: CompactionRecord['replaced'] = request?.tailFrom
      ? { kind: 'all_before', keptFrom: request.tailFrom }
      : { kind: 'all' }
    const recordedBy: CompactionRecord['recordedBy'] = request ? [request.id, externalId] : [externalId]
    out.push(...this.#prunings(sessionId, createdAtMs))
    const known = { key: externalId, text, atMs: createdAtMs, isAuto: request?.isAuto ?? null }
    out.push({ kind: 'compaction', sessionId, ...known, model: textAt(info, 'modelID'), recordedBy, replaced })
  }

  /** An error after which the request was made again is shown to the person. The model is not sent it. */
  #takeError(sessionId: string, externalId: string, error: JsonObject, atMs: number, out: TranscriptRecord[]): void {
    const name = textAt(error, 'name')
    const text = textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'message') ?? name
    if (text === null) return
    const details = { harness: true, notice: 'retry', ...(name === null ? {} : { error: name }) }
    this.#held.add(externalId)
    const message = messageOf({ externalId, role: 'user', blocks: [textBlock(text)], createdAtMs: atMs, details })
    out.push({ kind: 'message', sessionId, message }, neverSent(sessionId, externalId, atMs))
  }

  #session(named: string | null, startedAtMs: number, out: TranscriptRecord[]): string {
    if (this.#sessionId !== null) return this.#sessionId
    const info = this.#info
    const sessionId = textAt(info, 'id') ?? named ?? `file:${basename(this.#source.path)}`
    this.#sessionId = sessionId
    const title = textAt(info, 'title')
    out.push({
      kind: 'session',
      sessionId,
      parentSessionId: this.#known.forkedFrom ?? textAt(info, 'parentID'),
      ...(this.#known.forkedFrom == null ? {} : { hasOwnCopies: true }),
      title: title === null ? null : oneLine(title),
      cwd: textAt(info, 'directory'),
      startedAtMs,
    })
    return sessionId
  }
}

/** opencode gives a fork such a title, which a person may change. */
const isNamedAsFork = (title: string | null): boolean => / \(fork #\d+\)$/.test(title ?? '')

function finishOf(info: JsonObject, parts: readonly JsonObject[]): NewPart | null {
  const tokens = objectAt(info, 'tokens')
  const cache = objectAt(tokens, 'cache')
  const model = textAt(info, 'modelID')
  const input = countAt(tokens, 'input')
  if (model === null && input === null) return null
  const cacheRead = countAt(cache, 'read')
  return finishPart({
    model,
    stepReason: textAt(info, 'finish'),
    stepTokensIn: withCache(input, cacheRead, countAt(cache, 'write')),
    stepTokensOut: countAt(tokens, 'output'),
    cacheRead,
    stepCost: amountAt(info, 'cost'),
    snapshotHash: lastSnapshot(parts),
  })
}
