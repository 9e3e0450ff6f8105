import { basename } from 'node:path'
import type { ImportedFile, SkippedLine } from '../contract/import.ts'
import type { ConversationStore } from '../conversations/conversation-store.ts'
import type { NewMessage } from '../conversations/new-message.ts'
import type { WriteDb } from '../db/read-db.ts'
import type { ChainKey } from './claude-code-chains.ts'
import { ClaudeCodeMessages } from './claude-code-messages.ts'
import { kindOf } from './claude-code-record.ts'
import { ClaudeCodeSurvey } from './claude-code-survey.ts'
import type { Draft, Marks } from './draft.ts'
import { ImportBatch } from './import-batch.ts'
import { parseObjects } from './json-objects.ts'
import { isObject, type JsonObject, textAt } from './json-value.ts'
import { type Line, readLines } from './line-reader.ts'
import { linkId, MessageOrder } from './message-order.ts'

export const CLAUDE_CODE = 'claude-code'
const LISTED_SKIPS = 1000

const queries = {
  session: `
    SELECT conversation_id FROM conversations WHERE importer = :importer AND session_id = :sessionId`,
  hasMessages: `
    SELECT 1 FROM messages WHERE conversation_id = :conversationId LIMIT 1`,
  storedBlocks: `
    SELECT (SELECT count(*) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type <> 'step_finish')
    FROM messages AS m WHERE m.conversation_id = :conversationId AND m.external_id = :externalId`,
  adoptAgents: `
    UPDATE conversations SET parent_conversation_id = :conversationId
    WHERE importer = :importer AND parent_conversation_id IS NULL
      AND substr(session_id, 1, length(:prefix)) = :prefix`,
}

/** How far a file is: bytes whose messages are stored. */
export type ImportStep = { readonly doing: 'looking' | 'storing'; readonly bytes: number }

type Conversation = { readonly id: number; readonly key: ChainKey; readonly order: MessageOrder }

/** Takes one Claude Code transcript (https://code.claude.com) into a memory. */
export class ClaudeCodeImport {
  readonly #db: WriteDb
  readonly #store: ConversationStore
  readonly #path: string
  readonly #survey: ClaudeCodeSurvey
  readonly #messages: ClaudeCodeMessages
  readonly #batch: ImportBatch
  readonly #conversations = new Map<string, Conversation>()
  readonly #skipped: SkippedLine[] = []
  #skippedCount = 0
  #otherRecords = 0
  #repeated = 0

  /** `nowMs` dates messages before which no record has a time. */
  constructor(db: WriteDb, store: ConversationStore, path: string, nowMs: number) {
    this.#db = db
    this.#store = store
    this.#path = path
    this.#survey = new ClaudeCodeSurvey(`file:${basename(path)}`)
    this.#messages = new ClaudeCodeMessages(nowMs)
    this.#batch = new ImportBatch(store)
  }

