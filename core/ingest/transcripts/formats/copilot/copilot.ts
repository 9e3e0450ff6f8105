import { basename } from 'node:path'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { CopilotForks } from './forks.ts'
import { CopilotReader } from './reader.ts'
import { workspaceOf } from './workspace.ts'

/** What is shown to the person of a call and its result, and measurements. */
const ASIDES = /^data\.(?:toolTelemetry|result\.detailedContent|toolRequests\[\]\.intentionSummary)/

/**
 * Sessions of the Copilot CLI: `session-state/<id>/events.jsonl`, a chain of events in the order of time.
 * https://github.com/github/copilot-cli
 */
export const copilot: TranscriptFormat = {
  id: 'copilot-cli',
  label: 'Copilot CLI',
  tried: { version: '1.0.102', namedBy: (event) => textAt(objectAt(event, 'data'), 'copilotVersion') },
  detect,
  read,
  asides: ASIDES,
  besides: (path) => [workspaceOf(path)],
}

const EVENT =
  /^(?:session\.(?:start|resume)|(?:user|assistant|system)\.message|assistant\.turn_(?:start|end)|tool\.execution_(?:start|complete))$/

function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const ours = records.filter(isEvent).length
  return ours === 0 ? 0 : ours > records.length / 3 ? 0.96 : 0.6
}

const isEvent = (record: JsonObject): boolean =>
  EVENT.test(textAt(record, 'type') ?? '') && isObject(record.data) && textAt(record, 'id') !== null

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const forks = new CopilotForks()
  yield* readJsonLines(source, 'looking', (record, { line }) => forks.take(record, line))
  const reader = new CopilotReader(source, `file:${basename(source.path)}`, forks)
  yield* readJsonLines(source, 'storing', (record, origin, out) => reader.take(record, origin, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
