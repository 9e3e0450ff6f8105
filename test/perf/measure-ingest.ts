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
  /** The same messages as `toolShare`, a turn of six in a transaction. */
  readonly turnShare: number
  /** The same, 1,000 in a transaction, as an import stores them. */
  readonly bulkShare: number
}

type Row = Readonly<Record<string, string | number | null>>
type Rows = { readonly message: Row; readonly parts: readonly Row[]; readonly item: Row; readonly texts: Row }
type Indexes = 'directly' | 'by triggers'

/** At least this many messages are stored between two looks at the clock. */
const BLOCK = 100
const TURN = 6
const BULK = 1000

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

/** Stores messages in transactions of several sizes, and writes the same rows and index entries by bare statements. */
export function measureIngest(messages: number): IngestMeasure {
  const toolMessages = (): Iterable<NewMessage> => historyStream({ seed: 11, messages, words: 29 })
  const short = shares([...shortMessages(messages)], 1)
  const tool = shares([...toolMessages()], 1)
  return {
    shortShare: short.directly,
    toolShare: tool.directly,
    toolShareOfTriggers: tool.byTriggers,
    turnShare: shares([...toolMessages()], TURN).directly,
    bulkShare: shares([...toolMessages()], BULK).directly,
  }
}

function* shortMessages(messages: number): Generator<NewMessage> {
  for (const message of historyStream({ seed: 12, messages, words: 29 })) {
    const content = message.content.slice(0, 100)
    yield { ...message, content, parts: [{ type: 'text', text: content }] }
  }
}

/** @param together how many messages are stored in one transaction */
function shares(all: readonly NewMessage[], together: number): { directly: number; byTriggers: number } {
  const folder = temporaryFolder()
  const db = openNative(join(folder, 'store.db'))
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'one' })
  const put = (messages: readonly NewMessage[]): void => {
    if (together === 1) store.append(conversationId, messages)
    else store.ingestBulk([{ conversationId, messages }])
  }
  const bare = new BareFile(join(folder, 'bare.db'), 'directly')
  const triggered = new BareFile(join(folder, 'triggered.db'), 'by triggers')
  const directly: number[] = []
  const byTriggers: number[] = []
  const block = Math.ceil(BLOCK / together) * together
  for (let from = 0; from + block <= all.length; from += block) {
    const transactions = Array.from({ length: block / together }, (_, index) => {
      const first = from + index * together
      return all.slice(first, first + together)
    })
    const ours = cpuMs(() => {
      for (const messages of transactions) put(messages)
    })
    const rows = transactions.map((messages, index) =>
      messages.map((_, place) => rowsOf(db, from + index * together + place + 1)),
    )
    directly.push(cpuMs(() => writeAll(bare, rows)) / ours)
    byTriggers.push(cpuMs(() => writeAll(triggered, rows)) / ours)
  }
  for (const file of [db, bare, triggered]) file.close()
  rmSync(folder, { recursive: true, force: true })
  return { directly: median(directly), byTriggers: median(byTriggers) }
}

function writeAll(file: BareFile, transactions: readonly (readonly Rows[])[]): void {
  for (const rows of transactions) file.write(rows)
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
  readonly write: (messages: readonly Rows[]) => void

  constructor(path: string, indexes: Indexes) {
    openNative(path).close()
    this.#db = new Database(path)
    this.#db.pragma('foreign_keys = ON')
    this.#db.pragma('synchronous = NORMAL')
    this.#db.exec(queries.conversation)
    if (indexes === 'directly') this.#db.exec(queries.dropTriggers)
    this.#indexes = indexes
    this.write = this.#db.transaction((messages: readonly Rows[]) => {
      for (const rows of messages) this.#write(rows)
    }).immediate
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