  /** First reading; nothing is written. Returns whether this is a Claude Code transcript at all. */
  async *survey(): AsyncGenerator<ImportStep, boolean> {
    for await (const { lines } of readLines(this.#path)) {
      for (const line of lines) this.#survey.add(line)
      if (this.#survey.verdict === 'is_something_else') return false
      yield { doing: 'looking', bytes: 0 }
    }
    this.#survey.finish()
    return this.#survey.verdict === 'is_claude_code'
  }

  /** Second reading: stores the messages. Every batch that was written stays valid. */
  async *store(): AsyncGenerator<ImportStep, ImportedFile> {
    for await (const { lines, bytesRead } of readLines(this.#path)) {
      for (const line of lines) {
        this.#takeLine(line)
        if (!this.#batch.isFull) continue
        this.#batch.write()
        yield { doing: 'storing', bytes: bytesRead }
      }
      yield { doing: 'storing', bytes: bytesRead }
    }
    this.#finish()
    return this.result(null)
  }

  #takeLine(line: Line): void {
    if (line.kind === 'too_long') {
      this.#skip(line.number, `the line is too long: ${line.bytes} bytes`)
      return
    }
    if (line.text.trim() === '') return
    const { values, problem } = parseObjects(line.text)
    const marks: Marks = line.isUtf8 ? {} : { replacedBytes: true }
    for (const value of values) {
      if (isObject(value)) this.#takeRecord(value, line.number, marks)
      else this.#skip(line.number, `not a record but ${value === null ? 'null' : `a JSON ${jsonType(value)}`}`)
    }
    if (problem !== null) this.#skip(line.number, problem)
  }

  #takeRecord(record: JsonObject, line: number, marks: Marks): void {
    const kind = kindOf(record)
    if (kind === 'unknown') {
      const type = textAt(record, 'type')
      this.#skip(line, type === null ? 'a record without a type' : `unknown type of record: ${type.slice(0, 60)}`)
    } else if (record.type === 'queue-operation') {
      const missing = this.#survey.queued.follow(record)
      if (missing) this.#takeSpoken(missing, { ...marks, queued: true })
      else this.#otherRecords += 1
    } else if (kind === 'silent') {
      this.#otherRecords += 1
    } else if (record.type === 'assistant' && !this.#survey.chains.take(record)) {
      this.#repeated += 1
    } else {
      this.#takeSpoken(record, marks)
    }
  }

  #takeSpoken(record: JsonObject, marks: Marks): void {
    const { chains } = this.#survey
    const drafts = this.#messages.drafts(record, chains.isAbandoned(record) ? { ...marks, abandoned: true } : marks)
    if (drafts.length === 0 && record.subtype !== 'compact_boundary') this.#otherRecords += 1
    if (drafts.length > 0) this.#takeDrafts(chains.keyOf(record), drafts)
  }

  #takeDrafts(key: ChainKey, drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      const atMs = draft.kind === 'whole' ? draft.message.createdAtMs : draft.createdAtMs
      const conversation = this.#conversation(key, atMs)
      this.#add(conversation.id, conversation.order.take(draft))
    }
  }

  #add(conversationId: number, messages: readonly NewMessage[]): void {
    for (const message of messages) this.#batch.add(conversationId, message)
  }

  #conversation(key: ChainKey, createdAtMs: number): Conversation {
    const sessionId = sessionName(key)
    const known = this.#conversations.get(sessionId)
    if (known) return known
    const session = { importer: CLAUDE_CODE, sessionId: key.sessionId }
    const parentConversationId =
      key.agentId === null ? null : (this.#db.value<number>(queries.session, session) ?? null)
    const id = this.#store.ensureConversation({
      importer: CLAUDE_CODE,
      sessionId,
      logicalKey: this.#survey.workingDirectory,
      sourceUri: this.#path,
      parentConversationId,
      title: this.#survey.titleOf(key),
      createdAtMs,
    })
    const isNew = this.#db.value(queries.hasMessages, { conversationId: id }) === undefined
    const order = new MessageOrder({
      expectedBlocks: (apiId) => this.#survey.chains.blocksOf(apiId),
      storedLinks: (apiId) => (isNew ? [] : this.#storedLinks(id, apiId)),
    })
    const conversation = { id, key, order }
    this.#conversations.set(sessionId, conversation)
    return conversation
  }

  #storedLinks(conversationId: number, apiId: string): number[] {
    const links: number[] = []
    for (;;) {
      const externalId = linkId(apiId, links.length)
      const blocks = this.#db.value<number>(queries.storedBlocks, { conversationId, externalId })
      if (blocks === undefined) return links
      links.push(blocks)
    }
  }

  #finish(): void {
    const { key } = this.#survey
    if (key) this.#takeDrafts(key, this.#messages.end())
    for (const { id, order } of this.#conversations.values()) this.#add(id, order.end())
    this.#batch.write()
    for (const { id: conversationId, key: its } of this.#conversations.values()) {
      const title = this.#survey.titleOf(its)
      if (title !== null) this.#store.setTitle(conversationId, title)
      const prefix = `${sessionName(its)}${AGENT}`
      this.#db.run(queries.adoptAgents, { conversationId, importer: CLAUDE_CODE, prefix })
    }
  }

  /** What became of the file so far. */
  result(error: string | null): ImportedFile {
    const { key } = this.#survey
    const own = key === null ? undefined : this.#conversations.get(sessionName(key))
    return {
      path: this.#path,
      format: CLAUDE_CODE,
      conversationId: own?.id ?? this.#conversations.values().next().value?.id ?? null,
      sessionId: key === null ? null : sessionName(key),
      added: this.#batch.added,
      alreadyThere: this.#batch.alreadyThere + this.#repeated,
      conflicts: this.#batch.conflicts,
      otherRecords: this.#otherRecords,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      error,
    }
  }

  #skip(line: number, reason: string): void {
    this.#skippedCount += 1
    if (this.#skipped.length < LISTED_SKIPS) this.#skipped.push({ line, reason })
  }
}

const AGENT = '/agent-'

/** Session id of a conversation; those of sub-agents lie under that of their session. */
const sessionName = (key: ChainKey): string =>
  key.agentId === null ? key.sessionId : `${key.sessionId}${AGENT}${key.agentId}`

const jsonType = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
