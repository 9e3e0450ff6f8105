import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { KimiReader, placeIn } from './reader.ts'
import { filesBeside } from './session.ts'
import { KimiWindow } from './window.ts'

/** What tools are and do, and how the person is shown a call. */
const ASIDES = /^(?:tools\[\]|event\.display)/

/**
 * Sessions of Kimi Code: `sessions/<folder>/<session>/agents/<agent>/wire.jsonl`, a log of what changes the window of one
 * agent. https://github.com/MoonshotAI/kimi-code
 */
export const kimi: TranscriptFormat = {
  id: 'kimi-code',
  label: 'Kimi Code',
  tried: { version: '2.1.0', ofFiles: '1.5', namedBy: (record) => textAt(record, 'protocol_version') },
  detect,
  read,
  asides: ASIDES,
  besides: filesBeside,
}

function detect({ values }: TranscriptHead): number {
  const [first, ...rest] = values.filter(isObject)
  if (first?.type === 'metadata' && textAt(first, 'protocol_version') !== null) return 0.98
  return first && [first, ...rest].some(isOfContext) ? 0.9 : 0
}

const isOfContext = (record: JsonObject): boolean =>
  (record.type === 'context.append_message' && isObject(record.message)) ||
  (record.type === 'context.append_loop_event' && isObject(record.event))

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const from = placeIn(source.place?.from ?? null)
  const window = new KimiWindow()
  yield* readJsonLines(source, 'looking', (record, { line }) => window.add(record, line))
  if (from !== null && !window.onlyGrows) return
  window.finish()
  const reader = new KimiReader(source, window, from)
  yield* readJsonLines(source, 'storing', (record, origin, out) => reader.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
