import { win32 } from 'node:path'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { BrokenChains } from '#core/ingest/transcripts/broken-chains.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type {
  CompactionRecord,
  PruningRecord,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import {
  compactionPart,
  messageOf,
  neverSent,
  RecordClock,
  stringsIn,
  textBlock,
  timeOf,
} from '#core/ingest/transcripts/parts.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import type { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { entryTypes, isSpoken, isUnsent } from './entries.ts'
import { piBlocks, piFinish, piMessage, piSystemMessage, replacementText, systemText, titleIn } from './messages.ts'
import type { Origin } from './origins.ts'

/** Where an entry stands: its session, the session from which it was copied, and whether it is on the live branch. */
type Standing = {
  readonly sessionId: string
  readonly copiedFrom: readonly string[]
  readonly entryId: string | null
  readonly isLive: boolean
  readonly atMs: number
  readonly details: MessageDetails
}

/** The second reading of a session. */
export class PiReader {
  readonly #graph: RecordGraph
  readonly #clock: RecordClock
  readonly #fallback: string
  readonly #hasSummary: TranscriptSource['hasSummary']
  readonly #titleOf: (sessionId: string) => string | null
  readonly #chains: BrokenChains
  readonly #ids = new DerivedIds()
  /** Version 1 names entries by their number, the header being 0. This maps numbers to external ids. */
  readonly #places: (string | null)[] = []
  readonly #seen = new Set<string>()
  readonly #givenUp = new Set<string>()
  /** The compactions so far, by the messages that record them. */
  readonly #compactions = new Set<string>()
  /** The calls of answers that are not sent any more. */
  readonly #unsentCalls = new Set<string>()
  #latestId: string | null = null
  /** The last entry with an id that was copied from another session. */
  #lastCopyId: string | null = null
  /** The id of the entry of each copied message, by the external id of the message. */
  readonly #copies = new Map<string, string | null>()
  /** What copied entries leave out, each with the id of its entry. */
  readonly #unsentCopies: { readonly entryId: string | null; readonly pruning: PruningRecord }[] = []
  #sessionId: string | null = null
  /** The sessions of which this one has copies, the latest first. */
  #origins: readonly Origin[]
  readonly #isSubAgent: boolean
  /** Entries from before this time are copies from the session that this one was forked from. */
  #startedAtMs = Number.NEGATIVE_INFINITY
  #title: string | null = null
  #name: string | null = null
  #model: string | null = null
  /** The latest system prompt that is sent. Each compaction repeats it. */
  #prompt: { readonly externalId: string; readonly text: string } | null = null

  constructor(
    graph: RecordGraph,
    source: Pick<TranscriptSource, 'nowMs' | 'hasSummary'>,
    fallback: string,
    titleOf: (sessionId: string) => string | null,
    { origins = [], isSubAgent = false }: { readonly origins?: readonly Origin[]; readonly isSubAgent?: boolean } = {},
  ) {
    this.#graph = graph
    this.#chains = new BrokenChains(graph.breaks)
    this.#hasSummary = source.hasSummary
    this.#clock = new RecordClock(source.nowMs)
    this.#fallback = fallback
    this.#titleOf = titleOf
    this.#origins = origins
    this.#isSubAgent = isSubAgent
  }

