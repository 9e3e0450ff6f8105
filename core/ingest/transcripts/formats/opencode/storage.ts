import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn, readObject } from '#core/ingest/transcripts/files-beside.ts'
import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { type JsonObject, textAt } from '#core/ingest/transcripts/json-value.ts'
import { takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { OpenCodeReader } from './reader.ts'

/** Derives `<storage>` from `<storage>/session/<project>/<session>.json`. */
const storageOf = (path: string): string => dirname(dirname(dirname(path)))

export const isStoredSession = (path: string): boolean => existsSync(join(storageOf(path), 'message'))

/**
 * Reads a session of the storage folder. Its messages and their parts are files of their own, in the order of their
 * ids. While one of these cannot be read, no more counts as removed from the session than before, and a message that is
 * stored stays as it is.
 */
export async function* readStorage(source: TranscriptSource, info: JsonObject): AsyncGenerator<TranscriptChunk> {
  const storage = storageOf(source.path)
  const reader = new OpenCodeReader(source, info)
  const sessionId = textAt(info, 'id') ?? ''
  let bytes = 0
  let isWhole = true
  for (const path of filesIn(join(storage, 'message', sessionId))) {
    const records: TranscriptRecord[] = []
    const message = readObject(path, records)
    const id = message === null ? '' : (textAt(message, 'id') ?? '')
    const parts = message && filesIn(join(storage, 'part', id)).flatMap((part) => readObject(part, records) ?? [])
    const isRead = records.length === 0
    isWhole &&= isRead
    if (message && (isRead || source.storedBlocks(sessionId, id) === undefined)) {
      const value = { info: message, parts }
      bytes += JSON.stringify(value).length
      const take = (given: unknown): void => reader.take(given, { line: 1, details: {} }, records)
      takeGuarded(value, { line: 1, details: {} }, take, records, source)
    }
    yield { doing: 'storing', bytesRead: 0, records }
    if (bytes >= source.limitBytes) return
  }
  // What was given up is known only when everything was read. Until then it stays as it was noted before.
  const rest = isWhole ? reader.endOfWhole() : reader.end().filter(({ kind }) => kind !== 'given_up')
  yield { doing: 'storing', bytesRead: source.bytes, records: rest }
}

function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}
