import { dirname, join } from 'node:path'
import { valueBeside } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument, readFields } from '#core/ingest/transcripts/read-document.ts'
import { ContinueReader } from './reader.ts'

/**
 * Sessions of Continue, `<id>.json`, by its command line and its extensions of editors. https://github.com/continuedev/continue
 */
export const continueSessions: TranscriptFormat = {
  id: 'continue',
  label: 'Continue',
  tried: { version: '1.5.47' },
  detect,
  read,
  besides: (path) => [indexOf(path)],
  // The prompt as its editor has it, what a call was parsed to, and what is shown beside an output.
  asides:
    /^(?:editorState|promptLogs|appliedRules|conversationSummary)\b|^toolCallStates\[\]\.(?!output\[\]\.content$)/,
}

function detect({ values, isDocument }: TranscriptHead): number {
  const [first] = values
  if (!isDocument || !isObject(first) || textAt(first, 'sessionId') === null) return 0
  const items = listAt(first, 'history').filter(isObject)
  const said = items.filter((item) => textAt(objectAt(item, 'message'), 'role') !== null && 'contextItems' in item)
  return items.length > 0 && 2 * said.length >= items.length ? 0.95 : 0
}

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const head = yield* readFields(source, ['sessionId', 'title', 'workspaceDirectory'])
  const sessionId = textAt(head, 'sessionId') ?? source.path
  const reader = new ContinueReader(source, sessionId, aboutOf(head, indexBeside(source.path, sessionId)))
  yield* readDocument(source, 'storing', ['$.history.*'], ({ value }, place, out) => reader.take(value, place, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.end() }
}

/** A session has one of these titles until it is given another. */
const untitled: ReadonlySet<string | null> = new Set([null, 'Untitled Session', 'New Session'])

const aboutOf = (head: JsonObject, listed: JsonObject): JsonObject => ({
  title: [textAt(head, 'title'), textAt(listed, 'title')].find((title) => !untitled.has(title)),
  cwd: textAt(head, 'workspaceDirectory')?.replace(/^file:\/\//, ''),
  created: Number(listed.dateCreated),
})

/** The list of all sessions in their folder. */
const indexOf = (path: string): string => join(dirname(path), 'sessions.json')

/** Returns what the list says of a session, whose own file has no times. Empty when it is not listed. */
function indexBeside(path: string, sessionId: string): JsonObject {
  const listed = valueBeside(indexOf(path))
  const found = Array.isArray(listed) ? listed.find((one) => isObject(one) && one.sessionId === sessionId) : null
  return isObject(found) ? found : {}
}
