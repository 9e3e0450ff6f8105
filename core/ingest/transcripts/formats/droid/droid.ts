import { basename } from 'node:path'
import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { compactionPart, messageOf, RecordClock, stringsIn, textBlock } from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, readJsonLines, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { MessagesReader } from '../messages/reader.ts'
import { isReadable } from '../messages/shape.ts'

/**
 * Sessions of Droid, the agent of Factory: a record `session_start`, then messages as the API of Anthropic has them.
 * They are in `~/.factory/sessions/<project>/<id>.jsonl`. https://docs.factory.ai
 */
export const droid: TranscriptFormat = { id: 'droid', label: 'Droid', detect, read }

/** Records of the program for itself. */
const bookkeeping: ReadonlySet<string> = new Set([
  'todo_state',
  'session_settings',
  'agent_turn_outcome',
  'session_end',
])

function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const isStart = (record: JsonObject): boolean => record.type === 'session_start' && textAt(record, 'id') !== null
  const messages = records.filter(isMessage)
  if (!records.some(isStart)) return 0
  return messages.length > 0 || records.length === 1 ? 0.99 : 0.5
}

const isMessage = (record: JsonObject): boolean => record.type === 'message' && isReadable(record.message)

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const reader = new DroidReader(source)
  yield* readJsonLines(source, 'storing', (record, origin, out) => reader.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

class DroidReader {
  readonly #source: TranscriptSource
  readonly #clock: RecordClock
  readonly #taken = new Set<string>()
  /** External ids of the messages that the model is sent. */
  #sent: string[] = []
  #session: { readonly id: string; readonly reader: MessagesReader } | null = null

  constructor(source: TranscriptSource) {
    this.#source = source
    this.#clock = new RecordClock(source.nowMs)
  }

  take(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const type = textAt(record, 'type') ?? ''
    const id = textAt(record, 'id')
    if (type === 'session_start') {
      this.#open(record)
      out.push({ kind: 'other' })
    } else if (bookkeeping.has(type)) {
      out.push({ kind: 'other' })
    } else if (id !== null && this.#taken.has(id)) {
      out.push({ kind: 'repeated' })
    } else if (isMessage(record)) {
      this.#takeMessage(record, origin, out)
    } else if (type === 'compaction_state' && stringsIn(record, 'summaryText', 'summary') !== null) {
      this.#takeCompaction(record, origin, out)
    } else {
      out.push({ kind: 'skipped', line: origin.line, reason: `unknown type of record: ${typeName(record.type)}` })
    }
    if (id !== null) this.#taken.add(id)
  }

  end(): TranscriptRecord[] {
    return this.#session?.reader.end() ?? []
  }

  #open(record: JsonObject) {
    const id = textAt(record, 'id') ?? `file:${basename(this.#source.path)}`
    const title = stringsIn(record, 'sessionTitle', 'title') ?? undefined
    const about = { title, cwd: textAt(record, 'cwd') ?? undefined }
    const parentSessionId = stringsIn(record, 'parent', 'parentSessionId', 'callingSessionId')
    const reader = new MessagesReader(this.#source, id, about, { parentSessionId })
    this.#session ??= { id, reader }
    return this.#session
  }

  #takeMessage(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const message = objectAt(record, 'message')
    const timestamp = record.timestamp ?? message.timestamp
    this.#clock.at(timestamp)
    const { reader } = this.#session ?? this.#open({})
    const before = out.length
    reader.take({ ...message, id: record.id ?? message.id, timestamp }, origin, out)
    for (const made of out.slice(before))
      if (made.kind === 'message' && made.message.externalId !== null) this.#sent.push(made.message.externalId)
  }

  /** The record says how many of the oldest messages the summary replaces. Without a number it is all of them. */
  #takeCompaction(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const { id: sessionId, reader } = this.#session ?? this.#open({})
    const text = stringsIn(record, 'summaryText', 'summary') ?? ''
    const createdAtMs = this.#clock.at(record.timestamp)
    const externalId = textAt(record, 'id') ?? `compaction-${origin.line}`
    const removed = countAt(record, 'removedCount') ?? this.#sent.length
    const gone = this.#sent.slice(0, removed)
    reader.declare(createdAtMs, out)
    const details = { ...origin.details, harness: true }
    const more = [compactionPart(null, { removed: gone.length })]
    const message = messageOf({ externalId, role: 'user', blocks: [textBlock(text)], createdAtMs, details, more })
    out.push({ kind: 'message', sessionId, message })
    const told = { key: externalId, text, atMs: createdAtMs, isAuto: null, model: null } as const
    const replaced = { kind: 'these', externalIds: new Set(gone), withSummaries: true } as const
    out.push({ kind: 'compaction', sessionId, ...told, recordedBy: [externalId], replaced })
    this.#sent = this.#sent.slice(gone.length)
  }
}
