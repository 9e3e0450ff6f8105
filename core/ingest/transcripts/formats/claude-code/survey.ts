import { amountAt, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { keptIds } from './messages.ts'
import type { ClaudeCodePlace } from './place.ts'
import { QueuedInput } from './queued-input.ts'
import { kindOf } from './record.ts'
import { ClaudeCodeRecords, type ConversationKey } from './records.ts'

/** What a session cost, and what it had cost after its messages, by their external ids. */
type Costs = { cost: number; readonly after: Map<string, number> }

/** A session from which a fork copied. Its copies end with the last line that names it. */
type Copies = { readonly sessionId: string; untilLine: number }

/**
 * The survey collects what must be known of a whole transcript before its first message is stored. Messages never
 * change afterwards, and only later lines show which branch was given up or how many blocks an answer has.
 */
export class ClaudeCodeSurvey {
  readonly records: ClaudeCodeRecords
  readonly queued = new QueuedInput()
  readonly #titles = new Map<string, string>()
  /** Records that a compaction left in the window. */
  readonly #kept = new Set<string>()
  /** What each session had cost after its messages, by its id. */
  readonly #costs = new Map<string, Costs>()
  /** The external id of the last message of the own session. */
  lastMessage: string | null
  #summaries: { readonly leafUuid: string; readonly title: string }[] = []
  #key: ConversationKey | null = null
  #workingDirectory: string | null = null
  #boundary: string | null | undefined
  /** The sessions that the answers of a fork name, in their order. */
  readonly #copies: Copies[] = []
  /** The session that each record of a branch names. */
  #branched: Copies | null = null

  constructor(fallbackSession: string, from: ClaudeCodePlace | null) {
    this.records = new ClaudeCodeRecords(fallbackSession)
    this.lastMessage = from?.lastMessage ?? null
  }

  /** Completes the survey after the last line. */
  finish(): void {
    this.records.finish()
    for (const uuid of [...this.#kept]) this.#kept.add(this.records.messageFrom(uuid) ?? uuid)
  }

  /**
   * The conversation that this file is about. It is that of the last record, because earlier ones may be copies from
   * another session.
   */
  get key(): ConversationKey | null {
    return this.#key
  }

  /** The id of the boundary of a compaction with which the conversation begins, as a fork after one does. */
  get firstBoundary(): string | null {
    return this.#boundary ?? null
  }

  /** The session from which that of this file was forked, where its records say so. */
  get parent(): string | null {
    return (this.#branched ?? this.#copies.at(-1))?.sessionId ?? null
  }

  /** Returns the session from which a line of the own session was copied, or null. */
  originOf(line: number): string | null {
    const copies = this.#branched === null ? this.#copies : [...this.#copies, this.#branched]
    return copies.find(({ untilLine }) => line <= untilLine)?.sessionId ?? null
  }

  get workingDirectory(): string | null {
    return this.#workingDirectory
  }

  /** Whether only a new name can change the title of a conversation. */
  hasSettledTitle(key: ConversationKey): boolean {
    return this.#titles.size > 0 || this.records.hasTyped(key)
  }

  /** The title is given by the person, else made by the model, else the first thing that was typed. */
  titleOf(key: ConversationKey): string | null {
    const isOwn = key.sessionId === this.#key?.sessionId && key.agentId === null
    const named = isOwn
      ? (this.#titles.get('custom-title') ?? this.#titles.get('ai-title') ?? this.#ownSummary())
      : null
    const title = named ?? this.records.firstTyped(key)
    return title === null ? null : oneLine(title)
  }

  add(record: JsonObject, line: number): void {
    const kind = kindOf(record)
    if (kind === 'unknown') {
      // Others may hang on it.
      this.records.add(record, line)
      return
    }
    if (kind === 'spoken' && this.#boundary === undefined)
      this.#boundary = record.subtype === 'compact_boundary' ? textAt(record, 'uuid') : null
    this.#workingDirectory ??= textAt(record, 'cwd')
    this.queued.observe(record)
    this.#noteTitle(record)
    this.#noteCost(record)
    if (record.subtype === 'compact_boundary') for (const uuid of keptIds(record)) this.#kept.add(uuid)
    this.records.add(record, line)
    if (kind !== 'spoken') return
    this.#key = this.records.keyOf(record)
    if (this.#key.agentId !== null) return
    this.#noteCopy(record, line)
    this.lastMessage = textAt(objectAt(record, 'message'), 'id') ?? textAt(record, 'uuid')
  }

  /** `/branch` names the session that it copies in every record, `--fork-session` in the answers alone. */
  #noteCopy(record: JsonObject, line: number): void {
    const parent = textAt(objectAt(record, 'forkedFrom'), 'sessionId')
    if (parent !== null) this.#branched = { sessionId: parent, untilLine: line }
    const origin = record.type === 'assistant' ? textAt(record, 'requestSessionId') : null
    if (origin === null || origin === this.#key?.sessionId) return
    const last = this.#copies.at(-1)
    if (last?.sessionId === origin) last.untilLine = line
    else this.#copies.push({ sessionId: origin, untilLine: line })
  }

  isKept(uuid: string): boolean {
    return this.#kept.has(uuid)
  }

  /** What a session cost, with its sub-agents. */
  costsOf({ sessionId, agentId }: ConversationKey): Costs | null {
    return agentId === null ? (this.#costs.get(sessionId) ?? null) : null
  }

  #noteCost(record: JsonObject): void {
    const [sessionId, cost] = [textAt(record, 'sessionId'), amountAt(record, 'totalCostUSD')]
    if (record.type !== 'cost-state' || sessionId === null || cost === null) return
    const after = this.#costs.get(sessionId)?.after ?? new Map<string, number>()
    if (this.lastMessage !== null) after.set(this.lastMessage, cost)
    this.#costs.set(sessionId, { cost, after })
  }

  #noteTitle(record: JsonObject): void {
    const title = textAt(record, 'customTitle') ?? textAt(record, 'aiTitle')
    if (title !== null) this.#titles.set(String(record.type), title)
    const summary = record.type === 'summary' ? textAt(record, 'summary') : null
    if (summary !== null) this.#summaries.push({ leafUuid: textAt(record, 'leafUuid') ?? '', title: summary })
  }

  /** Files also contain titles of other sessions. The own title names a record that is in the file. */
  #ownSummary(): string | null {
    return this.#summaries.findLast(({ leafUuid }) => this.records.has(leafUuid))?.title ?? null
  }
}
