import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import { parseObjects } from './json-objects.ts'
import { isObject, type JsonObject } from './json-value.ts'
import type { Line } from './line-reader.ts'
import type { MessageDetails } from './message-details.ts'
import { transcriptLines } from './transcript-lines.ts'
import { guardRecord } from './unread-records.ts'

/** The line from which a record was read, and the details of its messages that follow from the bytes of that line. */
export type RecordOrigin = { readonly line: number; readonly details: MessageDetails }

/** Adds the records of a JSON value to `out`. */
export type Take<Value> = (value: Value, origin: RecordOrigin, out: TranscriptRecord[]) => void

/** What is asked of a reading beside its records. */
export type Reading = Pick<TranscriptSource, 'observe' | 'asides' | 'versionIn'>

/** A chunk holds at most this many records. The writer stores them between two chunks. */
const CHUNK_RECORDS = 2000

/**
 * Hands each object of a JSONL transcript to `take`. Lines that are no objects, too long or too deep become `skipped`.
 * With `doing: 'looking'` these reports are left to the second reading.
 * @param parse `JSON.parse` is faster than the default when no number is needed
 */
export async function* readJsonLines(
  source: TranscriptSource,
  doing: TranscriptChunk['doing'],
  take: Take<JsonObject>,
  parse?: (text: string) => unknown,
): AsyncGenerator<TranscriptChunk> {
  const pass = source.parsedOnce?.[doing]
  const parser = pass?.parse ?? parse
  for await (const { lines, bytesRead } of pass?.lines() ?? transcriptLines(source.head)) {
    let records: TranscriptRecord[] = []
    for (const line of lines) {
      takeLine(line, take, records, parser, doing === 'storing' ? source : {})
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
  reading: Reading = {},
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
  const origin: RecordOrigin = { line: line.number, details: line.isUtf8 ? {} : { replacedBytes: true } }
  for (const value of values) {
    if (isObject(value)) takeGuarded(value, origin, take, out, reading)
    else skip(`not a record but ${value === null ? 'null' : `a JSON ${Array.isArray(value) ? 'array' : typeof value}`}`)
  }
  if (problem !== null) skip(problem)
}

export const TOO_DEEP = 'the record is nested too deeply'

/**
 * Hands a record to its reader, and sees to it that nothing in it is lost in silence (`guardRecord`). Every reader of
 * records is called here. A value that is nested thousands of levels deep, which cannot be written as JSON again, or
 * whose shape makes its reader fail, is skipped. The import continues after it.
 */
export function takeGuarded<Value>(
  value: Value,
  origin: RecordOrigin,
  take: Take<Value>,
  out: TranscriptRecord[],
  { observe, asides, versionIn }: Reading = {},
): void {
  const before = out.length
  try {
    take(value, origin, out)
    guardRecord(value, origin.line, out, before, asides)
    stampLine(out, before, origin.line)
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error
    // The declaration of a session is kept for the records that follow.
    const sessions = out.splice(before).filter(({ kind }) => kind === 'session')
    out.push(...sessions)
    const reason = error instanceof RangeError ? TOO_DEEP : 'the record has an unknown shape'
    out.push({ kind: 'skipped', line: origin.line, reason })
    if (!(error instanceof RangeError)) guardRecord(value, origin.line, out, out.length - 1, asides)
  }
  observe?.(value, origin.line, out.slice(before))
  const version = versionIn?.(value) ?? null
  if (version !== null) out.push({ kind: 'written_by', version })
}

function stampLine(out: TranscriptRecord[], from: number, line: number): void {
  for (let index = from; index < out.length; index += 1) {
    const record = out[index]
    if (record?.kind !== 'message' && record?.kind !== 'answer') continue
    if (record.line === undefined) out[index] = { ...record, line }
  }
}

/** Names the type of a record for reports. */
export function typeName(type: unknown): string {
  if (typeof type === 'string') return type.slice(0, 60)
  if (type === undefined || type === null) return 'none'
  return typeof type === 'object' ? 'an object' : `a ${typeof type}`
}
