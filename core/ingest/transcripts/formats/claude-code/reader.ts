import { stemOfLink, storedLinks } from '#core/ingest/transcripts/answer-links.ts'
import { BrokenChains } from '#core/ingest/transcripts/broken-chains.ts'
import type { CompactionRecord, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { textsIn } from '#core/ingest/transcripts/text-leaves.ts'
import type { Contribution, RecordedCompaction } from './contribution.ts'
import { EarlyRecords, type ReadRecord } from './early-records.ts'
import { ForkedBeginning } from './forked-beginning.ts'
import { MessageOrder } from './message-order.ts'
import { ClaudeCodeMessages } from './messages.ts'
import type { OriginalNames } from './original-names.ts'
import { type ClaudeCodePlace, MOST_UNWRITTEN } from './place.ts'
import { ClaudeCodePrunings, isMicrocompaction } from './prunings.ts'
import { blocksOf, kindOf } from './record.ts'
import type { ConversationKey } from './records.ts'
import type { ClaudeCodeSurvey } from './survey.ts'
import { whyUnseen } from './unseen.ts'

type Conversation = { readonly sessionId: string; readonly key: ConversationKey; readonly order: MessageOrder }

/** The second reading of a transcript. The survey has what must be known of the whole file. */
export class ClaudeCodeReader {
  readonly #survey: ClaudeCodeSurvey
  readonly #source: TranscriptSource
  /** Where this reading begins, or null at the beginning of the file. */
  readonly #from: ClaudeCodePlace | null
  readonly #names: OriginalNames
  readonly #messages: ClaudeCodeMessages
  readonly #conversations = new Map<string, Conversation>()
  /** Compactions by the message that records them. Each is emitted after its message. */
  readonly #compactions = new Map<string, CompactionRecord>()
  readonly #givenUp = new Map<string, Set<string>>()
  /** Whether a compaction was given up. Then only a reading of the whole file can complete what it covered. */
  #hasGivenUpCompaction = false
  /** The line of the first record of each message that was not emitted yet. */
  readonly #lines = new Map<string, number>()
  /** Messages that a compaction left in the window, by the record that it names. */
  readonly #keptAs = new Map<string, string>()
  readonly #prunings: ClaudeCodePrunings
  readonly #chains: BrokenChains
  readonly #early = new EarlyRecords()
  readonly #beginning: ForkedBeginning
  #line = 1
  #name: string | null = null

  constructor(
    survey: ClaudeCodeSurvey,
    source: TranscriptSource,
    { from, names }: { readonly from: ClaudeCodePlace | null; readonly names: OriginalNames },
  ) {
    this.#survey = survey
    this.#source = source
    this.#from = from
    this.#names = names
    this.#messages = new ClaudeCodeMessages(source.nowMs, from?.promptHash ?? null)
    this.#prunings = new ClaudeCodePrunings(source)
    this.#chains = new BrokenChains(survey.records.breaks)
    this.#beginning = new ForkedBeginning(survey, source)
  }

  take(record: JsonObject, line: number, details: MessageDetails, out: TranscriptRecord[]): void {
    const { records } = this.#survey
    const name = records.nameOf(record)
    const parent = records.parentWrittenLater(name)
    const read = { record, name, line, details }
    if (parent === null || !this.#early.add(parent, read)) this.#takeInOrder(read, out)
  }

  /** Takes a record, and then its children that were written before it and waited for it. */
  #takeInOrder(first: ReadRecord, out: TranscriptRecord[]): void {
    const open = [first]
    for (let next = open.pop(); next; next = open.pop()) {
      this.#take(next, out)
      open.push(...this.#early.takeChildrenOf(next.name).toReversed())
    }
  }

  #take({ record, name, line, details }: ReadRecord, out: TranscriptRecord[]): void {
    this.#line = line
    this.#name = name
    const kind = kindOf(record)
    const key = this.#survey.records.keyOf(record)
    if (kind !== 'unknown' && !isCompactionRun(key)) this.#chains.reached(name, sessionName(key))
    if (kind === 'unknown') {
      const type = textAt(record, 'type')
      const reason = type === null ? 'a record without a type' : `unknown type of record: ${type.slice(0, 60)}`
      out.push({ kind: 'skipped', line, reason })
    } else if (record.type === 'queue-operation') {
      const { missing, unsent } = this.#survey.queued.follow(record, line)
      for (const text of unsent) out.push({ kind: 'skipped', ...text, isKnown: true })
      if (missing) this.#takeSpoken(missing, { ...details, queued: true }, out)
      else out.push({ kind: 'other' })
    } else if (kind === 'silent') {
      out.push({ kind: 'other' })
    } else {
      const time = this.#survey.records.take(record, name)
      if (time === 'first') this.#takeSpoken(record, details, out)
      else if (time === 'again') out.push({ kind: 'repeated' })
      else out.push({ kind: 'conflict', line, reason: `another record has its id ${name}: the first one is kept` })
    }
  }

  /** Returns the records that are still open after the last line. */
  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    if (this.#from !== null)
      this.#conversation({ sessionId: this.#from.sessionId, agentId: null }, this.#source.nowMs, out)
    const place = this.#source.place === undefined ? null : this.#place()
    for (const early of this.#early.rest) this.#take(early, out)
    for (const text of this.#survey.queued.end()) out.push({ kind: 'skipped', ...text, isKnown: true })
    if (this.#messages.hasOpenBoundary) out.push({ kind: 'other' })
    for (const { sessionId, key: its, order } of this.#conversations.values()) {
      this.#emit(sessionId, order.end(), out)
      const title = this.#titleOf(its)
      if (title !== null) out.push({ kind: 'title', sessionId, title })
      // A reading that goes on from a place does not see the records before it. What was stored of them stays valid.
      if (this.#from === null) {
        out.push({ kind: 'given_up', sessionId, externalIds: this.#givenUp.get(sessionId) ?? new Set() })
        out.push(this.#chains.recordOf(sessionId))
      }
      const costs = this.#survey.costsOf(its)
      if (costs !== null) out.push({ kind: 'cost', sessionId, ...costs })
    }
    out.push(...this.#prunings.end())
    if (place !== null) out.push({ kind: 'read_to', sessionId: place.sessionId, place })
    return out
  }

  /** From where a later reading can go on, or null when it cannot. */
  #place(): ClaudeCodePlace | null {
    const { records, queued, firstBoundary, lastMessage } = this.#survey
    const [only, ...others] = this.#conversations.values()
    if (only === undefined || others.length > 0 || only.key.agentId !== null) return null
    const last = records.isEmpty ? (this.#from?.last ?? null) : records.lastOfAll
    const title = this.#titleOf(only.key)
    const isWaiting = this.#messages.hasOpenBoundary || !this.#early.isEmpty
    const isOpen = isWaiting || !queued.isSettled || firstBoundary !== null
    if (this.#hasGivenUpCompaction) return null
    if (last === null || title === null || isOpen) return null
    const unwritten = records.unwritten.filter((id) => id !== this.#from?.last)
    const { sessionId } = only
    if (this.#from === null) {
      if (!this.#survey.hasSettledTitle(only.key) || unwritten.length > MOST_UNWRITTEN) return null
    } else if (unwritten.length > 0 || this.#givenUp.size > 0 || this.#prunings.end().length > 0) return null
    const { promptHash } = this.#messages
    return { sessionId, title, last, lastMessage, promptHash, unwritten: this.#from?.unwritten ?? unwritten }
  }

  #titleOf(key: ConversationKey): string | null {
    return this.#from?.title ?? this.#survey.titleOf(key)
  }

  #noteGivenUp(sessionId: string, record: JsonObject, contributions: readonly Contribution[]): void {
    const ids = this.#givenUp.get(sessionId) ?? new Set()
    // An import before the summary was written stored the boundary of the compaction as a message of its own.
    const boundary = record.subtype === 'compact_boundary' ? this.#name : null
    if (boundary !== null) {
      ids.add(boundary)
      this.#hasGivenUpCompaction = true
    }
    for (const contribution of contributions) {
      const id = contribution.kind === 'whole' ? contribution.message.externalId : contribution.apiId
      if (id !== null) ids.add(id)
    }
    this.#givenUp.set(sessionId, ids)
  }

  #takeSpoken(record: JsonObject, details: MessageDetails, out: TranscriptRecord[]): void {
    const { records } = this.#survey
    if (isUnreadable(record)) {
      const reason = `a record of type ${record.type} without content of a known shape`
      out.push({ kind: 'skipped', line: this.#line, reason })
      return
    }
    const isAbandoned = records.isGivenUp(this.#name)
    const facts = isAbandoned ? { ...details, abandoned: true } : details
    const contributions = this.#messages.contributions(record, this.#name, facts)
    if (isMicrocompaction(record)) {
      const atMs = this.#messages.timeOf(record)
      const { sessionId } = this.#conversation(records.keyOf(record), atMs, out)
      out.push(this.#prunings.take(record, sessionId, atMs, isAbandoned))
    }
    if (isAbandoned) this.#noteGivenUp(sessionName(records.keyOf(record)), record, contributions)
    const unseen = contributions.length === 0 ? whyUnseen(record) : null
    if (unseen !== null) out.push({ kind: 'skipped', line: this.#line, reason: unseen, isKnown: true })
    else if (contributions.length === 0 && record.subtype !== 'compact_boundary') out.push({ kind: 'other' })
    if (contributions.length > 0) this.#takeContributions(records.keyOf(record), contributions, out)
  }

  #takeContributions(key: ConversationKey, contributions: readonly Contribution[], out: TranscriptRecord[]): void {
    for (const contribution of contributions) {
      if (contribution.kind === 'blocks' && this.#name !== null && this.#survey.isKept(this.#name)) {
        this.#keptAs.set(this.#name, contribution.apiId)
      }
      const atMs = contribution.kind === 'whole' ? contribution.message.createdAtMs : contribution.createdAtMs
      const { sessionId, order } = this.#conversation(key, atMs, out)
      const id = contribution.kind === 'whole' ? contribution.message.externalId : contribution.apiId
      if (contribution.kind === 'whole' && this.#prunings.isOnlyPlaceholder(sessionId, contribution.message)) {
        out.push({ kind: 'repeated' })
        continue
      }
      if (id !== null && !this.#lines.has(id)) this.#lines.set(id, this.#line)
      this.#chains.said(sessionId, id)
      const formerId = contribution.kind === 'whole' ? this.#survey.queued.formerId(contribution.message.content) : null
      if (contribution.kind === 'whole' && contribution.compaction)
        this.#noteCompaction(sessionId, contribution, contribution.compaction)
      const named =
        contribution.kind === 'whole' && formerId !== null
          ? { ...contribution, message: { ...contribution.message, formerId } }
          : contribution
      this.#emit(sessionId, order.take(named), out)
    }
  }

  #emit(sessionId: string, messages: ReturnType<MessageOrder['end']>, out: TranscriptRecord[]): void {
    const isOwn = sessionId === this.#survey.key?.sessionId
    for (const message of messages) {
      const line = this.#lineOf(message.externalId ?? '')
      const origin = isOwn ? this.#beginning.originOf(message.externalId, line) : null
      out.push({ kind: 'message', sessionId, message, line, ...(origin === null ? {} : { copiedFrom: [origin] }) })
      const compaction = message.externalId === null ? undefined : this.#compactions.get(message.externalId)
      if (compaction) out.push(compaction)
    }
  }

  #lineOf(externalId: string): number {
    const line = this.#lines.get(externalId) ?? this.#lines.get(stemOfLink(externalId)) ?? this.#line
    this.#lines.delete(externalId)
    return line
  }

  /** Keeps a compaction until the message that records it is emitted. */
  #noteCompaction(
    sessionId: string,
    { message }: Extract<Contribution, { kind: 'whole' }>,
    compaction: RecordedCompaction,
  ): void {
    const { externalId } = message
    // A compaction on a branch that was given up did not change the window.
    if (externalId === null || this.#survey.records.isGivenUp(compaction.key)) return
    const { kept, ...known } = compaction
    const nameOf = (uuid: string): string => this.#keptAs.get(uuid) ?? uuid
    const replaced: CompactionRecord['replaced'] =
      kept === null
        ? { kind: 'all' }
        : 'from' in kept
          ? { kind: 'all_before', keptFrom: nameOf(this.#survey.records.messageFrom(kept.from) ?? kept.from) }
          : { kind: 'all_but', kept: new Set(kept.ids.map(nameOf)) }
    const record = { atMs: message.createdAtMs, model: null, recordedBy: [externalId], replaced } as const
    this.#compactions.set(externalId, { kind: 'compaction', sessionId, ...known, ...record })
  }

  #conversation(key: ConversationKey, startedAtMs: number, out: TranscriptRecord[]): Conversation {
    const sessionId = sessionName(key)
    const known = this.#conversations.get(sessionId)
    if (known) return known
    const parent = key.sessionId === this.#survey.key?.sessionId ? this.#beginning.parent : null
    out.push({
      kind: 'session',
      sessionId,
      parentSessionId: key.agentId === null ? parent : key.sessionId,
      title: this.#titleOf(key),
      cwd: this.#survey.workingDirectory,
      startedAtMs,
      ...(key.agentId === null && this.#names.areChanged ? { hasOwnAccount: true } : {}),
      ...(key.agentId === null && parent !== null ? { hasOwnCopies: true } : {}),
      mayBeFork: key.agentId === null && parent === null && this.#survey.firstBoundary !== null,
      isMain: this.#survey.key !== null && sessionId === sessionName(this.#survey.key),
    })
    const order = new MessageOrder({
      expectedBlocks: (apiId) => this.#survey.records.blocksOf(apiId),
      storedLinks: (apiId) => {
        const links = storedLinks(apiId, (id) => this.#source.storedBlocks(sessionId, id))
        // A message that was stored half written is emitted as a whole, because the store decides whether it can be
        // completed.
        return links.length === 1 ? [] : links
      },
    })
    const conversation = { sessionId, key, order }
    this.#conversations.set(sessionId, conversation)
    return conversation
  }
}

/** Returns the session id of a conversation. Those of sub-agents begin with that of their session. */
const sessionName = (key: ConversationKey): string =>
  key.agentId === null ? key.sessionId : `${key.sessionId}/agent-${key.agentId}`

/** The sub-agent that wrote a summary has records that hang on those of its session, and is never resumed. */
const isCompactionRun = ({ agentId }: ConversationKey): boolean => agentId?.startsWith('acompact') ?? false

/** Records whose message has no content that this format knows, and text all the same. */
function isUnreadable(record: JsonObject): boolean {
  if (record.type !== 'user' && record.type !== 'assistant') return false
  return blocksOf(objectAt(record, 'message')).length === 0 && textsIn({ ...record, toolUseResult: null }).length > 0
}