  take(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(record, 'type') ?? ''
    if (type === 'session') {
      this.#takeHeader(record, out)
      return
    }
    if (type === 'title') {
      this.#places.push(null)
      out.push({ kind: 'other' })
      this.#name = textAt(record, 'title') || this.#name
      return
    }
    if (!entryTypes.has(type)) {
      this.#places.push(null)
      const reason = type === '' ? 'a record without a type' : `unknown type of record: ${type.slice(0, 60)}`
      out.push({ kind: 'skipped', line: origin.line, reason })
      return
    }
    const id = textAt(record, 'id')
    if (id !== null && this.#seen.has(id)) {
      out.push({ kind: 'repeated' })
      return
    }
    const before = this.#places.length
    this.#takeEntry(record, id, origin, out)
    if (this.#places.length === before) this.#places.push(null)
    if (id === null) return
    this.#seen.add(id)
    this.#latestId = id
  }

  end(): TranscriptRecord[] {
    if (this.#sessionId === null) return []
    const sessionId = this.#sessionId
    const title = this.#name ?? this.#titleOf(sessionId) ?? this.#title
    const givenUp: TranscriptRecord = { kind: 'given_up', sessionId, externalIds: this.#givenUp }
    const told = [givenUp, ...this.#ofOrigins(sessionId), this.#chains.recordOf(sessionId)]
    return title === null ? told : [...told, { kind: 'title', sessionId, title }]
  }

  /** Says what the copied sessions had given up and did not send when they were copied: the last copy was their last entry. */
  #ofOrigins(sessionId: string): TranscriptRecord[] {
    if (this.#copies.size === 0) return []
    const path = this.#lastCopyId === null ? null : this.#graph.pathOf(this.#lastCopyId)
    // Entries of version 1 have no ids, and all of them are live.
    const isGivenUp = (entryId: string | null): boolean => entryId !== null && path?.has(entryId) === false
    const givenUp = new Set([...this.#copies].flatMap(([id, entryId]) => (isGivenUp(entryId) ? id : [])))
    const prunings = this.#unsentCopies.map(({ entryId, pruning }) => ({ ...pruning, isGivenUp: isGivenUp(entryId) }))
    return [{ kind: 'origins', sessionId, givenUp, prunings }]
  }

  #takeHeader(header: JsonObject, out: TranscriptRecord[]): void {
    this.#places.push(null)
    out.push({ kind: 'other' })
    if (this.#sessionId !== null) return
    const startedAtMs = timeOf(header.timestamp)
    this.#startedAtMs = startedAtMs ?? Number.NEGATIVE_INFINITY
    const parent = stringsIn(header, 'parentSession', 'branchedFrom')
    const id = textAt(header, 'id') ?? this.#fallback
    if (parent !== null) this.#origins = [{ id: sessionIdIn(parent), begunMs: Number.NEGATIVE_INFINITY }]
    this.#model = textAt(header, 'modelId')
    this.#declare(id, textAt(header, 'cwd'), this.#clock.at(header.timestamp), out)
  }

  #declare(sessionId: string, cwd: string | null, startedAtMs: number, out: TranscriptRecord[]): string {
    this.#sessionId = sessionId
    const parentSessionId = this.#origins[0]?.id ?? null
    const fork = parentSessionId === null || this.#isSubAgent ? {} : { hasOwnCopies: true }
    out.push({ kind: 'session', sessionId, parentSessionId, ...fork, title: null, cwd, startedAtMs })
    return sessionId
  }

  /** The session in which a copied entry was written. */
  #saidIn(atMs: number): string[] {
    const origin = this.#origins.find(({ begunMs }) => begunMs <= atMs) ?? this.#origins.at(-1)
    return origin ? [origin.id] : []
  }

  #takeEntry(entry: JsonObject, id: string | null, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const standing = this.#standing(entry, id, origin, out)
    const { isLive, atMs, details } = standing
    switch (entry.type) {
      case 'message': {
        if (!isSpoken(entry)) {
          out.push({ kind: 'skipped', line: origin.line, reason: 'an entry of type message without a message' })
          return
        }
        const said = objectAt(entry, 'message')
        const createdAtMs = id === null && entry.timestamp === undefined ? (timeOf(said.timestamp) ?? atMs) : atMs
        const externalId = id ?? this.#ids.next('entry', JSON.stringify(entry.timestamp) ?? '', JSON.stringify(said))
        const message = piMessage(said, { externalId, createdAtMs, details })
        this.#add(message, standing, out)
        if (said.role === 'user') this.#title ??= titleIn(said)
        if (isLive && said.role === 'system') this.#prompt = { externalId, text: message.content }
        if (this.#isLeftOut(said)) this.#omit(externalId, null, standing, out)
        // oh-my-pi writes a notice over a result that is not sent any more.
        else if (said.prunedAt !== undefined) this.#omit(externalId, message.content, standing, out)
        return
      }
      case 'custom_message': {
        const given = { externalId: this.#idOf(entry, id), blocks: piBlocks(entry.content), createdAtMs: atMs }
        const facts = { ...details, harness: true, customType: textAt(entry, 'customType') ?? '' }
        this.#add(messageOf({ ...given, role: 'user', details: facts }), standing, out)
        return
      }
      case 'compaction':
      case 'branch_summary':
        if (this.#isOurs(entry)) break
        this.#takeCompaction(entry, this.#idOf(entry, id), standing, out)
        return
      case 'context_edit': {
        // The model is sent something else, or nothing, in the place of an earlier message.
        const target = textAt(entry, 'targetId')
        const { replacement } = entry
        const seen = replacement == null ? null : replacementText(replacement)
        if (target !== null) this.#omit(target, seen, standing, out)
        break
      }
      case 'session_info':
        this.#name = textAt(entry, 'name') ?? this.#name
        break
      case 'session_init':
        this.#takePrompt({ content: textAt(entry, 'systemPrompt') ?? '' }, this.#idOf(entry, id), standing, out)
        return
      case 'title_change':
        this.#name = textAt(entry, 'title') || this.#name
        break
      case 'model_change':
        this.#model = textAt(entry, 'modelId') ?? textAt(entry, 'model') ?? this.#model
        break
    }
    out.push({ kind: 'other' })
  }

  #standing(entry: JsonObject, id: string | null, origin: RecordOrigin, out: TranscriptRecord[]): Standing {
    const atMs = this.#clock.at(entry.timestamp)
    const sessionId = this.#sessionId ?? this.#declare(this.#fallback, null, atMs, out)
    const isCopy = this.#origins.length > 0 && !this.#isSubAgent && atMs < this.#startedAtMs
    const isLive = this.#graph.isLive(id)
    if (isCopy && id !== null) this.#lastCopyId = id
    this.#chains.reached(id, sessionId)
    const details = { ...origin.details, ...(isLive ? {} : { abandoned: true }), ...(isCopy ? { copied: true } : {}) }
    return { sessionId, entryId: id, atMs, isLive, copiedFrom: isCopy ? this.#saidIn(atMs) : [], details }
  }

  #idOf(entry: JsonObject, id: string | null): string {
    return id ?? this.#ids.next('entry', JSON.stringify(entry))
  }

  #add(message: NewMessage, { sessionId, entryId, isLive, copiedFrom }: Standing, out: TranscriptRecord[]): void {
    this.#places.push(message.externalId)
    this.#chains.said(sessionId, message.externalId)
    if (!isLive && message.externalId !== null) this.#givenUp.add(message.externalId)
    if (copiedFrom.length > 0 && message.externalId !== null) this.#copies.set(message.externalId, entryId)
    out.push({ kind: 'message', sessionId, message, copiedFrom })
  }

  #takePrompt(prompt: JsonObject, externalId: string, standing: Standing, out: TranscriptRecord[]): void {
    const message = piSystemMessage(prompt, { externalId, createdAtMs: standing.atMs, details: standing.details })
    this.#add(message, standing, out)
    if (standing.isLive) this.#prompt = { externalId, text: message.content }
  }

  #takeCompaction(entry: JsonObject, externalId: string, standing: Standing, out: TranscriptRecord[]): void {
    const { sessionId, atMs, isLive } = standing
    const text = textAt(entry, 'summary')
    const prompt = objectAt(entry, 'systemMessage')
    const sent = systemText(prompt)
    if (sent !== '' && sent !== this.#prompt?.text) this.#takePrompt(prompt, `${externalId}#system`, standing, out)
    const isAuto = entry.type === 'branch_summary' ? false : null
    const spent = piFinish({ usage: entry.usage })
    const facts = { preTokens: countAt(entry, 'tokensBefore') ?? undefined }
    const more = [compactionPart(isAuto, facts), ...(spent ? [spent] : [])]
    const given = { externalId, blocks: [textBlock(text ?? '')], createdAtMs: atMs, more }
    const details = { ...standing.details, harness: true }
    this.#add(messageOf({ ...given, role: 'user', details }), standing, out)
    const replaced = this.#replaced(entry)
    if (!isLive || replaced === null) return
    const told = { key: externalId, text, atMs, isAuto, model: this.#model, recordedBy: [externalId] } as const
    const keptPrompt = this.#prompt?.externalId ?? null
    out.push({ kind: 'compaction', sessionId, ...told, replaced, keptPrompt })
    if (entry.type === 'compaction') this.#compactions.add(externalId)
  }

  /**
   * Whether the window of this memory has what the model is sent in the place of a compaction, because its text was
   * written from summaries of this memory (resources/adapters/pi).
   */
  #isOurs(entry: JsonObject): boolean {
    const summaries = listAt(objectAt(objectAt(entry, 'details'), 'lcm'), 'summaries')
    return summaries.length > 0 && summaries.every((id) => typeof id === 'string' && this.#hasSummary(id))
  }

  #replaced(entry: JsonObject): CompactionRecord['replaced'] | null {
    if (entry.type === 'branch_summary') {
      // It names the end of the branch, or the entry to which the person went back. Then the branch ends just before
      // that.
      const named = this.#graph.branchOf(textAt(entry, 'fromId') ?? '')
      const branch = named.size > 0 ? named : this.#graph.branchOf(this.#latestId ?? '')
      return branch.size === 0 ? null : { kind: 'these', externalIds: branch }
    }
    const named = textAt(entry, 'firstKeptEntryId')
    const kept = named === null ? this.#keptAt(countAt(entry, 'firstKeptEntryIndex')) : this.#graph.messageFrom(named)
    if (kept === null) return { kind: 'all' }
    // The model is sent only the newest of these summaries.
    return { kind: 'all_before', keptFrom: kept, compactions: new Set(this.#compactions) }
  }

  /** Whether the model is not sent a message, or the call to which it is the result. */
  #isLeftOut(message: JsonObject): boolean {
    if (message.role === 'toolResult') return this.#unsentCalls.has(textAt(message, 'toolCallId') ?? '')
    if (!isUnsent(message)) return false
    for (const block of listAt(message, 'content')) {
      const id = isObject(block) && block.type === 'toolCall' ? textAt(block, 'id') : null
      if (id !== null) this.#unsentCalls.add(id)
    }
    return true
  }

  #omit(externalId: string, seen: string | null, standing: Standing, out: TranscriptRecord[]): void {
    const { sessionId, entryId, atMs, isLive, copiedFrom } = standing
    const outputs = [{ externalId, seen }]
    out.push({ ...neverSent(sessionId, externalId, atMs), outputs, isGivenUp: !isLive })
    for (const origin of copiedFrom) {
      this.#unsentCopies.push({ entryId, pruning: { ...neverSent(origin, externalId, atMs), outputs } })
    }
  }

  /** Returns the first message at or after a number of version 1. */
  #keptAt(index: number | null): string | null {
    return index === null ? null : (this.#places.slice(index).find((id) => id !== null) ?? null)
  }
}

/** Derives the id from `<time>_<id>.jsonl`. A path of another machine may have either slash. */
const sessionIdIn = (path: string): string => win32.basename(path, '.jsonl').split('_').at(-1) ?? path
