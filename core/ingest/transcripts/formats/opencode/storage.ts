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
 * ids.
 */
export async function* readStorage(source: TranscriptSource, info: JsonObject): AsyncGenerator<TranscriptChunk> {
  const storage = storageOf(source.path)
  const reader = new OpenCodeReader(source, info)
  let bytes = 0
  for (const path of filesIn(join(storage, 'message', textAt(info, 'id') ?? ''))) {
    const records: TranscriptRecord[] = []
    const message = readObject(path, records)
    if (message) {
      const parts = filesIn(join(storage, 'part', textAt(message, 'id') ?? '')).flatMap(
        (part) => readObject(part, records) ?? [],
      )
      const value = { info: message, parts }
      bytes += JSON.stringify(value).length
      const take = (given: unknown): void => reader.take(given, { line: 1, details: {} }, records)
      takeGuarded(value, { line: 1, details: {} }, take, records, source)
    }
    yield { doing: 'storing', bytesRead: 0, records }
    if (bytes >= source.limitBytes) return
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: reader.endOfWhole() }
}

function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}
