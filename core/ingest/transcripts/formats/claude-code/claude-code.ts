import { basename, dirname, join } from 'node:path'
import { descriptionBeside } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { type RecordOrigin, readJsonLines } from '#core/ingest/transcripts/read-lines.ts'
import { OriginalNames } from './original-names.ts'
import { ContinuationCheck, placeIn } from './place.ts'
import { ClaudeCodeReader } from './reader.ts'
import { kindOf } from './record.ts'
import { ClaudeCodeSurvey } from './survey.ts'

/** A record of a known type with one of these fields was written by Claude Code. */
const identifying = ['sessionId', 'leafUuid', 'messageId', 'uuid'] as const

/**
 * Claude Code's own JSONL (https://code.claude.com). Which sessions were put aside stands in `archived.json` of its folder
 * of projects.
 */
export const claudeCode: TranscriptFormat = {
  id: 'claude-code',
  label: 'Claude Code',
  tried: { version: '2.1.332', namedBy: (record) => textAt(record, 'version') },
  detect,
  read,
  chain: { id: 'uuid', parent: 'parentUuid' },
  asides: /^(?:toolUseResult|attachment\b|content: Conversation compacted)/,
  notes: (path) => [descriptionBeside(path), join(dirname(dirname(path)), 'archived.json')],
}

/** Other agents have the same envelope around messages of another shape, so the messages decide. */
function detect({ values }: TranscriptHead): number {
  const records = values.filter(isObject)
  const messages = records.filter(({ message }) => isObject(message)).map(({ message }) => message as JsonObject)
  const readable = messages.filter(({ content }) => typeof content === 'string' || Array.isArray(content)).length
  if (readable < messages.length - readable) return 0
  const isOurs = (record: JsonObject): boolean =>
    kindOf(record) !== 'unknown' && identifying.some((field) => typeof record[field] === 'string')
  const ours = records.filter(isOurs).length
  return ours === 0 ? 0 : ours / records.length > 0.5 ? 0.95 : 0.7
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const from = placeIn(source.place?.from ?? null)
  const continuation = from && new ContinuationCheck(from)
  const survey = new ClaudeCodeSurvey(`file:${basename(source.path)}`, from)
  const names = await OriginalNames.read(source.path, source.head.values)
  const look = (record: JsonObject, { line }: RecordOrigin): void => {
    const restored = names.restored(record)
    continuation?.add(restored)
    survey.add(restored, line)
  }
  yield* readJsonLines(source, 'looking', look, JSON.parse)
  survey.finish()
  if (continuation?.isContinued === false) return
  const reader = new ClaudeCodeReader(survey, source, { from, names })
  yield* readJsonLines(source, 'storing', (record, { line, details }, out) =>
    reader.take(names.restored(record), line, details, out),
  )
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}
