import { open } from 'node:fs/promises'
import { CHUNK_BYTES, DocumentReader, type DocumentValue } from './document-reader.ts'
import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import type { JsonObject } from './json-value.ts'
import { type RecordOrigin, type Take, TOO_DEEP, takeGuarded } from './read-lines.ts'

/**
 * Reads the values at the given paths (`$.messages.*`) of a file that is one JSON document. Each is handed to `take` as
 * soon as it is complete, and then forgotten. Of a document that ends early, the values before its end are handed over,
 * and a `skipped` is added.
 * @returns whether the document was read to its end
 */
export async function* readDocument(
  source: TranscriptSource,
  doing: TranscriptChunk['doing'],
  paths: readonly string[],
  take: (value: DocumentValue, origin: RecordOrigin, out: TranscriptRecord[]) => void,
): AsyncGenerator<TranscriptChunk, boolean> {
  const reader = new DocumentReader(paths)
  const file = await open(source.head.path, 'r')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let bytesRead = 0
  try {
    while (!reader.isOver && bytesRead < source.limitBytes) {
      const { bytesRead: count } = await file.read(buffer, 0, CHUNK_BYTES)
      if (count === 0) break
      const chunk = buffer.subarray(0, count)
      reader.write(chunk)
      bytesRead += count
      const records: TranscriptRecord[] = []
      for (const { line, isTooDeep, value, path } of reader.values()) {
        const takeValue: Take<unknown> = (inner, origin, out) => take({ value: inner, path }, origin, out)
        if (isTooDeep) records.push({ kind: 'skipped', line, reason: TOO_DEEP })
        else takeGuarded(value, { line, details: {} }, takeValue, records, doing === 'storing' ? source : {})
      }
      yield { doing, bytesRead, records: doing === 'looking' ? [] : records }
    }
    const problem = bytesRead < source.bytes && bytesRead >= source.limitBytes ? null : reader.problem()
    const records: TranscriptRecord[] = problem === null ? [] : [{ kind: 'skipped', ...problem }]
    yield { doing, bytesRead, records: doing === 'looking' ? [] : records }
    return reader.problem() === null
  } finally {
    await file.close()
  }
}

/** Reads some fields of a file that is one JSON object, before the file is read to be stored. */
export async function* readFields(
  source: TranscriptSource,
  fields: readonly string[],
): AsyncGenerator<TranscriptChunk, JsonObject> {
  const found: Record<string, unknown> = {}
  const paths = fields.map((field) => `$.${field}`)
  yield* readDocument(source, 'looking', paths, ({ value, path }) => {
    found[String(path[0])] = value
  })
  return found
}
