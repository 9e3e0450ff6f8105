import { BrokenChains } from '#core/ingest/transcripts/broken-chains.ts'
import { contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { CompactionRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  compactionPart,
  messageOf,
  RecordClock,
  resultMessage,
  stringsIn,
  textBlock,
  timeOf,
} from '#core/ingest/transcripts/parts.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import type { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { OMITTED } from '#core/systems/pruned-outputs.ts'
import {
  entryTypes,
  isSpoken,
  isUnsent,
  mentionedFiles,
  piBlocks,
  piFinish,
  piResult,
  runText,
  systemText,
} from './entries.ts'
import type { Origin } from './origins.ts'

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
  #prompt: { readonly externalId: string | null; readonly text: string } | null = null

  constructor(
    graph: RecordGraph,
    source: Pick<TranscriptSource, 'nowMs' | 'hasSummary'>,
    fallback: string,
    titleOf: (sessionId: string) => string | null,
    origins: readonly Origin[] = [],
    isSubAgent = false,
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
    const told = [givenUp, this.#chains.of(sessionId)]
    return title === null ? told : [...told, { kind: 'title', sessionId, title }]
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
    const atMs = this.#clock.at(entry.timestamp)
    const sessionId = this.#sessionId ?? this.#declare(this.#fallback, null, atMs, out)
    const isCopy = this.#origins.length > 0 && !this.#isSubAgent && atMs < this.#startedAtMs
    const isLive = this.#graph.isLive(id)
    this.#chains.reached(id, sessionId)
    const details = { ...origin.details, ...(isLive ? {} : { abandoned: true }), ...(isCopy ? { copied: true } : {}) }
    const add = (message: Extract<TranscriptRecord, { kind: 'message' }>['message']): void => {
      this.#places.push(message.externalId)
      this.#chains.said(sessionId, message.externalId)
      if (!isLive && message.externalId !== null) this.#givenUp.add(message.externalId)
      const copiedFrom = isCopy ? this.#saidIn(atMs) : []
      out.push({ kind: 'message', sessionId, message, copiedFrom })
    }
    switch (entry.type) {
      case 'message': {
        if (!isSpoken(entry)) {
          out.push({ kind: 'skipped', line: origin.line, reason: 'an entry of type message without a message' })
          return
        }
        const message = this.#message(entry, id, atMs, details)
        add(message)
        const said = objectAt(entry, 'message')
        if (isLive && said.role === 'system') this.#prompt = { externalId: message.externalId, text: message.content }
        if (this.#isLeftOut(said)) this.#omit(sessionId, message.externalId, null, atMs, isLive, out)
        // oh-my-pi writes a notice over a result that is not sent any more.
        else if (said.prunedAt !== undefined)
          this.#omit(sessionId, message.externalId, message.content, atMs, isLive, out)
        return
      }
      case 'custom_message': {
        const externalId = id ?? this.#ids.next('entry', JSON.stringify(entry))
        const facts = { ...details, harness: true, customType: textAt(entry, 'customType') ?? '' }
        add(messageOf({ externalId, role: 'user', blocks: piBlocks(entry.content), createdAtMs: atMs, details: facts }))
        return
      }
      case 'compaction':
      case 'branch_summary': {
        if (this.#isOurs(entry)) break
        const text = textAt(entry, 'summary')
        const externalId = id ?? this.#ids.next('entry', JSON.stringify(entry))
        const prompt = objectAt(entry, 'systemMessage')
        const sent = { externalId: `${externalId}#system`, text: systemText(prompt) }
        if (sent.text !== '' && sent.text !== this.#prompt?.text) {
          add(this.#system(sent.externalId, prompt, atMs, details))
          if (isLive) this.#prompt = sent
        }
        const isBranch = entry.type === 'branch_summary'
        const facts = { preTokens: countAt(entry, 'tokensBefore') ?? undefined }
        const spent = piFinish({ usage: entry.usage })
        const more = [compactionPart(isBranch ? false : null, facts), ...(spent ? [spent] : [])]
        const blocks = [textBlock(text ?? '')]
        add(
          messageOf({
            externalId,
            role: 'user',
            blocks,
            createdAtMs: atMs,
            details: { ...details, harness: true },
            more,
          }),
        )
        const replaced = this.#replaced(entry)
        if (!isLive || replaced === null) return
        const isAuto = isBranch ? false : null
        const told = { key: externalId, text, atMs, isAuto, model: this.#model, recordedBy: [externalId] } as const
        const keptPrompt = this.#prompt?.externalId ?? null
        out.push({ kind: 'compaction', sessionId, ...told, replaced, keptPrompt })
        if (!isBranch) this.#compactions.add(externalId)
        return
      }
      case 'context_edit': {
        // The model is sent something else, or nothing, in the place of an earlier message.
        const target = textAt(entry, 'targetId')
        const { replacement } = entry
        const seen = replacement == null ? null : replacementText(replacement)
        if (target !== null) this.#omit(sessionId, target, seen, atMs, isLive, out)
        break
      }
      case 'session_info':
        this.#name = textAt(entry, 'name') ?? this.#name
        break
      case 'session_init': {
        const prompt = { content: textAt(entry, 'systemPrompt') ?? '' }
        const message = this.#system(id ?? this.#ids.next('entry', JSON.stringify(entry)), prompt, atMs, details)
        add(message)
        if (isLive) this.#prompt = { externalId: message.externalId, text: message.content }
        return
      }
      case 'title_change':
        this.#name = textAt(entry, 'title') || this.#name
        break
      case 'model_change':
        this.#model = textAt(entry, 'modelId') ?? textAt(entry, 'model') ?? this.#model
        break
    }
    out.push({ kind: 'other' })
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

  #omit(
    sessionId: string,
    externalId: string | null,
    seen: string | null,
    atMs: number,
    isLive: boolean,
    out: TranscriptRecord[],
  ): void {
    if (externalId === null) return
    const outputs = [{ externalId, seen }]
    const told = { key: `omitted ${externalId}`, by: OMITTED, atMs, isAuto: null, toldTokens: null, outputs }
    out.push({ kind: 'pruning', sessionId, ...told, isGivenUp: !isLive })
  }

  #system(externalId: string, message: JsonObject, createdAtMs: number, details: MessageDetails) {
    const prompt = systemText(message)
    const tools = listAt(message, 'toolsAdded')
    const given: MessageDetails = tools.length === 0 ? {} : { tools: JSON.stringify(tools) }
    const facts = { ...details, harness: true, piRole: 'system', ...given }
    return messageOf({ externalId, role: 'system', blocks: [textBlock(prompt)], createdAtMs, details: facts })
  }

  /** Returns the first message at or after a number of version 1. */
  #keptAt(index: number | null): string | null {
    return index === null ? null : (this.#places.slice(index).find((id) => id !== null) ?? null)
  }

  #message(entry: JsonObject, id: string | null, atMs: number, details: MessageDetails) {
    const message = objectAt(entry, 'message')
    const role = textAt(message, 'role') ?? ''
    const createdAtMs = id === null && entry.timestamp === undefined ? (timeOf(message.timestamp) ?? atMs) : atMs
    const externalId = id ?? this.#ids.next('entry', JSON.stringify(entry.timestamp) ?? '', JSON.stringify(message))
    const base = { externalId, createdAtMs }
    switch (role) {
      case 'user': {
        const blocks = piBlocks(message.content)
        const text = blocks.map((block) => block.text ?? '').find((words) => words.trim() !== '')
        if (text !== undefined) this.#title ??= oneLine(text)
        return messageOf({ ...base, role: 'user', blocks, details })
      }
      case 'assistant': {
        const finish = piFinish(message)
        const blocks = piBlocks(message.content)
        return messageOf({ ...base, role: 'assistant', blocks, details, more: finish ? [finish] : [] })
      }
      case 'toolResult': {
        const { output, files } = piResult(message.content)
        const given = { callId: textAt(message, 'toolCallId'), name: textAt(message, 'toolName'), output, files }
        const result = resultMessage({ ...base, ...given, isError: message.isError === true, details })
        const spent = piFinish({ usage: message.usage })
        return spent ? { ...result, parts: [...result.parts, spent] } : result
      }
      case 'bashExecution':
      case 'pythonExecution': {
        const facts: MessageDetails = {
          ...details,
          bash: true,
          ...(message.excludeFromContext === true ? EXCLUDED : {}),
        }
        return messageOf({ ...base, role: 'user', blocks: [textBlock(runText(message))], details: facts })
      }
      case 'system':
        return this.#system(externalId, message, createdAtMs, details)
      default: {
        const summary = textAt(message, 'summary')
        const blocks =
          summary === null ? [...piBlocks(message.content), ...mentionedFiles(message)] : [textBlock(summary)]
        return messageOf({ ...base, role: 'user', blocks, details: { ...details, harness: true, piRole: role } })
      }
    }
  }
}

/** The message that a context edit puts in the place of another one. */
function replacementText(replacement: unknown): string {
  const content = isObject(replacement) ? (replacement.content ?? replacement.text) : replacement
  return contentOf(piBlocks(content))
}

const EXCLUDED: MessageDetails = { excludedFromContext: true }

/** Derives the id from `<time>_<id>.jsonl`. A path of another machine may have either slash. */
function sessionIdIn(path: string): string {
  const name =
    path
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.jsonl$/, '') ?? path
  return name.slice(name.lastIndexOf('_') + 1)
}
