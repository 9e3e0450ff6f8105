import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { isOldHeader } from './items.ts'
import { placeIn, StraightRecords } from './place.ts'
import { CodexReader } from './reader.ts'
import { CodexSurvey } from './survey.ts'

/** Rollouts of the Codex CLI: `RolloutLine`s, and the bare items of the first versions. https://github.com/openai/codex */
export const codex: TranscriptFormat = {
  id: 'codex',
  label: 'Codex',
  tried: { version: '0.171.0', namedBy: (record) => textAt(objectAt(record, 'payload'), 'cli_version') },
  detect,
  read,
}

const wrapped: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'token_usage_record',
  'world_state',
  'inter_agent_communication_metadata',
])
const bare: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'function_call_output'])

const isWrapped = (record: JsonObject): boolean => wrapped.has(textAt(record, 'type') ?? '') && isObject(record.payload)

function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const [first] = records
  if (!first) return 0
  if (first.type === 'session_meta' && textAt(objectAt(first, 'payload'), 'id') !== null) return 1
  const ours = records.filter(isWrapped).length
  if (ours > 0) return ours / records.length > 0.5 ? 0.95 : 0.6
  if (!isOldHeader(first)) return 0
  return records.length === 1 || records.some((record) => bare.has(textAt(record, 'type') ?? '')) ? 0.9 : 0
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const from = placeIn(source.place?.from ?? null)
  const straight = from && new StraightRecords()
  const survey = new CodexSurvey(from)
  yield* readJsonLines(source, 'looking', (record, { line }) => {
    straight?.add(record)
    survey.add(record, line)
  })
  if (straight?.areStraight === false) return
  const reader = new CodexReader(source, survey, from)
  yield* readJsonLines(source, 'storing', (record, place, out) => reader.take(record, place, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
