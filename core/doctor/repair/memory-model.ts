import { createHash } from 'node:crypto'
import type { RowChange } from '../../contract/repair.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { MessageTable } from './message-table.ts'
import { diffEdges, diffSummary, diffWindow } from './model-changes.ts'

const queries = {
  summaries: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId, kind, depth, token_count AS tokens,
      source_token_count AS sourceTokens, descendant_count AS descendants, earliest_at AS earliestAtMs,
      latest_at AS latestAtMs, created_at AS createdAtMs, level, model, prompt_version AS promptVersion,
      summary_hash AS hash, file_ids AS fileIds
    FROM summaries
    ORDER BY summary_rowid`,
  messageEdges: /* sql */ `
    SELECT summary_id, message_id, coalesce(ordinal, 0) FROM summary_messages ORDER BY summary_id, ordinal, message_id`,
  sourceEdges: /* sql */ `
    SELECT summary_id, source_summary_id, coalesce(ordinal, 0) FROM summary_sources
    ORDER BY summary_id, ordinal, source_summary_id`,
  window: /* sql */ `
    SELECT conversation_id AS conversationId, ordinal, message_id AS messageId, summary_id AS summaryId,
      created_at AS placedAtMs
    FROM context_items
    ORDER BY conversation_id, ordinal`,
  text: /* sql */ `SELECT content FROM summaries WHERE summary_id = :id`,
  hashes: /* sql */ `
    SELECT e.key AS place, m.content_hash AS hash
    FROM json_each(:ids) AS e JOIN messages AS m ON m.message_id = e.value
    ORDER BY e.key`,
}

/** A row of `summaries`; null where another system does not record it. */
export type SummaryState = {
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number | null
  readonly tokens: number | null
  readonly sourceTokens: number | null
  readonly descendants: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  readonly createdAtMs: number | null
  readonly level: string | null
  readonly model: string | null
  readonly promptVersion: string | null
  readonly hash: string | null
  readonly fileIds: string | null
  /** Only of a text that is new here; the file has the others. */
  readonly content?: string
}

/** From a summary to a message number or another summary's id. */
export type Edge<Id> = { readonly to: Id; readonly ordinal: number }
export type MessageEdges = readonly Edge<number>[]
export type SourceEdges = readonly Edge<string>[]

export type WindowEntry = {
  readonly ordinal: number
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly placedAtMs: number | null
}

type Snapshot = {
  readonly summaries: Map<string, SummaryState | undefined>
  readonly messageEdges: Map<string, MessageEdges>
  readonly sourceEdges: Map<string, SourceEdges>
  readonly windows: Map<number, readonly WindowEntry[]>
  readonly tokens: Map<number, number>
}

const emptySnapshot = (): Snapshot => ({
  summaries: new Map(),
  messageEdges: new Map(),
  sourceEdges: new Map(),
  windows: new Map(),
  tokens: new Map(),
})

/**
 * Every derived row of a file but texts, held in memory so that changes can be tried out: what is set here is written
 * nowhere. `take()` gives the rows that differ since the last time.
 */
export class MemoryModel {
  readonly db: ReadDb
  readonly messages: MessageTable
  /** In the order in which they were stored. */
  readonly summaries = new Map<string, SummaryState>()
  readonly #messageEdges = new Map<string, MessageEdges>()
  readonly #sourceEdges = new Map<string, SourceEdges>()
  readonly #windows = new Map<number, readonly WindowEntry[]>()
  #before = emptySnapshot()

  private constructor(db: ReadDb, messages: MessageTable) {
    this.db = db
    this.messages = messages
  }

  /** Reads the whole file; yields now and then. */
  static *read(db: ReadDb): Generator<void, MemoryModel> {
    const model = new MemoryModel(db, yield* MessageTable.read(db))
    for (const row of db.iterate<SummaryState>(queries.summaries)) model.summaries.set(row.id, row)
    yield
    yield* collect(db.iterateRaw<[string, number, number]>(queries.messageEdges), model.#messageEdges)
    yield* collect(db.iterateRaw<[string, string, number]>(queries.sourceEdges), model.#sourceEdges)
    const windows = new Map<number, WindowEntry[]>()
    for (const { conversationId, ...entry } of db.iterate<WindowEntry & { conversationId: number }>(queries.window)) {
      const list = windows.get(conversationId)
      if (list) list.push(entry)
      else windows.set(conversationId, [entry])
    }
    for (const [conversationId, entries] of windows) model.#windows.set(conversationId, entries)
    return model
  }

  /** Of a summary, in order; also of one that does not exist. */
  messageEdges(id: string): MessageEdges {
    return this.#messageEdges.get(id) ?? []
  }

  sourceEdges(id: string): SourceEdges {
    return this.#sourceEdges.get(id) ?? []
  }

  /** Ids that own edges, whether or not there is such a summary. */
  *owners(): Iterable<string> {
    yield* this.#messageEdges.keys()
    for (const id of this.#sourceEdges.keys()) if (!this.#messageEdges.has(id)) yield id
  }

  get conversationIds(): readonly number[] {
    return [...this.#windows.keys()]
  }

  window(conversationId: number): readonly WindowEntry[] {
    return this.#windows.get(conversationId) ?? []
  }

  isEmpty(id: string): boolean {
    return this.messageEdges(id).length === 0 && this.sourceEdges(id).length === 0
  }

  /** Sources that exist. */
  sources(id: string): SummaryState[] {
    return this.sourceEdges(id).flatMap((edge) => this.summaries.get(edge.to) ?? [])
  }

  /** Who is made from whom, of summaries that exist. */
  dependents(): Map<string, string[]> {
    const dependents = new Map<string, string[]>()
    for (const [id, edges] of this.#sourceEdges) {
      if (!this.summaries.has(id)) continue
      for (const { to } of edges) {
        const list = dependents.get(to)
        if (list) list.push(id)
        else dependents.set(to, [id])
      }
    }
    return dependents
  }

  set(id: string, patch: Partial<SummaryState>): void {
    const now = this.summaries.get(id)
    if (!now) throw new Error(`no summary ${id}`)
    keep(this.#before.summaries, id, now)
    this.summaries.set(id, { ...now, ...patch })
  }

  add(summary: SummaryState): void {
    keep(this.#before.summaries, summary.id, undefined)
    this.summaries.set(summary.id, summary)
  }

  /** With its edges; whoever names it is not touched. */
  remove(id: string): void {
    keep(this.#before.summaries, id, this.summaries.get(id))
    this.summaries.delete(id)
    if (this.messageEdges(id).length > 0) this.setMessageEdges(id, [])
    if (this.sourceEdges(id).length > 0) this.setSourceEdges(id, [])
  }

  setMessageEdges(id: string, edges: MessageEdges): void {
    keep(this.#before.messageEdges, id, this.messageEdges(id))
    this.#messageEdges.set(id, edges)
  }

  setSourceEdges(id: string, edges: SourceEdges): void {
    keep(this.#before.sourceEdges, id, this.sourceEdges(id))
    this.#sourceEdges.set(id, edges)
  }

  setWindow(conversationId: number, entries: readonly WindowEntry[]): void {
    keep(this.#before.windows, conversationId, this.window(conversationId))
    this.#windows.set(conversationId, entries)
  }

  setMessageTokens(messageId: number, tokens: number): void {
    const row = this.messages.rowOf(messageId)
    keep(this.#before.tokens, messageId, this.messages.tokens[row] as number)
    this.messages.tokens[row] = tokens
  }

  /** Summaries whose edges or text were set since the last `take()`. */
  get touched(): ReadonlySet<string> {
    const { messageEdges, sourceEdges, summaries } = this.#before
    const rewritten = [...summaries.keys()].filter((id) => this.summaries.get(id)?.content !== undefined)
    return new Set([...messageEdges.keys(), ...sourceEdges.keys(), ...rewritten])
  }

  textOf(id: string): string {
    return this.summaries.get(id)?.content ?? this.db.value<string>(queries.text, { id }) ?? ''
  }

  /** SHA-256 of the hashes of the sources, joined by commas, a bar, and the text. */
  hashFor(
    text: string,
    sources: { readonly messages: readonly number[]; readonly summaries: readonly string[] },
  ): string {
    const own = this.db.all<{ hash: string | null }>(queries.hashes, { ids: JSON.stringify(sources.messages) })
    const hashes = [
      ...own.map((row) => row.hash ?? ''),
      ...sources.summaries.flatMap((id) => this.summaries.get(id)?.hash ?? []),
    ]
    return createHash('sha256')
      .update(`${hashes.join(',')}|${text}`, 'utf8')
      .digest('hex')
  }

  /** What the stored hash of a summary should be. */
  expectedHash(id: string): string {
    const messages = this.messageEdges(id).map((edge) => edge.to)
    return this.hashFor(this.textOf(id), { messages, summaries: this.sourceEdges(id).map((edge) => edge.to) })
  }

  /** The rows that differ from what they were at the last call (or in the file). */
  take(): RowChange[] {
    const before = this.#before
    this.#before = emptySnapshot()
    const changes: RowChange[] = []
    for (const [id, was] of before.summaries) changes.push(...diffSummary(was, this.summaries.get(id)))
    for (const [id, was] of before.messageEdges) {
      changes.push(...diffEdges('summary_messages', 'message_id', id, was, this.messageEdges(id)))
    }
    for (const [id, was] of before.sourceEdges) {
      changes.push(...diffEdges('summary_sources', 'source_summary_id', id, was, this.sourceEdges(id)))
    }
    for (const [id, was] of before.windows) changes.push(...diffWindow(id, was, this.window(id)))
    for (const [id, was] of before.tokens) {
      const now = this.messages.tokens[this.messages.rowOf(id)] as number
      if (now === was) continue
      const key = { message_id: id }
      changes.push({ table: 'messages', key, before: { token_count: was }, after: { token_count: now } })
    }
    return changes
  }
}

function keep<K, V>(before: Map<K, V>, key: K, value: V): void {
  if (!before.has(key)) before.set(key, value)
}

const SLICE_ROWS = 20_000

function* collect<Id>(
  rows: Iterable<readonly [string, Id, number]>,
  into: Map<string, readonly Edge<Id>[]>,
): Generator<void> {
  let seen = 0
  let id: string | null = null
  let edges: Edge<Id>[] = []
  for (const [owner, to, ordinal] of rows) {
    if (owner !== id) {
      id = owner
      edges = []
      into.set(owner, edges)
    }
    edges.push({ to, ordinal })
    seen += 1
    if (seen % SLICE_ROWS === 0) yield
  }
}
