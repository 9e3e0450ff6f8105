import type { Marks } from './draft.ts'
import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import { parseObjects } from './json-objects.ts'
import { isObject, type JsonObject } from './json-value.ts'
import { type Line, readLines } from './line-reader.ts'

/** Where a record stands, and what its bytes were like. */
export type Place = { readonly line: number; readonly marks: Marks }

/** Adds what a value says to `out`. */
export type Take<Value> = (value: Value, place: Place, out: TranscriptRecord[]) => void

/** How many records a chunk holds at most: the writer stores them between two chunks. */
const CHUNK_RECORDS = 2000

/**
 * The lines of a JSONL transcript, each object handed to `take`. Lines that are no objects, too long or too deep become
 * `skipped`. With `doing: 'looking'` those reports are left to the second reading.
 * @param parse for who looks at no numbers: `JSON.parse` is quicker than what keeps their spelling
 */
export async function* readJsonLines(
  source: TranscriptSource,
  doing: TranscriptChunk['doing'],
  take: Take<JsonObject>,
  parse?: (text: string) => unknown,
): AsyncGenerator<TranscriptChunk> {
  for await (const { lines, bytesRead } of readLines(source.head.path)) {
    let records: TranscriptRecord[] = []
    for (const line of lines) {
      takeLine(line, take, records, parse)
      if (records.length < CHUNK_RECORDS) continue
      yield { doing, bytesRead, records: doing === 'looking' ? [] : records }
      records = []
    }
    yield { doing, bytesRead, records: doing === 'looking' ? [] : records }
    if (bytesRead >= source.limitBytes) return
  }
}

function takeLine(
  line: Line,
  take: Take<JsonObject>,
  out: TranscriptRecord[],
  parse?: (text: string) => unknown,
): void {
  const skip = (reason: string): void => {
    out.push({ kind: 'skipped', line: line.number, reason })
  }
  if (line.kind === 'too_long') {
    skip(`the line is too long: ${line.bytes} bytes`)
    return
  }
  if (line.text.trim() === '') return
  const { values, problem } = parseObjects(line.text, parse)
  const place: Place = { line: line.number, marks: line.isUtf8 ? {} : { replacedBytes: true } }
  for (const value of values) {
    if (isObject(value)) takeGuarded(value, place, take, out)
    else skip(`not a record but ${value === null ? 'null' : `a JSON ${Array.isArray(value) ? 'array' : typeof value}`}`)
  }
  if (problem !== null) skip(problem)
}

export const TOO_DEEP = 'the record is nested too deeply'

/**
 * A value that is nested thousands of levels deep cannot be written back as JSON, and one of a shape that nobody thought
 * of may trip its reader: it costs itself, not the import.
 */
export function takeGuarded<Value>(value: Value, place: Place, take: Take<Value>, out: TranscriptRecord[]): void {
  const before = out.length
  try {
    take(value, place, out)
    stampLine(out, before, place.line)
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error
    // What was said of its session holds for the records that follow.
    const sessions = out.splice(before).filter(({ kind }) => kind === 'session')
    out.push(...sessions)
    const reason = error instanceof RangeError ? TOO_DEEP : 'the record has an unknown shape'
    out.push({ kind: 'skipped', line: place.line, reason })
  }
}

function stampLine(out: TranscriptRecord[], from: number, line: number): void {
  for (let index = from; index < out.length; index += 1) {
    const record = out[index]
    if (record?.kind !== 'message' && record?.kind !== 'answer') continue
    if (record.line === undefined) out[index] = { ...record, line }
  }
}

/** What a record calls itself, for reports. */
export const typeName = (type: unknown): string => (typeof type === 'string' ? type.slice(0, 60) : `a ${typeof type}`)
