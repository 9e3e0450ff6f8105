import type { TranscriptChunk, TranscriptFormat, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import type { TranscriptHead } from '#core/ingest/transcripts/head.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { readDocument } from '#core/ingest/transcripts/read-document.ts'
import { pluginFiles } from './dynamic-pruning.ts'
import { isEvent, readEvents } from './events.ts'
import { OpenCodeReader } from './reader.ts'
import { isStoredSession, readStorage } from './storage.ts'
import { kiloStore, openCodeStore } from './store.ts'

/** A session of the storage folder is in hundreds of files. */
const besides = (path: string): readonly string[] | null =>
  isStoredSession(path) ? null : path.endsWith('.db') ? pluginFiles(path) : []

/** `opencode export`, the storage folder of versions up to 1.1, and recorded events. https://github.com/sst/opencode */
export const openCode: TranscriptFormat = {
  id: 'opencode',
  label: 'opencode',
  tried: { version: '1.18.33' },
  detect,
  read,
  store: openCodeStore,
  besides,
  // Changes of files, and what else of a tool is shown to the person.
  asides: /(?:^|\.)info\.summary\b|(?:^|\.)parts?(?:\[\])?\.state\.metadata\b/,
}

/** Kilo is built on opencode. Its database has another name, and tables of its own beside those of opencode. */
export const kilo: TranscriptFormat = {
  ...openCode,
  id: 'kilo',
  label: 'Kilo',
  tried: { version: '7.7.7' },
  // What it exports is as opencode's.
  detect: () => 0,
  store: kiloStore,
}

function detect({ values, isDocument, path }: TranscriptHead): number {
  const [first] = values
  if (!isObject(first)) return 0
  if (Array.isArray(first.messages) && isSession(objectAt(first, 'info'))) return 1
  const [message] = listAt(first, 'messages').filter(isObject)
  const isExport = message && isObject(message.info) && Array.isArray(message.parts)
  const events = values.filter(isObject).filter((record) => isEvent(record) && 'timestamp' in record)
  if (2 * events.length > values.length && events.some(isOpenCodes)) return 0.9
  if (isExport) return textAt(objectAt(message, 'info'), 'sessionID') === null ? 0.6 : 0.95
  return isDocument && isSession(first) && isStoredSession(path) ? 0.9 : 0
}

const isOpenCodes = (record: JsonObject): boolean =>
  /^(?:message\.(?:part\.)?updated|session\.(?:created|updated|status|idle))$/.test(
    textAt(objectAt(record, 'event'), 'type') ?? '',
  )

const isSession = (info: JsonObject): boolean =>
  textAt(info, 'id')?.startsWith('ses') === true && isObject(info.time) && textAt(info, 'directory') !== null

async function* read(source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const [first] = source.head.values
  const head = isObject(first) ? first : {}
  if (source.head.values.some((value) => isObject(value) && isEvent(value))) {
    yield* readEvents(source)
    return
  }
  if (!Array.isArray(head.messages) && isSession(head)) {
    yield* readStorage(source, head)
    return
  }
  let info = objectAt(head, 'info')
  if (textAt(info, 'id') === null) {
    yield* readDocument(source, 'looking', ['$.info'], ({ value }) => {
      if (isObject(value)) info = value
    })
  }
  const reader = new OpenCodeReader(source, info)
  yield* readDocument(source, 'storing', ['$.messages.*'], ({ value }, place, out) => reader.take(value, place, out))
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.endOfWhole() }
}
