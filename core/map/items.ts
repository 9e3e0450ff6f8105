import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { canonicalJson } from '../canonical-json.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { CHUNK_BYTES, DocumentReader } from '../ingest/transcripts/document-reader.ts'
import { parseExactly } from '../ingest/transcripts/json-objects.ts'
import { readLines } from '../ingest/transcripts/line-reader.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { throwIfCancelled } from '../yielding.ts'

/** One element of the input. */
export type MapItem = {
  /** Its number in the input, from 0. */
  readonly index: number
  /** JSON with sorted keys and without spaces, so that equal items have equal texts. */
  readonly json: string
  /** SHA-256 of `json`. */
  readonly hash: string
}

/** The items that ended in one piece of the file, and how far it has been read. */
export type ItemChunk = { readonly items: readonly MapItem[]; readonly bytesRead: number }

const LINES = new Set(['.jsonl', '.ndjson'])

/**
 * Reads the items of a file piece by piece: the lines of JSONL (`.jsonl`, `.ndjson`, and whatever does not begin with a
 * bracket), or the elements of a JSON array. Blank lines are no items.
 * @throws LcmError file_missing, file_is_folder, file_not_readable; invalid_argument for what is no list of JSON;
 * cancelled
 */
export async function* readItems(path: string, signal: AbortSignal): AsyncGenerator<ItemChunk> {
  try {
    yield* (await isLines(path)) ? readItemLines(path, signal) : readElements(path, signal)
  } catch (error) {
    throw fileError(error, path)
  }
}

async function isLines(path: string): Promise<boolean> {
  // Opening a pipe would wait for its other end, and nothing could stop that.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!(await file.stat()).isFile()) throw notAList(path, 0, 'it is no regular file, and it is read twice')
    if (LINES.has(extname(path).toLowerCase())) return true
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, 0)
    return !buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\ufeff/, '')
      .trimStart()
      .startsWith('[')
  } finally {
    await file.close()
  }
}

async function* readItemLines(path: string, signal: AbortSignal): AsyncGenerator<ItemChunk> {
  let index = 0
  for await (const { lines, bytesRead } of readLines(path)) {
    throwIfCancelled(signal)
    const items: MapItem[] = []
    for (const line of lines) {
      if (line.kind === 'too_long') throw notAList(path, line.number, `it is too long (${line.bytes} bytes)`)
      if (line.text.trim() === '') continue
      if (!line.isUtf8) throw notAList(path, line.number, 'it is not UTF-8')
      items.push(itemOf(path, line.number, index, () => parseExactly(line.text)))
      index += 1
    }
    yield { items, bytesRead }
  }
}

async function* readElements(path: string, signal: AbortSignal): AsyncGenerator<ItemChunk> {
  const reader = new DocumentReader(['$.*'])
  const file = await open(path, 'r')
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let [index, bytesRead] = [0, 0]
  try {
    for (;;) {
      throwIfCancelled(signal)
      const { bytesRead: count } = await file.read(buffer, 0, CHUNK_BYTES)
      if (count === 0) break
      bytesRead += count
      reader.write(buffer.subarray(0, count))
      const items: MapItem[] = []
      for (const { value, line, isTooDeep } of reader.values()) {
        if (isTooDeep) throw notAList(path, line, TOO_DEEP)
        items.push(itemOf(path, line, index, () => value))
        index += 1
      }
      if (reader.isOver) break
      yield { items, bytesRead }
    }
    const problem = reader.problem()
    if (problem !== null) throw notAList(path, problem.line, problem.reason)
  } finally {
    await file.close()
  }
}

const TOO_DEEP = 'it is nested too deeply'

function itemOf(path: string, line: number, index: number, read: () => unknown): MapItem {
  try {
    const json = canonicalJson(read())
    return { index, json, hash: sha256(json) }
  } catch (error) {
    // The message of the parser quotes the text, so it is replaced.
    throw notAList(path, line, error instanceof RangeError ? TOO_DEEP : 'it is not valid JSON')
  }
}

function notAList(path: string, line: number, reason: string): LcmError {
  const where = line > 0 ? `, line ${line}: ${reason}` : `: ${reason}`
  return new LcmError(
    'invalid_argument',
    `${path}${where}. The input is a JSON array, or JSONL with one item a line: correct it and start again. Nothing was called.`,
    { path, line },
  )
}
