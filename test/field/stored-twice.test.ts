// Imports and scans every real transcript and every file of another system, which takes a minute.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { resultOf, scanFile } from '../doctor/integrity/scan-file.ts'
import { FIELD_DATA, samplesOf } from './field-data.ts'

async function storedTwice(path: string): Promise<readonly string[]> {
  const { samples } = resultOf(await scanFile(path), 'duplicate_message')
  return samples.map(({ id, detail }) => `${path}: ${id} ${detail}`)
}

it('no message of a real transcript is said to be stored twice', async () => {
  const transcripts = samplesOf(/\.[a-z]+$/).filter(
    (path) => !path.endsWith('.sqlite') && statSync(path).isFile() && recogniseTranscript(path) !== null,
  )
  for (const path of transcripts) {
    using memory = buildMemory()
    await runImport(memory.db, [path], { window: 'history' })
    expect(await storedTwice(memory.path)).toEqual([])
  }
}, 300_000)

it('no message of a real file of another system is said to be stored twice', async () => {
  const folder = join(FIELD_DATA, 'fixtures')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(db|sqlite)$/.test(name)) continue
    expect(await storedTwice(join(folder, name))).toEqual([])
  }
}, 300_000)
