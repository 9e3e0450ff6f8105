import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { valueBeside } from '#core/ingest/transcripts/files-beside.ts'
import type {
  TranscriptChunk,
  TranscriptFormat,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import {
  amountAt,
  countAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from '#core/ingest/transcripts/json-value.ts'
import { finishPart, timeOf } from '#core/ingest/transcripts/parts.ts'
import { readDocument, readFields } from '#core/ingest/transcripts/read-document.ts'
import { MessagesReader } from '../messages/reader.ts'
import { isReadable } from '../messages/shape.ts'
import { sentMessage } from './blocks.ts'
import { ClineCompaction } from './compaction.ts'

/** The marks around the words of a person, which are not sent. */
const ASIDES = /: <user_input mode="/

/**
 * Sessions of Cline since its version 3: `<id>/<id>.messages.json` with what was said, `<id>.json` with the title, and
 * `<id>.compaction.json` with the window after the last compaction.
 * Sub-agents have files of their own in the folder of their session. https://github.com/cline/cline
 */
export const cline: TranscriptFormat = {
  id: 'cline',
  label: 'Cline',
  tried: { version: '3.0.65' },
  detect,
  read,
  asides: ASIDES,
  besides: (path) => [descriptionOf(path), compactionOf(path)],
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
  const head = yield* readFields(source, headFields)
  const sessionId = textAt(head, 'sessionId') ?? source.path
  const description = objectIn(descriptionOf(source.path))
  const metadata = objectAt(description, 'metadata')
  const about = { title: textAt(metadata, 'title') ?? undefined, cwd: textAt(description, 'cwd') ?? undefined }
  const version = textAt(objectAt(metadata, 'sessionHistoryOrigin'), 'version')
  if (version !== null) yield { doing: 'looking', bytesRead: 0, records: [{ kind: 'written_by', version }] }
  const starterId = textAt(objectAt(head, 'origin'), 'parentThreadId')
  const fork = new ClineFork(metadata, starterId !== null)
  const parentSessionId = starterId ?? fork.parentId
  const reader = new MessagesReader(source, sessionId, about, { parentSessionId, finishOf })
  const compaction = new ClineCompaction(objectIn(compactionOf(source.path)), source.nowMs)
  const prompt = textAt(head, 'system_prompt')
  let promptId: string | null = null
  yield* readDocument(source, 'storing', ['$.messages.*'], ({ value }, place, out) => {
    if (!isReadable(value)) {
      out.push({ kind: 'skipped', line: place.line, reason: 'not a message with a role and content' })
      return
    }
    const records: TranscriptRecord[] = []
    if (promptId === null && prompt !== null) {
      // A fork has the same first message as its parent, and mostly the same prompt.
      promptId = `${textAt(value, 'id') ?? sessionId}/system/${sha256(prompt).slice(0, 8)}`
      const system = { role: 'system', content: prompt, id: promptId, ts: value.ts }
      const told: TranscriptRecord[] = []
      reader.take(system, { ...place, details: { harness: true } }, told)
      records.push(...told.map((record) => formerly(record, `${sessionId}/system`)))
    }
    const before = records.length
    reader.take(sentMessage(value), place, records)
    const ids = records.slice(before).flatMap((one) => (one.kind === 'message' ? (one.message.externalId ?? []) : []))
    records.push(...compaction.take(value, ids, sessionId, promptId))
    out.push(...records.map((record) => fork.placed(record)))
  })
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

/** Model and usage of an answer. The input tokens include those from the cache. */
function finishOf(message: JsonObject): NewPart[] {
  const metrics = objectAt(message, 'metrics')
  const model = textAt(objectAt(message, 'modelInfo'), 'id')
  if (message.role !== 'assistant' || (model === null && Object.keys(metrics).length === 0)) return []
  const end = {
    model,
    stepTokensIn: countAt(metrics, 'inputTokens'),
    stepTokensOut: countAt(metrics, 'outputTokens'),
    cacheRead: countAt(metrics, 'cacheReadTokens'),
    cacheWrite: countAt(metrics, 'cacheWriteTokens'),
    stepCost: amountAt(metrics, 'cost') ?? amountAt(metrics, 'totalCost'),
  }
  return [finishPart(end)]
}

/** Earlier imports named the system prompt after its session. */
const formerly = (record: TranscriptRecord, formerId: string): TranscriptRecord =>
  record.kind === 'message' ? { ...record, message: { ...record.message, formerId } } : record

const descriptionOf = (path: string): string => path.replace(/\.messages\.json$/, '.json')
const compactionOf = (path: string): string => path.replace(/\.messages\.json$/, '.compaction.json')

/** Reads a file beside `<id>.messages.json`. The path of a transcript of another name is its own: that is not read. */
function objectIn(path: string): JsonObject {
  const value = valueBeside(path)
  return isObject(value) && !('system_prompt' in value) ? value : {}
}

/**
 * The fork with which a session began. `/fork` and going back both begin a file with copies, under the ids of the
 * originals. Only `/fork` names the session that has them; otherwise it is found by the first messages.
 */
class ClineFork {
  readonly parentId: string | null
  readonly #atMs: number
  readonly #isAgent: boolean

  constructor(metadata: JsonObject, isAgent: boolean) {
    const fork = objectAt(metadata, 'fork')
    this.parentId = isAgent ? null : textAt(fork, 'forkedFromSessionId')
    this.#atMs = timeOf(fork.forkedAt) ?? Number.NEGATIVE_INFINITY
    this.#isAgent = isAgent
  }

  /** Returns the record with what it was copied from. */
  placed(record: TranscriptRecord): TranscriptRecord {
    const { parentId } = this
    if (record.kind === 'session' && !this.#isAgent) {
      return { ...record, ...(parentId === null ? { mayBeFork: true } : { hasOwnCopies: true }) }
    }
    if (record.kind !== 'message' || parentId === null || record.message.createdAtMs >= this.#atMs) return record
    return { ...record, copiedFrom: [parentId] }
  }
}
