import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PartType, Role } from '#core/contract/ids.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { SqlParams, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** When the first message of a built memory was written: 2026-03-02T09:00:00Z. One minute passes a message. */
export const STORY_BEGINS_MS = Date.UTC(2026, 2, 2, 9)
const MINUTE_MS = 60_000

/** Columns of message_parts by their SQL names; only the type is needed. */
export type PartSpec = { readonly part_type: PartType } & Readonly<Record<string, SqlValue>>

export type MessageSpec = {
  readonly role?: Role
  readonly content?: string
  readonly tokens?: number
  readonly atMs?: number
  readonly externalId?: string | null
  readonly seq?: number
  /** Another value makes the hash wrong. */
  readonly hash?: string
  /** By default, one text part with the content. */
  readonly parts?: readonly PartSpec[]
  /** False for a message that is stored and not in the window. */
  readonly inWindow?: boolean
}

export type ConversationSpec = {
  readonly sessionId?: string
  readonly importer?: string
  readonly title?: string | null
  readonly parentConversationId?: number | null
  readonly messages?: readonly (MessageSpec | string)[]
}

export type SummarySpec = {
  readonly id?: string
  readonly content?: string
  readonly tokens?: number
  readonly depth?: number
  readonly kind?: 'leaf' | 'condensed'
  readonly level?: 'normal' | 'aggressive' | 'deterministic'
  /** By default, the tokens of the covered messages. */
  readonly sourceTokens?: number
  /** By default, the summaries among its sources and theirs, 0 for a leaf. */
  readonly descendants?: number
  readonly earliestMs?: number | null
  readonly latestMs?: number | null
  readonly atMs?: number
  readonly hash?: string
  readonly model?: string | null
  readonly fileIds?: readonly string[]
  /** False for a summary that is stored while the window stays unchanged. */
  readonly inWindow?: boolean
}

export type MemorySpec = { readonly conversations?: readonly ConversationSpec[] }

/** `tokens` are those of the message, or of the messages that the summary covers. */
type SourceRow = { hash: string; tokens: number; depth: number; below: number; earliest: number; latest: number }

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

