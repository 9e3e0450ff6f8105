import { resolve } from 'node:path'
import type { DocumentValue } from '#core/ingest/transcripts/document-reader.ts'
import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument } from '#core/ingest/transcripts/read-document.ts'
import { type RecordOrigin, readJsonLines, takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { MessagesReader } from './reader.ts'
import { isMessage, isReadable, layoutOf, roleOf } from './shape.ts'

/**
 * Plain messages as the APIs of Anthropic and OpenAI take them: `{role, content}` in a list, under `messages`, or one a
 * line. https://platform.openai.com/docs/api-reference/chat
 */
export const messages: TranscriptFormat = { id: 'messages', label: 'Messages (role, content)', detect, read }

function detect(head: TranscriptHead): number {
  return layoutOf(head) === null ? 0 : 0.55
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const sessions = new Sessions(source)
  switch (layoutOf(source.head)) {
    case 'document_list':
      yield* readDocument(source, 'storing', ['$.*'], one(sessions))
      break
    case 'document_messages':
      yield* readDocument(source, 'storing', ['$.messages.*'], one(sessions))
      break
    case 'document_conversations':
      yield* readDocument(source, 'storing', ['$.*'], ({ value }, origin, out) =>
        sessions.takeConversation(value, origin, out),
      )
      break
    case 'line_conversations':
      yield* readJsonLines(source, 'storing', (record, origin, out) => sessions.takeConversation(record, origin, out))
      break
    default:
      yield* readJsonLines(source, 'storing', (record, origin, out) => sessions.takeMessage(record, origin, out))
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: sessions.end() }
}

const one =
  (sessions: Sessions) =>
  ({ value }: DocumentValue, origin: RecordOrigin, out: TranscriptRecord[]): void =>
    sessions.takeMessage(value, origin, out)

/** Matches ids that are unique among all conversations, and not only numbers in a file. */
const OWN_ID = /^[\w:.-]{16,200}$/

/** Finds the conversations of a file. One without an id is identified by its place. */
class Sessions {
  readonly #source: TranscriptSource
  readonly #address: string
  #opened = 0
  readonly #names = new Set<string>()
  #only: MessagesReader | null = null

  constructor(source: TranscriptSource) {
    this.#source = source
    this.#address = `file:${resolve(source.path)}`
  }

  takeMessage(value: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const [first] = this.#source.head.values
    this.#only ??= this.#open(isObject(first) && Array.isArray(first.messages) ? first : {}, this.#address)
    take(this.#only, value, origin, out)
  }

  takeConversation(value: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const list = isObject(value) ? listAt(value, 'messages') : []
    if (!isObject(value) || !list.some(isMessage)) {
      out.push({
        kind: 'skipped',
        line: origin.line,
        reason: 'not a conversation: no list of messages with role and content',
      })
      return
    }
    this.#opened += 1
    const numbered = `${this.#address}#${this.#opened}`
    // A file of one line is a document until there are more lines.
    const isFirst = this.#opened === 1 && !this.#source.hasSession(numbered)
    const reader = this.#open(value, isFirst ? this.#address : numbered)
    for (const message of list)
      takeGuarded(message, origin, (value, place, records) => take(reader, value, place, records), out)
    out.push(...reader.end())
  }

  end(): TranscriptRecord[] {
    return this.#only?.end() ?? []
  }

  #open(about: JsonObject, address: string): MessagesReader {
    const own = ['session_id', 'sessionId', 'conversation_id', 'conversationId', 'thread_id', 'id', 'uuid']
      .map((key) => textAt(about, key))
      .find((id) => id !== null && OWN_ID.test(id) && !this.#names.has(id))
    const sessionId = own ?? address
    this.#names.add(sessionId)
    return new MessagesReader(this.#source, sessionId, about)
  }
}

function take(reader: MessagesReader, value: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
  if (isReadable(value)) reader.take(value, origin, out)
  else out.push({ kind: 'skipped', line: origin.line, reason: whyNot(value) })
}

function whyNot(value: unknown): string {
  if (!isObject(value)) return 'not a message but a plain value'
  if (textAt(value, 'role') === null) return 'a message without a role'
  return roleOf(value) === null
    ? 'a message with an unknown role'
    : 'a message whose content is neither text nor blocks'
}
