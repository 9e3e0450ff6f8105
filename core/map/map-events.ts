import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ulid } from 'ulid'
import type { MapEvent, MapResult } from '../contract/map.ts'
import { startSha256 } from '../hashing.ts'
import { canonicalJson } from '../ingest/ledger/canonical-json.ts'
import { fileError } from '../sqlite/memory-file.ts'

export const newEventId = (atMs: number): string => ulid(atMs)
/** Writes a time as decapod does. */
export const eventTime = (atMs: number): string => `${Math.floor(atMs / 1000)}Z`

/**
 * Appends an event as one line with sorted keys. A line that another program left without an end is ended first.
 * @throws LcmError file_not_readable, disk_full
 */
export function appendMapEvent(path: string, event: MapEvent): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const { O_APPEND, O_CREAT, O_RDWR } = constants
    const file = openSync(path, O_APPEND | O_CREAT | O_RDWR, 0o600)
    try {
      // One write, so that programs that append at the same time do not mix their lines.
      writeFileSync(file, `${endsInLine(file) ? '' : '\n'}${canonicalJson(event)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw fileError(error, path)
  }
}

function endsInLine(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 0x0a
}

/**
 * Computes the hashes of a run. `result_hash` is decapod's: the SHA-256 of the list of `index`, `item_hash` and
 * `status` as JSON. `output_hash` is the SHA-256 of the hashes of the outputs, joined by commas.
 */
export async function hashResults(
  results: AsyncIterable<MapResult>,
): Promise<Pick<MapEvent, 'result_hash' | 'output_hash'>> {
  const [result, output] = [startSha256(), startSha256()]
  let separator = ''
  result.update('[')
  for await (const { index, item_hash, status, output_hash } of results) {
    result.update(separator + JSON.stringify({ index, item_hash, status }))
    output.update(separator + (output_hash ?? ''))
    separator = ','
  }
  result.update(']')
  return { result_hash: result.digest('hex'), output_hash: output.digest('hex') }
}
