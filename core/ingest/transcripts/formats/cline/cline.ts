import { readFileSync } from 'node:fs'
import type { NewPart } from '#core/ingest/new-message.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import { readDocument } from '#core/ingest/transcripts/read-document.ts'
import { MessagesReader } from '../messages/reader.ts'
import { isReadable } from '../messages/shape.ts'

/**
 * Sessions of Cline since its version 3: `<id>/<id>.messages.json` with what was said, and `<id>.json` with the title.
 * Sub-agents have files of their own in the folder of their session. https://github.com/cline/cline
 */
export const cline: TranscriptFormat = {
  id: 'cline',
  label: 'Cline',
  tried: { version: '3.0.65' },
  detect,
  read,
  besides: (path) => [besideOf(path)],
}

const headFields = ['sessionId', 'agent', 'origin', 'system_prompt'] as const

function detect({ values, isDocument }: TranscriptHead): number {
  const [first] = values
  if (!isDocument || !isObject(first) || textAt(first, 'sessionId') === null) return 0
  const isOurs = textAt(first, 'agent') !== null && isObject(first.origin)
  const messages = listAt(first, 'messages').filter(isObject)
  const readable = messages.filter((message) => isReadable(message) && 'ts' in message)
  return isOurs && 2 * readable.length >= messages.length ? 0.95 : 0
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const head: Record<string, unknown> = {}
  const paths = headFields.map((field) => `$.${field}`)
  yield* readDocument(source, 'looking', paths, ({ value, path }) => {
    head[String(path[0])] = value
  })
  const sessionId = textAt(head, 'sessionId') ?? source.path
  const origin = objectAt(head, 'origin')
  const session = descriptionBeside(source.path)
  const metadata = objectAt(session, 'metadata')
  const about = { title: textAt(metadata, 'title') ?? undefined, cwd: textAt(session, 'cwd') ?? undefined }
  const version = textAt(objectAt(metadata, 'sessionHistoryOrigin'), 'version')
  if (version !== null) yield { doing: 'looking', bytesRead: 0, records: [{ kind: 'written_by', version }] }
  const reader = new MessagesReader(source, sessionId, about, {
    parentSessionId: textAt(origin, 'parentThreadId'),
    finishOf,
  })
  const prompt = textAt(head, 'system_prompt')
  let isFirst = true
  yield* readDocument(source, 'storing', ['$.messages.*'], ({ value }, place, out) => {
    if (!isReadable(value)) {
      out.push({ kind: 'skipped', line: place.line, reason: 'not a message with a role and content' })
      return
    }
    if (isFirst && prompt !== null) {
      const system = { role: 'system', content: prompt, id: `${sessionId}/system`, ts: value.ts }
      reader.take(system, { ...place, details: { harness: true } }, out)
    }
    isFirst = false
    reader.take(value, place, out)
  })
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

/** Model and usage of an answer. The input tokens include those from the cache. */
function finishOf(message: JsonObject): NewPart[] {
  const metrics = objectAt(message, 'metrics')
  const model = textAt(objectAt(message, 'modelInfo'), 'id')
  if (message.role !== 'assistant' || (model === null && Object.keys(metrics).length === 0)) return []
  const metadata = JSON.stringify({
    model: model ?? undefined,
    cacheReadTokens: countAt(metrics, 'cacheReadTokens') ?? undefined,
    cacheWriteTokens: countAt(metrics, 'cacheWriteTokens') ?? undefined,
  })
  return [
    {
      type: 'step_finish',
      stepTokensIn: countAt(metrics, 'inputTokens'),
      stepTokensOut: countAt(metrics, 'outputTokens'),
      stepCost: amountAt(metrics, 'cost') ?? amountAt(metrics, 'totalCost'),
      metadata,
    },
  ]
}

const besideOf = (path: string): string => path.replace(/\.messages\.json$/, '.json')

/** Reads `<id>.json` beside `<id>.messages.json`. A transcript that was moved may be without it. */
function descriptionBeside(path: string): JsonObject {
  try {
    const [value] = parseObjects(readFileSync(besideOf(path), 'utf8')).values
    return isObject(value) && !('messages' in value) ? value : {}
  } catch {
    return {}
  }
}
