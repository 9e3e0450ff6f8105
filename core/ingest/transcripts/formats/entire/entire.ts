import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  callBlock,
  jsonText,
  messageOf,
  RecordClock,
  resultMessage,
  textBlock,
  timeOf,
} from '#core/ingest/transcripts/parts.ts'
import { type RecordOrigin, readJsonLines, typeName } from '#core/ingest/transcripts/read-lines.ts'

/** The neutral, compact transcript of Entire, version 1. https://github.com/entireio/cli */
export const entire: TranscriptFormat = { id: 'entire', label: 'Entire (compact)', detect, read }

const isOurs = (record: JsonObject): boolean =>
  record.v === 1 && textAt(record, 'agent') !== null && typeof record.type === 'string' && 'ts' in record

function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const ours = records.filter(isOurs).length
  return ours === 0 ? 0 : ours / records.length > 0.5 ? 0.98 : 0.6
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const reader = new EntireReader(source)
  yield* readJsonLines(source, 'storing', (record, origin, out) => reader.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

class EntireReader {
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  readonly #finished = new Set<string>()
  #sessionId: string | null = null
  #title: string | null = null

  constructor(source: TranscriptSource) {
    this.#clock = new RecordClock(source.nowMs)
  }

  take(record: JsonObject, { line, details }: RecordOrigin, out: TranscriptRecord[]): void {
    if (!isOurs(record) || (record.type !== 'user' && record.type !== 'assistant')) {
      const what = record.v === 1 ? `type of record: ${typeName(record.type)}` : 'version or kind of record'
      out.push({ kind: 'skipped', line, reason: `unknown ${what}` })
      return
    }
    const atMs = this.#clock.at(record.ts)
    const sessionId = this.#session(record, atMs, out)
    const blocks = contentOf(record)
    const first = blocks.find(isObject)
    const own = textAt(record, 'id') ?? (first === undefined ? null : textAt(first, 'id'))
    const externalId =
      own === null ? this.#ids.next('record', JSON.stringify(record.ts), JSON.stringify(blocks)) : this.#ids.named(own)
    if (record.type === 'user') this.#takeUser(sessionId, externalId, blocks, atMs, details, out)
    else this.#takeAssistant(sessionId, externalId, record, atMs, details, out)
  }

  /** The format names no session. It is recognised by its beginning, which never changes. */
  #session(record: JsonObject, startedAtMs: number, out: TranscriptRecord[]): string {
    if (this.#sessionId !== null) return this.#sessionId
    const beginning = JSON.stringify([record.agent, record.ts, record.type, record.content])
    this.#sessionId = `begins_${sha256(beginning).slice(0, 24)}`
    out.push({ kind: 'session', sessionId: this.#sessionId, startedAtMs })
    return this.#sessionId
  }

  #takeUser(
    sessionId: string,
    externalId: string,
    content: readonly unknown[],
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const blocks = content.map(blockOf)
    const text = blocks.map((block) => block.text ?? '').find((words) => words.trim() !== '')
    if (text !== undefined) this.#title ??= oneLine(text)
    const message = messageOf({ externalId, role: 'user', blocks, createdAtMs, details })
    out.push({ kind: 'message', sessionId, message })
  }

  #takeAssistant(
    sessionId: string,
    externalId: string,
    record: JsonObject,
    createdAtMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const content = contentOf(record)
    const more = this.#finish(record)
    const message = messageOf({
      externalId,
      role: 'assistant',
      blocks: content.map(blockOf),
      createdAtMs,
      details,
      more,
    })
    out.push({ kind: 'message', sessionId, message })
    for (const block of content.filter(isObject)) {
      if (block.type !== 'tool_use' || block.result == null) continue
      const callId = textAt(block, 'id')
      const result = isObject(block.result) ? block.result : { output: block.result }
      out.push({
        kind: 'message',
        sessionId,
        message: resultMessage({
          externalId: this.#ids.named(`${callId ?? externalId}/result`),
          callId,
          name: textAt(block, 'name'),
          output: typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? ''),
          isError: textAt(result, 'status') === 'error',
          createdAtMs: timeOf(record.ts) ?? createdAtMs,
          details,
        }),
      })
    }
  }

  end(): TranscriptRecord[] {
    return this.#sessionId === null || this.#title === null
      ? []
      : [{ kind: 'title', sessionId: this.#sessionId, title: this.#title }]
  }

  /** Usage is on every record of an answer, and stored once. */
  #finish(record: JsonObject): NewPart[] {
    const id = textAt(record, 'id')
    const input = countAt(record, 'input_tokens')
    if (id === null || input === null || this.#finished.has(id)) return []
    this.#finished.add(id)
    return [{ type: 'step_finish', stepTokensIn: input, stepTokensOut: countAt(record, 'output_tokens') }]
  }
}

/** The content is a list of blocks or a text. */
const contentOf = ({ content }: JsonObject): readonly unknown[] =>
  Array.isArray(content) ? content : content == null ? [] : [content]

function blockOf(block: unknown): BlockPart {
  if (!isObject(block)) return unknownBlock(block)
  if (block.type === 'tool_use') {
    const status = textAt(objectAt(block, 'result'), 'status')
    return callBlock({ id: textAt(block, 'id'), name: textAt(block, 'name'), input: jsonText(block.input), status })
  }
  return typeof block.text === 'string' ? textBlock(block.text) : unknownBlock(block)
}
