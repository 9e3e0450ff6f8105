import type { RowChange } from '../contract/repair.ts'
import { draftedMemory } from './drafted-memory.ts'
import type { Link, StoredLinks } from './links.ts'
import type { Memory, MemoryRows } from './memory.ts'
import type { Messages } from './messages.ts'
import { diffLinks, diffSummary, diffWindow } from './row-changes.ts'
import type { DraftSummary, SummaryRow } from './summaries.ts'
import type { StoredEntry } from './window-entries.ts'

/** The links of one summary to messages or to other summaries, by their numbers or ids. */
export type MessageLinks = readonly Link<number>[]
export type SourceLinks = readonly Link<string>[]

export type WindowEntry = StoredEntry

/** The state before the first change since the last `take()`. */
type Before = {
  readonly summaries: Map<string, DraftSummary | undefined>
  readonly messageLinks: Map<string, MessageLinks>
  readonly sourceLinks: Map<string, SourceLinks>
  readonly windows: Map<number, readonly WindowEntry[]>
  readonly tokens: Map<number, number>
}

const nothing = (): Before => ({
  summaries: new Map(),
  messageLinks: new Map(),
  sourceLinks: new Map(),
  windows: new Map(),
  tokens: new Map(),
})

/**
 * The derived rows of a memory as they would be after a change: summaries without texts, links, windows and token
 * counts. Nothing that is set here is written to a file. `take()` gives the rows that changed since the last call.
 */
export class Draft {
  readonly messages: DraftMessages
  /** The summaries by id, in the order in which they are stored. */
  readonly summaries: Map<string, DraftSummary>
  readonly #rows: MemoryRows
  /** The present links of those summaries whose links were asked for or changed. */
  readonly #messageLinks = new Map<string, MessageLinks>()
  readonly #sourceLinks = new Map<string, SourceLinks>()
  readonly #windows: Map<number, readonly WindowEntry[]>
  #before = nothing()
  /** The memory of the present state. It is null after a change, until somebody asks for it. */
  #memory: Memory | null = null

  constructor(rows: MemoryRows) {
    this.#rows = rows
    this.messages = new DraftMessages(rows)
    this.summaries = new Map(rows.summaries.rows.map((row) => [row.id, draftSummary(row)]))
    this.#windows = windowsOf(rows)
  }

  /** Returns the links of a summary in their order, even if the summary itself does not exist. */
  messageLinks(id: string): MessageLinks {
    let links = this.#messageLinks.get(id)
    if (!links) {
      links = this.#stored(id)?.messages ?? this.#plainMessageLinks(id)
      this.#messageLinks.set(id, links)
    }
    return links
  }

  sourceLinks(id: string): SourceLinks {
    let links = this.#sourceLinks.get(id)
    if (!links) {
      links = this.#stored(id)?.sources ?? this.#plainSourceLinks(id)
      this.#sourceLinks.set(id, links)
    }
    return links
  }

