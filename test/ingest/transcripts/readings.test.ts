import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { expect, it } from 'vitest'
import { NOTHING_STORED, type TranscriptRecord } from '#core/ingest/transcripts/format.ts'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { READERS } from '#core/ingest/transcripts/unchanged-files.ts'
import { sha256 } from '#test/recorded/canonical.ts'
import { RECORD } from '#test/recorded/recording.ts'

/** What readers made of the samples under the number that `READERS` had then, as hashes. */
type Readings = { readonly readers: number; readonly samples: Readonly<Record<string, string>> }

const FOLDER = join(import.meta.dirname, 'samples')
const RECORDED = join(import.meta.dirname, 'recorded-readings.json')
const HASH_LENGTH = 16

/** Everything in a record that an import stores or reports. */
const asJson = (_: string, value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value

async function readingOf(path: string): Promise<string> {
  const found = recogniseTranscript(path)
  if (!found) throw new Error(`${path} is no transcript`)
  const { format, head } = found
  const bytes = statSync(path).size
  const source = { path, bytes, head, nowMs: 0, limitBytes: Number.POSITIVE_INFINITY, ...NOTHING_STORED }
  const records: TranscriptRecord[] = []
  for await (const chunk of format.read(source)) records.push(...chunk.records)
  // A session without an id of its own is named by the path of its file.
  const text = JSON.stringify(records, asJson).replaceAll(JSON.stringify(FOLDER).slice(1, -1), '')
  return sha256(text).slice(0, HASH_LENGTH)
}

/** Names of samples that are read otherwise than recorded. A new sample changes no file that was imported. */
const changedSince = (before: Readings, now: Readings['samples']): string[] =>
  Object.entries(now).flatMap(([name, hash]) => (name in before.samples && before.samples[name] !== hash ? [name] : []))

it('a reader that reads a sample otherwise raises READERS, so that files of before are read again', async () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) !== '')
  const read = names.sort().map(async (name) => [name, await readingOf(join(FOLDER, name))] as const)
  const samples = Object.fromEntries(await Promise.all(read))
  const before: Readings = JSON.parse(readFileSync(RECORDED, 'utf8'))
  const changed = READERS > before.readers ? [] : changedSince(before, samples)
  if (changed.length > 0)
    throw new Error(
      `${changed.join(', ')} is read otherwise than before. Raise READERS in core/ingest/transcripts/unchanged-files.ts, so that files which were imported are read again, and then record the readings with LCM_TEST_RECORD=write.`,
    )
  if (RECORD === 'write') writeFileSync(RECORDED, `${JSON.stringify({ readers: READERS, samples }, null, 2)}\n`)
  else expect({ readers: READERS, samples }).toEqual(before)
})
