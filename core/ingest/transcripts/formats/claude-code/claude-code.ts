import { basename } from 'node:path'
import { stemOfLink, storedLinks } from '../../answer-links.ts'
import type { Draft, DraftCompaction, Marks } from '../../draft.ts'
import type {
  CompactionRecord,
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '../../format.ts'
import type { TranscriptHead } from '../../head.ts'
import { isObject, type JsonObject, textAt } from '../../json-value.ts'
import { readJsonLines } from '../../read-lines.ts'
import type { ChainKey } from './chains.ts'
import { MessageOrder } from './message-order.ts'
import { ClaudeCodeMessages } from './messages.ts'
import { ClaudeCodePrunings, isMicrocompaction } from './prunings.ts'
import { kindOf } from './record.ts'
import { ClaudeCodeSurvey } from './survey.ts'
import { whyUnseen } from './unseen.ts'

/** A record with one of these, and of a known type, is one of Claude Code's. */
const identifying = ['sessionId', 'leafUuid', 'messageId', 'uuid'] as const

/** Claude Code's own JSONL (https://code.claude.com). */
export const claudeCode: TranscriptFormat = {
  id: 'claude-code',
  label: 'Claude Code',
  detect,
  read,
}

function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const isOurs = (record: JsonObject): boolean =>
    kindOf(record) !== 'unknown' && identifying.some((field) => typeof record[field] === 'string')
  const ours = records.filter(isOurs).length
  return ours === 0 ? 0 : ours / records.length > 0.5 ? 0.95 : 0.7
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const survey = new ClaudeCodeSurvey(`file:${basename(source.path)}`)
  yield* readJsonLines(source, 'looking', (record) => survey.add(record), JSON.parse)
  survey.finish()
  const reader = new ClaudeCodeReader(survey, source)
  yield* readJsonLines(source, 'storing', (record, { line, marks }, out) => reader.take(record, line, marks, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

type Conversation = { readonly sessionId: string; readonly key: ChainKey; readonly order: MessageOrder }

/** The second reading: knows from the survey what has to be known of the whole file. */
class ClaudeCodeReader {
  readonly #survey: ClaudeCodeSurvey
  readonly #source: TranscriptSource
  readonly #messages: ClaudeCodeMessages
  readonly #conversations = new Map<string, Conversation>()
  /** By the message that records them; told when it has come out of the order. */
  readonly #compactions = new Map<string, CompactionRecord>()
  readonly #givenUp = new Map<string, Set<string>>()
  /** Of the first record of each message that has not come out of the order yet. */
  readonly #lines = new Map<string, number>()
  /** Messages that a compaction left in the window, by the record that it names. */
  readonly #keptAs = new Map<string, string>()
  readonly #prunings: ClaudeCodePrunings
  #line = 1
  #uuid: string | null = null

  constructor(survey: ClaudeCodeSurvey, source: TranscriptSource) {
    this.#survey = survey
    this.#source = source
    this.#messages = new ClaudeCodeMessages(source.nowMs)
    this.#prunings = new ClaudeCodePrunings(source)
  }

  take(record: JsonObject, line: number, marks: Marks, out: TranscriptRecord[]): void {
    this.#line = line
    this.#uuid = textAt(record, 'uuid')
    const kind = kindOf(record)
    if (kind === 'unknown') {
      const type = textAt(record, 'type')
      const reason = type === null ? 'a record without a type' : `unknown type of record: ${type.slice(0, 60)}`
      out.push({ kind: 'skipped', line, reason })
    } else if (record.type === 'queue-operation') {
      const { missing, unsent } = this.#survey.queued.follow(record, line)
      for (const text of unsent) out.push({ kind: 'skipped', ...text })
      if (missing) this.#takeSpoken(missing, { ...marks, queued: true }, out)
      else out.push({ kind: 'other' })
    } else if (kind === 'silent') {
      out.push({ kind: 'other' })
    } else if (record.type === 'assistant' && !this.#survey.chains.take(record)) {
      out.push({ kind: 'repeated' })
    } else {
      this.#takeSpoken(record, marks, out)
    }
  }

  /** What is still open after the last record. */
  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    for (const text of this.#survey.queued.end()) out.push({ kind: 'skipped', ...text })
    if (this.#messages.hasOpenBoundary) out.push({ kind: 'other' })
    for (const { sessionId, key: its, order } of this.#conversations.values()) {
      this.#tell(sessionId, order.end(), out)
      const title = this.#survey.titleOf(its)
      if (title !== null) out.push({ kind: 'title', sessionId, title })
      out.push({ kind: 'given_up', sessionId, externalIds: this.#givenUp.get(sessionId) ?? new Set() })
    }
    out.push(...this.#prunings.end())
    return out
  }

  #noteGivenUp(sessionId: string, record: JsonObject, drafts: readonly Draft[]): void {
    const ids = this.#givenUp.get(sessionId) ?? new Set()
    // An import that came before its summary has stored the boundary of a compaction as a message of its own.
    const boundary = record.subtype === 'compact_boundary' ? textAt(record, 'uuid') : null
    if (boundary !== null) ids.add(boundary)
    for (const draft of drafts) {
      const id = draft.kind === 'whole' ? draft.message.externalId : draft.apiId
      if (id !== null) ids.add(id)
    }
    this.#givenUp.set(sessionId, ids)
  }

  #takeSpoken(record: JsonObject, marks: Marks, out: TranscriptRecord[]): void {
    const { chains } = this.#survey
    const isAbandoned = chains.isAbandoned(record)
    const drafts = this.#messages.drafts(record, isAbandoned ? { ...marks, abandoned: true } : marks)
    if (isMicrocompaction(record)) {
      const atMs = this.#messages.timeOf(record)
      const { sessionId } = this.#conversation(chains.keyOf(record), atMs, out)
      out.push(this.#prunings.take(record, sessionId, atMs, isAbandoned))
    }
    if (isAbandoned) this.#noteGivenUp(sessionName(chains.keyOf(record)), record, drafts)
    const unseen = drafts.length === 0 ? whyUnseen(record) : null
    if (unseen !== null) out.push({ kind: 'skipped', line: this.#line, reason: unseen })
    else if (drafts.length === 0 && record.subtype !== 'compact_boundary') out.push({ kind: 'other' })
    if (drafts.length > 0) this.#takeDrafts(chains.keyOf(record), drafts, out)
  }

  #takeDrafts(key: ChainKey, drafts: readonly Draft[], out: TranscriptRecord[]): void {
    for (const draft of drafts) {
      if (draft.kind === 'blocks' && this.#uuid !== null && this.#survey.isKept(this.#uuid)) {
        this.#keptAs.set(this.#uuid, draft.apiId)
      }
      const atMs = draft.kind === 'whole' ? draft.message.createdAtMs : draft.createdAtMs
      const { sessionId, order } = this.#conversation(key, atMs, out)
      const id = draft.kind === 'whole' ? draft.message.externalId : draft.apiId
      if (draft.kind === 'whole' && this.#prunings.isOnlyPlaceholder(sessionId, draft.message)) {
        out.push({ kind: 'repeated' })
        continue
      }
      if (id !== null && !this.#lines.has(id)) this.#lines.set(id, this.#line)
      const formerId = draft.kind === 'whole' ? this.#survey.queued.formerId(draft.message.content) : null
      if (draft.kind === 'whole' && draft.compaction) this.#await(sessionId, draft, draft.compaction)
      const named =
        draft.kind === 'whole' && formerId !== null ? { ...draft, message: { ...draft.message, formerId } } : draft
      this.#tell(sessionId, order.take(named), out)
    }
  }

  #tell(sessionId: string, messages: ReturnType<MessageOrder['end']>, out: TranscriptRecord[]): void {
    for (const message of messages) {
      out.push({ kind: 'message', sessionId, message, line: this.#lineOf(message.externalId ?? '') })
      const compaction = message.externalId === null ? undefined : this.#compactions.get(message.externalId)
      if (compaction) out.push(compaction)
    }
  }

  #lineOf(externalId: string): number {
    const line = this.#lines.get(externalId) ?? this.#lines.get(stemOfLink(externalId)) ?? this.#line
    this.#lines.delete(externalId)
    return line
  }

  #await(sessionId: string, { message }: Extract<Draft, { kind: 'whole' }>, compaction: DraftCompaction): void {
    const { externalId } = message
    // Of a branch that was given up: the window is what it was before.
    if (externalId === null || this.#survey.chains.isAbandoned({ uuid: compaction.key })) return
    const { kept, ...known } = compaction
    const nameOf = (uuid: string): string => this.#keptAs.get(uuid) ?? uuid
    const replaced: CompactionRecord['replaced'] =
      kept === null
        ? { kind: 'all' }
        : 'from' in kept
          ? { kind: 'all_before', keptFrom: nameOf(kept.from) }
          : { kind: 'all_but', kept: new Set(kept.ids.map(nameOf)) }
    const record = { atMs: message.createdAtMs, model: null, recordedBy: [externalId], replaced } as const
    this.#compactions.set(externalId, { kind: 'compaction', sessionId, ...known, ...record })
  }

  #conversation(key: ChainKey, startedAtMs: number, out: TranscriptRecord[]): Conversation {
    const sessionId = sessionName(key)
    const known = this.#conversations.get(sessionId)
    if (known) return known
    out.push({
      kind: 'session',
      sessionId,
      parentSessionId: key.agentId === null ? null : key.sessionId,
      title: this.#survey.titleOf(key),
      cwd: this.#survey.workingDirectory,
      startedAtMs,
      isMain: this.#survey.key !== null && sessionId === sessionName(this.#survey.key),
    })
    const order = new MessageOrder({
      expectedBlocks: (apiId) => this.#survey.chains.blocksOf(apiId),
      storedLinks: (apiId) => {
        const links = storedLinks(apiId, (id) => this.#source.storedBlocks(sessionId, id))
        // One that was stored half written is told whole: the store knows whether it may be completed.
        return links.length === 1 ? [] : links
      },
    })
    const conversation = { sessionId, key, order }
    this.#conversations.set(sessionId, conversation)
    return conversation
  }
}

/** Session id of a conversation; those of sub-agents lie under that of their session. */
const sessionName = (key: ChainKey): string =>
  key.agentId === null ? key.sessionId : `${key.sessionId}/agent-${key.agentId}`
