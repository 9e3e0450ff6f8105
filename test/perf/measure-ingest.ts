import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { historyStream } from '../builders/history.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Messages a second as shares of what bare statements write, the median over blocks that are written alternately. */
export type IngestMeasure = {
  /** Short messages with one text part. */
  readonly shortShare: number
  /** Messages with tool calls, results and reasoning. */
  readonly toolShare: number
  /** The same where the bare statements leave the indexes to the triggers of the file. */
  readonly toolShareOfTriggers: number
}

type Row = Readonly<Record<string, string | number | null>>
type Rows = { readonly message: Row; readonly parts: readonly Row[]; readonly item: Row; readonly texts: Row }
type Indexes = 'directly' | 'by triggers'

const BLOCK = 100

const queries = {
  message: /* sql */ `SELECT * FROM messages WHERE message_id = :id`,
  parts: /* sql */ `SELECT * FROM message_parts WHERE message_id = :id ORDER BY ordinal`,
  item: /* sql */ `SELECT * FROM context_items WHERE message_id = :id`,
  texts: /* sql */ `
    SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = :id`,
  insert: (table: string, row: Row) => /* sql */ `
    INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')})`,
  index: (table: string) => /* sql */ `
    INSERT INTO ${table} (rowid, content, tool_input, tool_output, reasoning) VALUES (?, ?, ?, ?, ?)`,
  conversation: /* sql */ `
    INSERT INTO conversations (conversation_id, session_id, importer, created_at, updated_at) VALUES (1, 'one', 'bench', 1, 1)`,
  touch: /* sql */ `UPDATE conversations SET updated_at = ? WHERE conversation_id = 1`,
  dropTriggers: /* sql */ `DROP TRIGGER messages_index_insert; DROP TRIGGER message_parts_index_insert`,
}

/** Stores messages one by one, each in a transaction, and writes the same rows and index entries by bare statements. */
export function measureIngest(messages: number): IngestMeasure {
  const short = shares(messages, shortMessages(messages))
  const tool = shares(messages, historyStream({ seed: 11, messages, words: 29 }))
  return { shortShare: short.directly, toolShare: tool.directly, toolShareOfTriggers: tool.byTriggers }
}

function* shortMessages(messages: number): Generator<NewMessage> {
  for (const message of historyStream({ seed: 12, messages, words: 29 })) {
    const content = message.content.slice(0, 100)
    yield { ...message, content, parts: [{ type: 'text', text: content }] }
  }
}

function shares(messages: number, history: Iterable<NewMessage>): { directly: number; byTriggers: number } {
  const folder = temporaryFolder()
  const db = openNative(join(folder, 'store.db'))
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'one' })
  const bare = new BareFile(join(folder, 'bare.db'), 'directly')
  const triggered = new BareFile(join(folder, 'triggered.db'), 'by triggers')
  const directly: number[] = []
  const byTriggers: number[] = []
  const all = [...history]
  for (let from = 0; from + BLOCK <= messages; from += BLOCK) {
    const block = all.slice(from, from + BLOCK)
    const ours = cpuMs(() => {
      for (const message of block) store.append(conversationId, [message])
    })
    const rows = block.map((_, index) => rowsOf(db, from + index + 1))
    directly.push(cpuMs(() => writeAll(bare, rows)) / ours)
    byTriggers.push(cpuMs(() => writeAll(triggered, rows)) / ours)
  }
  for (const file of [db, bare, triggered]) file.close()
  rmSync(folder, { recursive: true, force: true })
  return { directly: median(directly), byTriggers: median(byTriggers) }
}

function writeAll(file: BareFile, rows: readonly Rows[]): void {
  for (const one of rows) file.write(one)
}

function rowsOf(db: ReadDb, id: number): Rows {
  const one = (sql: string): Row => db.get<Row>(sql, { id }) ?? {}
  const { message, item, texts } = { message: one(queries.message), item: one(queries.item), texts: one(queries.texts) }
  return { message, parts: db.all<Row>(queries.parts, { id }), item, texts }
}

/** A native file without this program: prepared statements on the driver, with the same settings. */
class BareFile {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #indexes: Indexes
  readonly write: (rows: Rows) => void

  constructor(path: string, indexes: Indexes) {
    openNative(path).close()
    this.#db = new Database(path)
    this.#db.pragma('foreign_keys = ON')
    this.#db.pragma('synchronous = NORMAL')
    this.#db.exec(queries.conversation)
    if (indexes === 'directly') this.#db.exec(queries.dropTriggers)
    this.#indexes = indexes
    this.write = this.#db.transaction((rows: Rows) => this.#write(rows)).immediate
  }

  close(): void {
    this.#db.close()
  }

  #write({ message, parts, item, texts }: Rows): void {
    this.#insert('messages', message)
    for (const part of parts) this.#insert('message_parts', part)
    this.#insert('context_items', item)
    this.#prepared(queries.touch).run(message.created_at)
    if (this.#indexes === 'by triggers') return
    for (const table of ['messages_fts', 'messages_trigram']) {
      this.#prepared(queries.index(table)).run(...Object.values(texts))
    }
  }

  #insert(table: string, row: Row): void {
    const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
    this.#prepared(queries.insert(table, given)).run(...Object.values(given))
  }

  #prepared(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function cpuMs(body: () => void): number {
  const before = process.cpuUsage()
  body()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

if (import.meta.main) console.log(JSON.stringify(measureIngest(4000), null, 2))