const insert = (table: string, row: Readonly<Record<string, SqlValue>>): string =>
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
    .map((name) => `:${name}`)
    .join(', ')})`

const made: { empty: Buffer | null } = { empty: null }

/** The bytes of a native memory without a row. To copy them takes a third of the time in which the file is made. */
function emptyMemory(): Buffer {
  if (made.empty) return made.empty
  const path = join(temporaryFolder(), 'empty.db')
  openNative(path).close()
  made.empty = readFileSync(path)
  return made.empty
}

/**
 * A native memory in a temporary file, filled by SQL, so that tests of readers depend on no writer. Everything is right
 * by default, and can be overridden to make a fault.
 */
export class TestMemory {
  readonly db: WriteDb
  readonly path: string
  /** In the order in which they were made. */
  readonly conversationIds: number[] = []

  constructor(path = join(temporaryFolder(), 'lcm.db')) {
    this.path = path
    if (!existsSync(path)) writeFileSync(path, emptyMemory())
    this.db = openNative(path)
  }

  conversation(spec: ConversationSpec = {}): number {
    const id = this.#next('conversations', 'conversation_id')
    this.#insert('conversations', {
      conversation_id: id,
      session_id: spec.sessionId ?? `session-${id}`,
      importer: spec.importer ?? 'native',
      title: spec.title ?? null,
      parent_conversation_id: spec.parentConversationId ?? null,
      created_at: STORY_BEGINS_MS,
      updated_at: STORY_BEGINS_MS,
    })
    this.conversationIds.push(id)
    this.messages(id, spec.messages ?? [])
    return id
  }

  /** Appends messages and returns their numbers. A number makes that many messages, of user and assistant in turn. */
  messages(conversationId: number, specs: readonly (MessageSpec | string)[] | number): number[] {
    const list = typeof specs === 'number' ? Array.from({ length: specs }, () => ({})) : specs
    return this.db.transaction(() => list.map((spec) => this.message(conversationId, spec)))
  }

  message(conversationId: number, given: MessageSpec | string = {}): number {
    const spec = typeof given === 'string' ? { content: given } : given
    const id = this.#next('messages', 'message_id')
    const seq = spec.seq ?? this.#number('SELECT max(seq) + 1 FROM messages WHERE conversation_id = :c', conversationId)
    const content = spec.content ?? `Message ${seq} of conversation ${conversationId}.`
    const atMs = spec.atMs ?? STORY_BEGINS_MS + seq * MINUTE_MS
    this.#insert('messages', {
      message_id: id,
      conversation_id: conversationId,
      seq,
      role: spec.role ?? (seq % 2 === 0 ? 'user' : 'assistant'),
      token_count: spec.tokens ?? Math.ceil(content.length / 4),
      created_at: atMs,
      external_id: spec.externalId === undefined ? `e-${id}` : spec.externalId,
      content_hash: spec.hash ?? sha256(content),
      content,
    })
    this.parts(id, spec.parts ?? [{ part_type: 'text', is_content: 1 }])
    if (spec.inWindow ?? true) this.#putInWindow(conversationId, id, atMs)
    this.db.run('UPDATE conversations SET updated_at = max(updated_at, :at) WHERE conversation_id = :c', {
      at: atMs,
      c: conversationId,
    })
    return id
  }

  /** Adds parts after those that the message has. */
  parts(messageId: number, specs: readonly PartSpec[]): void {
    for (const spec of specs) {
      const ordinal =
        this.db.value<number>('SELECT max(ordinal) + 1 FROM message_parts WHERE message_id = :m', { m: messageId }) ?? 0
      this.#insert('message_parts', {
        part_id: `prt_${messageId}_${ordinal}`,
        message_id: messageId,
        session_id: `session-of-${messageId}`,
        ordinal,
        ...spec,
      })
    }
  }

  /** Adds a summary of messages, which replaces them in the window. */
  leaf(conversationId: number, messageIds: readonly number[], spec: SummarySpec = {}): string {
    const sources = messageIds.map((id): SourceRow => {
      const row = this.db.get<{ hash: string; tokens: number; at: number }>(
        'SELECT content_hash AS hash, token_count AS tokens, created_at AS at FROM messages WHERE message_id = :id',
        { id },
      )
      if (!row) throw new Error(`no message ${id}`)
      return { hash: row.hash, tokens: row.tokens, depth: -1, below: -1, earliest: row.at, latest: row.at }
    })
    const id = this.#summary(conversationId, 'leaf', sources, spec)
    messageIds.forEach((message, ordinal) => {
      this.#insert('summary_messages', { summary_id: id, message_id: message, ordinal })
    })
    if (spec.inWindow ?? true) this.#replaceInWindow(conversationId, 'message_id', messageIds, id)
    return id
  }

  /** Adds a summary of summaries, which replaces them in the window. */
  condensed(conversationId: number, summaryIds: readonly string[], spec: SummarySpec = {}): string {
    const sources = summaryIds.map((id): SourceRow => {
      const row = this.db.get<SourceRow>(
        `SELECT summary_hash AS hash, source_token_count AS tokens, depth, descendant_count AS below,
                earliest_at AS earliest, latest_at AS latest FROM summaries WHERE summary_id = :id`,
        { id },
      )
      if (!row) throw new Error(`no summary ${id}`)
      return row
    })
    const id = this.#summary(conversationId, 'condensed', sources, spec)
    summaryIds.forEach((source, ordinal) => {
      this.#insert('summary_sources', { summary_id: id, source_summary_id: source, ordinal })
    })
    if (spec.inWindow ?? true) this.#replaceInWindow(conversationId, 'summary_id', summaryIds, id)
    return id
  }

  /** Sets the window to exactly these items (message numbers and summary ids), ordinals from 0. */
  window(conversationId: number, items: readonly (number | string)[]): void {
    this.db.run('DELETE FROM context_items WHERE conversation_id = :c', { c: conversationId })
    items.forEach((item, ordinal) => {
      this.#insertItem(conversationId, ordinal, item, STORY_BEGINS_MS)
    })
  }

  /** The window in order: message numbers and summary ids. */
  windowItems(conversationId: number): (number | string)[] {
    return this.db.column<number | string>(
      'SELECT coalesce(message_id, summary_id) FROM context_items WHERE conversation_id = :c ORDER BY ordinal',
      { c: conversationId },
    )
  }

  largeFile(conversationId: number, row: Readonly<Record<string, SqlValue>> = {}): string {
    const count = this.db.value<number>('SELECT count(*) FROM large_files') ?? 0
    const id = `file_${sha256(`file ${count}`).slice(0, 16)}`
    this.#insert('large_files', {
      file_id: id,
      conversation_id: conversationId,
      storage_uri: `lcm-files/${conversationId}/${id}.txt`,
      created_at: STORY_BEGINS_MS,
      ...row,
    })
    return (row.file_id as string | undefined) ?? id
  }

  /** Damages the file: runs SQL without foreign keys, CHECK constraints and triggers, then restores them. */
  damage(sql: string, params: SqlParams = {}): void {
    const triggers = this.db.all<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    this.db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
    this.db.transaction(() => {
      for (const trigger of triggers) this.db.exec(`DROP TRIGGER ${trigger.name}`)
      this.db.run(sql, params)
      for (const trigger of triggers) this.db.exec(trigger.sql)
    })
    this.db.exec('PRAGMA ignore_check_constraints = OFF; PRAGMA foreign_keys = ON')
  }

  close(): void {
    this.db.close()
    rmSync(dirname(this.path), { recursive: true, force: true })
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #summary(
    conversationId: number,
    kind: 'leaf' | 'condensed',
    sources: readonly SourceRow[],
    spec: SummarySpec,
  ): string {
    const content = spec.content ?? `Summary of ${sources.length} ${kind === 'leaf' ? 'messages' : 'summaries'}.`
    const hash = spec.hash ?? sha256(`${sources.map((source) => source.hash).join(',')}|${content}`)
    const id = spec.id ?? `sum_${hash.slice(0, 16)}`
    const latest = sources.length === 0 ? null : Math.max(...sources.map((source) => source.latest))
    this.#insert('summaries', {
      summary_id: id,
      conversation_id: conversationId,
      kind: spec.kind ?? kind,
      depth: spec.depth ?? Math.max(-1, ...sources.map((source) => source.depth)) + 1,
      token_count: spec.tokens ?? Math.ceil(content.length / 4),
      source_token_count: spec.sourceTokens ?? sources.reduce((sum, source) => sum + source.tokens, 0),
      descendant_count: spec.descendants ?? sources.reduce((sum, source) => sum + source.below + 1, 0),
      earliest_at:
        spec.earliestMs !== undefined
          ? spec.earliestMs
          : sources.length === 0
            ? null
            : Math.min(...sources.map((source) => source.earliest)),
      latest_at: spec.latestMs !== undefined ? spec.latestMs : latest,
      created_at: spec.atMs ?? (latest ?? STORY_BEGINS_MS) + MINUTE_MS,
      level: spec.level ?? 'normal',
      model: spec.model ?? null,
      summary_hash: hash,
      file_ids: JSON.stringify(spec.fileIds ?? []),
      content,
    })
    return id
  }

  #replaceInWindow(
    conversationId: number,
    column: 'message_id' | 'summary_id',
    ids: readonly (number | string)[],
    by: string,
  ): void {
    let first: number | undefined
    for (const id of ids) {
      const ordinal = this.db.value<number>(
        `SELECT ordinal FROM context_items WHERE conversation_id = :c AND ${column} = :id`,
        { c: conversationId, id },
      )
      if (ordinal !== undefined) first = Math.min(first ?? ordinal, ordinal)
      this.db.run(`DELETE FROM context_items WHERE conversation_id = :c AND ${column} = :id`, { c: conversationId, id })
    }
    if (first === undefined) this.#putInWindow(conversationId, by, STORY_BEGINS_MS)
    else this.#insertItem(conversationId, first, by, STORY_BEGINS_MS)
  }

  #putInWindow(conversationId: number, item: number | string, atMs: number): void {
    const sql = 'SELECT max(ordinal) + 1 FROM context_items WHERE conversation_id = :c'
    this.#insertItem(conversationId, this.#number(sql, conversationId), item, atMs)
  }

  #insertItem(conversationId: number, ordinal: number, item: number | string, atMs: number): void {
    this.#insert('context_items', {
      conversation_id: conversationId,
      ordinal,
      item_type: typeof item === 'number' ? 'message' : 'summary',
      message_id: typeof item === 'number' ? item : null,
      summary_id: typeof item === 'string' ? item : null,
      created_at: atMs,
    })
  }

  #insert(table: string, row: Readonly<Record<string, SqlValue>>): void {
    this.db.run(insert(table, row), row)
  }

  #number(sql: string, conversationId: number): number {
    return this.db.value<number>(sql, { c: conversationId }) ?? 0
  }

  #next(table: string, column: string): number {
    return (this.db.value<number>(`SELECT max(${column}) FROM ${table}`) ?? 0) + 1
  }
}

/** A native memory in a temporary file, removed by `close()`, by `using`, or with the process. */
export function buildMemory(spec: MemorySpec = {}): TestMemory {
  const memory = new TestMemory()
  for (const conversation of spec.conversations ?? []) memory.conversation(conversation)
  return memory
}
