import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readJsonLines, type Take } from '#core/ingest/transcripts/read-lines.ts'
import { isOldHeader } from './items.ts'
import { ContinuationCheck, placeIn } from './place.ts'
import { CodexReader } from './reader.ts'
import { type Rollout, rolloutsOf } from './rollouts.ts'
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
  const continuation = from && new ContinuationCheck()
  const survey = new CodexSurvey(from)
  const all = rolloutsOf(source)
  const isNewest = all.at(-1)?.head === null
  // What was read of the file may have been taken back since.
  if (from !== null && !isNewest) return
  const rollouts = from === null ? all : [THIS_FILE]
  for (const [number, rollout] of rollouts.entries())
    yield* readRollout(source, rollout, 'looking', (record, { line }) => {
      continuation?.add(record)
      survey.add(record, lineOf(line, number))
    })
  if (continuation?.isContinued === false) return
  const reader = new CodexReader(source, survey, { from, isNewest })
  for (const [number, rollout] of rollouts.entries()) {
    reader.begin(rollout, (line) => lineOf(line, number))
    yield* readRollout(source, rollout, 'storing', (record, origin, out) => reader.take(record, origin, out))
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

const THIS_FILE: Rollout = { head: null, takenBackFrom: Number.POSITIVE_INFINITY }

/** Numbers the lines of several files. */
const lineOf = (line: number, rollout: number): number => rollout * 2 ** 32 + line

/** Reads one file of the session. Only for the file that is imported is it reported what could not be used. */
async function* readRollout(
  source: TranscriptSource,
  { head }: Rollout,
  doing: TranscriptChunk['doing'],
  take: Take<JsonObject>,
): AsyncGenerator<TranscriptChunk> {
  if (head === null) {
    yield* readJsonLines(source, doing, take)
    return
  }
  const { parsedOnce: _, observe: __, versionIn: ___, ...rest } = source
  for await (const { records } of readJsonLines({ ...rest, head }, doing, take)) {
    yield { doing, bytesRead: 0, records: records.filter(({ kind }) => !LINE_REPORTS.has(kind)) }
  }
}

/** Reports on lines of a file. They are left to the reading of that file. */
const LINE_REPORTS: ReadonlySet<TranscriptRecord['kind']> = new Set(['skipped', 'other', 'repeated', 'conflict'])
