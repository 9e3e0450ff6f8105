import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument, readFields } from '#core/ingest/transcripts/read-document.ts'
import { readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { recordTypes } from './message.ts'
import { GeminiReader } from './reader.ts'
import { GeminiSurvey } from './survey.ts'

/** What a tool shows to the person, and what it is for. */
const ASIDES = /toolCalls\[\]\.(?:resultDisplay|description|displayName)/

/**
 * Chats of the Gemini CLI: one JSON document, or since 2026 lines of which later ones replace earlier ones.
 * https://github.com/google-gemini/gemini-cli
 */
export const gemini: TranscriptFormat = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  tried: { version: '0.61.0' },
  detect,
  read,
  asides: ASIDES,
}

function detect({ values }: TranscriptHead): number {
  const [first] = values
  if (!isObject(first)) return 0
  const isHeader = textAt(first, 'sessionId') !== null && textAt(first, 'projectHash') !== null
  const messages = listAt(first, 'messages').filter(isObject)
  if (Array.isArray(first.messages)) {
    if (messages.length === 0) return isHeader ? 0.9 : 0
    return isHeader ? 1 : messages.every(isMessage) && textAt(first, 'sessionId') !== null ? 0.8 : 0
  }
  const lines = values.slice(1).filter(isObject)
  const ours = lines.filter((line) => isMessage(line) || '$set' in line || '$rewindTo' in line).length
  if (isHeader) return lines.length === 0 || ours > 0 ? 0.95 : 0.5
  return values.filter(isObject).every((line) => isMessage(line)) && ours > 0 ? 0.7 : 0
}

const isMessage = (record: JsonObject): boolean =>
  textAt(record, 'id') !== null &&
  recordTypes.has(textAt(record, 'type') ?? '') &&
  'content' in record &&
  !('message' in record)

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const [first] = source.head.values
  if (isObject(first) && (Array.isArray(first.messages) || source.head.isDocument)) yield* readLegacy(source, first)
  else yield* readLines(source)
}

async function* readLines(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const survey = new GeminiSurvey()
  yield* readJsonLines(source, 'looking', (record) => survey.add(record))
  const reader = new GeminiReader(source, survey)
  yield* readJsonLines(source, 'storing', (record, place, out) => reader.take(record, place, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

const headerFields = [
  'sessionId',
  'projectHash',
  'startTime',
  'summary',
  'directories',
  'kind',
  'parentSessionId',
] as const

async function* readLegacy(source: TranscriptSource, head: JsonObject): AsyncGenerator<TranscriptChunk> {
  const found = textAt(head, 'sessionId') === null ? yield* readFields(source, headerFields) : {}
  const reader = new GeminiReader(source, new GeminiSurvey())
  reader.open({ ...head, messages: undefined, ...found })
  const paths = headerFields.map((field) => `$.${field}`)
  yield* readDocument(source, 'storing', ['$.messages.*', ...paths], ({ value, path }, place, out) => {
    if (path.length === 1) reader.takeMetadata({ [String(path[0])]: value })
    else if (isObject(value)) reader.take(value, place, out)
    else out.push({ kind: 'skipped', line: place.line, reason: 'not a message but a plain value' })
  })
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
