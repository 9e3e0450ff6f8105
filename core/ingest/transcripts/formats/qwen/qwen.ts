import { basename } from 'node:path'
import { descriptionBeside } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { QwenReader } from './reader.ts'
import { isSpoken, recordTypes } from './record.ts'

/** What is shown to the person of a result or a notice. */
const ASIDES = /^(?:toolCallResult|systemPayload\.displayText)/

/**
 * Sessions of Qwen Code: the records of Claude Code around the messages of Gemini's interface.
 * https://github.com/QwenLM/qwen-code
 */
export const qwen: TranscriptFormat = {
  id: 'qwen-code',
  label: 'Qwen Code',
  tried: { version: '0.24.4', namedBy: (record) => textAt(record, 'version') },
  detect,
  read,
  chain: { id: 'uuid', parent: 'parentUuid' },
  asides: ASIDES,
  notes: (path) => [descriptionBeside(path)],
}

/** The messages tell it from Claude Code, whose records have the same envelope. */
function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject).filter(isEnvelope)
  const spoken = records.filter((record) => Array.isArray(objectAt(record, 'message').parts))
  const foreign = records.filter((record) => objectAt(record, 'message').content !== undefined)
  if (spoken.length > foreign.length) return 0.97
  return records.some((record) => record.subtype === 'chat_compression' && foreign.length === 0) ? 0.97 : 0
}

const isEnvelope = (record: JsonObject): boolean =>
  recordTypes.has(textAt(record, 'type') ?? '') && textAt(record, 'uuid') !== null && 'parentUuid' in record

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const graph = new RecordGraph()
  yield* readJsonLines(source, 'looking', (record, { line }) => addRecord(graph, record, line))
  graph.finish()
  const reader = new QwenReader(graph, source, `file:${basename(source.path)}`)
  yield* readJsonLines(source, 'storing', (record, origin, out) => reader.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

function addRecord(graph: RecordGraph, record: JsonObject, line: number): void {
  const uuid = textAt(record, 'uuid')
  if (uuid === null) return
  graph.add(uuid, record.parentUuid === null ? null : (textAt(record, 'parentUuid') ?? undefined), {
    isSpoken: isSpoken(record),
    line,
  })
}