  #stored(id: string): StoredLinks | undefined {
    return this.#rows.links.stored.get(id)
  }

  #plainMessageLinks(id: string): MessageLinks {
    const { links, summaries, messages } = this.#rows
    const node = summaries.nodeOf(id)
    if (node < 0) return []
    return Array.from(links.messagesOf(node), (position, ordinal) => ({
      to: messages.ids[position] as number,
      ordinal,
    }))
  }

  #plainSourceLinks(id: string): SourceLinks {
    const { links, summaries } = this.#rows
    const sources = links.sources[summaries.nodeOf(id)] ?? []
    return sources.map((source, ordinal) => ({ to: summaries.at(source).id, ordinal }))
  }

  /** The ids that own links, whether or not a summary has that id. Owners of links to messages come first. */
  *owners(): Iterable<string> {
    const all = [...new Set([...this.#rows.summaries.rows.map(({ id }) => id), ...this.#rows.links.stored.keys()])]
    const sorted = all.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    for (const id of sorted) if (this.messageLinks(id).length > 0) yield id
    for (const id of sorted) if (this.messageLinks(id).length === 0 && this.sourceLinks(id).length > 0) yield id
  }

  get conversationIds(): readonly number[] {
    return [...this.#windows.keys()]
  }

  window(conversationId: number): readonly WindowEntry[] {
    return this.#windows.get(conversationId) ?? []
  }

  isEmpty(id: string): boolean {
    return this.messageLinks(id).length === 0 && this.sourceLinks(id).length === 0
  }

  /** Returns the direct sources of a summary that exist. */
  sources(id: string): DraftSummary[] {
    return this.sourceLinks(id).flatMap((link) => this.summaries.get(link.to) ?? [])
  }

  /**
   * Returns the memory that follows from the present state: order, what each summary stands for, and coverage. The
   * token counts of messages are those of the file. After a change it is computed anew, which takes some milliseconds
   * in a large memory, so ask once a step.
   */
  memory(): Memory {
    this.#memory ??= draftedMemory(this, this.#rows, (id) => this.#keptPositions(id))
    return this.#memory
  }

  /** Returns the positions of the messages that a summary names, or null when its links were changed. */
  #keptPositions(id: string): Int32Array | null {
    const { links, summaries } = this.#rows
    const node = summaries.nodeOf(id)
    return node < 0 || this.#messageLinks.has(id) || links.stored.has(id) ? null : links.messagesOf(node)
  }

  /** Returns the ids of the dependents of each summary. */
  dependents(): Map<string, string[]> {
    const dependents = new Map<string, string[]>()
    for (const id of this.summaries.keys()) {
      for (const { to } of this.sourceLinks(id)) {
        const list = dependents.get(to)
        if (list) list.push(id)
        else dependents.set(to, [id])
      }
    }
    return dependents
  }

  set(id: string, patch: Partial<DraftSummary>): void {
    const now = this.summaries.get(id)
    if (!now) throw new Error(`no summary ${id}`)
    keep(this.#before.summaries, id, now)
    this.#memory = null
    this.summaries.set(id, { ...now, ...patch })
  }

  add(summary: DraftSummary): void {
    keep(this.#before.summaries, summary.id, undefined)
    this.#memory = null
    this.summaries.set(summary.id, summary)
  }

  /** Removes a summary and its own links. Summaries that name it as a source keep their links. */
  remove(id: string): void {
    keep(this.#before.summaries, id, this.summaries.get(id))
    this.#memory = null
    this.summaries.delete(id)
    if (this.messageLinks(id).length > 0) this.setMessageLinks(id, [])
    if (this.sourceLinks(id).length > 0) this.setSourceLinks(id, [])
  }

  setMessageLinks(id: string, links: MessageLinks): void {
    keep(this.#before.messageLinks, id, this.messageLinks(id))
    this.#memory = null
    this.#messageLinks.set(id, links)
  }

  setSourceLinks(id: string, links: SourceLinks): void {
    keep(this.#before.sourceLinks, id, this.sourceLinks(id))
    this.#memory = null
    this.#sourceLinks.set(id, links)
  }

  setWindow(conversationId: number, entries: readonly WindowEntry[]): void {
    keep(this.#before.windows, conversationId, this.window(conversationId))
    this.#memory = null
    this.#windows.set(conversationId, entries)
  }

  setMessageTokens(messageId: number, tokens: number): void {
    keep(this.#before.tokens, messageId, this.messages.tokensOf(messageId))
    this.messages.setTokens(messageId, tokens)
  }

  /** The summaries whose links or text were set since the last `take()`. */
  get touched(): ReadonlySet<string> {
    const { messageLinks, sourceLinks, summaries } = this.#before
    const rewritten = [...summaries.keys()].filter((id) => this.summaries.get(id)?.content !== undefined)
    return new Set([...messageLinks.keys(), ...sourceLinks.keys(), ...rewritten])
  }

  /** Returns the rows that changed since the last call or, at the first call, since the file was read. */
  take(): RowChange[] {
    const before = this.#before
    this.#before = nothing()
    const changes: RowChange[] = []
    for (const [id, was] of before.summaries) changes.push(...diffSummary(was, this.summaries.get(id)))
    for (const [id, was] of before.messageLinks) {
      changes.push(...diffLinks('summary_messages', 'message_id', id, was, this.messageLinks(id)))
    }
    for (const [id, was] of before.sourceLinks) {
      changes.push(...diffLinks('summary_sources', 'source_summary_id', id, was, this.sourceLinks(id)))
    }
    for (const [id, was] of before.windows) changes.push(...diffWindow(id, was, this.window(id)))
    for (const [id, was] of before.tokens) {
      const now = this.messages.tokensOf(id)
      if (now === was) continue
      const key = { message_id: id }
      changes.push({ table: 'messages', key, before: { token_count: was }, after: { token_count: now } })
    }
    return changes
  }
}

/** The messages of a draft. Only their token counts change. A count that is no number is read as 0. */
export class DraftMessages {
  readonly #messages: Messages
  readonly #events: ReadonlySet<number>
  readonly #tokens = new Map<number, number>()

  constructor({ messages, events }: MemoryRows) {
    this.#messages = messages
    this.#events = events
  }

  get length(): number {
    return this.#messages.length
  }

  /** Returns −1 for a message that does not exist. */
  positionOf(id: number): number {
    return this.#messages.positionOf(id)
  }

  has(id: number): boolean {
    return this.positionOf(id) >= 0
  }

  idAt(position: number): number {
    return this.#messages.ids[position] as number
  }

  conversationAt(position: number): number {
    return this.#messages.conversationAt(position)
  }

  seqAt(position: number): number {
    return this.#messages.seqs[position] || 0
  }

  createdAtMsAt(position: number): number {
    return this.#messages.createdAtMs[position] || 0
  }

  /** Whether the message only records an event and is no part of the conversation. */
  isEvent(position: number): boolean {
    return this.#events.has(position)
  }

  seqOf(id: number): number | undefined {
    const position = this.positionOf(id)
    return position < 0 ? undefined : this.seqAt(position)
  }

  /** Returns 0 for a message that does not exist. */
  tokensOf(id: number): number {
    return this.#tokens.get(id) ?? (this.#messages.tokens[this.positionOf(id)] || 0)
  }

  setTokens(id: number, tokens: number): void {
    this.#tokens.set(id, tokens)
  }
}

function keep<K, V>(before: Map<K, V>, key: K, value: V): void {
  if (!before.has(key)) before.set(key, value)
}

function draftSummary({ index: _, recordedTokens, shownRange, ...row }: SummaryRow): DraftSummary {
  return { ...row, ...shownRange, sourceTokens: recordedTokens }
}

function windowsOf({ window, messages, summaries }: MemoryRows): Map<number, readonly WindowEntry[]> {
  const windows = new Map<number, WindowEntry[]>()
  for (let index = 0; index < window.length; index += 1) {
    const conversationId = window.conversations[index] as number
    const entries = windows.get(conversationId) ?? []
    if (entries.length === 0) windows.set(conversationId, entries)
    const target = window.targets[index] as number
    const placedAtMs = window.placedAtMs[index] as number
    const isSummary = window.isSummary[index] === 1
    entries.push(
      window.stored.get(index) ?? {
        ordinal: window.ordinals[index] as number,
        messageId: isSummary ? null : (messages.ids[target] as number),
        summaryId: isSummary ? summaries.at(target).id : null,
        placedAtMs: Number.isNaN(placedAtMs) ? null : placedAtMs,
      },
    )
  }
  return windows
}
