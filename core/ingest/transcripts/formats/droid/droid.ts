import { basename } from 'node:path'
import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import {
  compactionPart,
  messageOf,
  neverSent,
  RecordClock,
  stringsIn,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, readJsonLines, typeName } from '#core/ingest/transcripts/read-lines.ts'
import { MessagesReader } from '../messages/reader.ts'
import { isReadable } from '../messages/shape.ts'

/**
 * Sessions of Droid, the agent of Factory: a record `session_start`, then messages as the API of Anthropic has them.
 * They are in `~/.factory/sessions/<project>/<id>.jsonl`. https://docs.factory.ai
 */
export const droid: TranscriptFormat = { id: 'droid', label: 'Droid', tried: { version: '0.215.0' }, detect, read }

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
  /** External ids of all messages in their order. */
  readonly #said: string[] = []
  /** How many of them there were after each record, by its id. */
  readonly #saidAfter = new Map<string, number>()
  /** How many of the oldest of them compactions replaced. */
  #replaced = 0
  /** The session from which this one was forked, while copies of its messages are read, and the last of them. */
  #copied: { readonly from: string; readonly until: string } | null = null
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
    if (id !== null) {
      this.#taken.add(id)
      this.#saidAfter.set(id, this.#said.length)
    }
    if (id === this.#copied?.until) this.#copied = null
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
    if (this.#session) return this.#session
    const until = textAt(record, 'forkedAtMessageId')
    if (parentSessionId !== null && until !== null) this.#copied = { from: parentSessionId, until }
    this.#session = { id, reader }
    return this.#session
  }

  #takeMessage(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const message = objectAt(record, 'message')
    const timestamp = record.timestamp ?? message.timestamp
    this.#clock.at(timestamp)
    const { reader } = this.#session ?? this.#open({})
    const isOfProgram = record.visibility === 'llm_only' || textAt(record, 'id')?.startsWith('context-') === true
    const given = isOfProgram ? { ...origin, details: { ...origin.details, harness: true } } : origin
    const before = out.length
    reader.take({ ...message, id: record.id ?? message.id, timestamp }, given, out)
    for (const made of out.splice(before)) {
      out.push(this.#asCopy(made))
      if (made.kind !== 'message' || made.message.externalId === null) continue
      const { externalId, createdAtMs } = made.message
      this.#said.push(externalId)
      if (record.visibility === 'user_only') out.push(neverSent(made.sessionId, externalId, createdAtMs))
    }
  }

  /** A fork begins with the messages of its parent, under the same ids. */
  #asCopy(made: TranscriptRecord): TranscriptRecord {
    return made.kind === 'message' && this.#copied ? { ...made, copiedFrom: [this.#copied.from] } : made
  }

  /**
   * The record names the last message that the summary replaces. Older versions say how many of the oldest messages that
   * are still sent it replaces. Without either it is all of them.
   */
  #takeCompaction(record: JsonObject, origin: RecordOrigin, out: TranscriptRecord[]): void {
    const { id: sessionId, reader } = this.#session ?? this.#open({})
    const text = stringsIn(record, 'summaryText', 'summary') ?? ''
    const createdAtMs = this.#clock.at(record.timestamp)
    const externalId = textAt(record, 'id') ?? `compaction-${origin.line}`
    const anchor = textAt(objectAt(record, 'anchorMessage'), 'id')
    const upTo =
      this.#saidAfter.get(anchor ?? '') ?? this.#replaced + (countAt(record, 'removedCount') ?? this.#said.length)
    const gone = this.#said.slice(this.#replaced, upTo)
    reader.declare(createdAtMs, out)
    const details = { ...origin.details, harness: true }
    const more = [compactionPart(null, { removed: gone.length })]
    const message = messageOf({ externalId, role: 'user', blocks: [textBlock(text)], createdAtMs, details, more })
    out.push(this.#asCopy({ kind: 'message', sessionId, message }))
    const told = { key: externalId, text, atMs: createdAtMs, isAuto: null, model: null } as const
    const replaced = { kind: 'these', externalIds: new Set(gone), summaries: 'all' } as const
    out.push({ kind: 'compaction', sessionId, ...told, recordedBy: [externalId], replaced })
    this.#replaced += gone.length
  }
}
