import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contents } from '#test/builders/contents.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { plainWords, type TranscriptSample, transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

/** Imports a file; one in which nothing can be recognised yet gives nothing. */
async function importAsFarAsItGoes({ db }: TestMemory, path: string): Promise<void> {
  try {
    await runImport(db, [path])
  } catch (error) {
    expect(error).toMatchObject({ code: 'transcript_unreadable' })
  }
}

async function expectSame(sample: TranscriptSample, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  using fresh = buildMemory()
  const path = writeSample(sample)
  writeFileSync(path, bytes)
  await importAsFarAsItGoes(fresh, path)
  using grown = buildMemory()
  for (const cut of [...cuts, bytes.length]) {
    writeFileSync(path, bytes.subarray(0, cut))
    await importAsFarAsItGoes(grown, path)
  }
  expect(
    contents(grown),
    `cut at ${cuts.join()}: …${bytes.subarray(Math.max(0, (cuts.at(-1) ?? 0) - 60), cuts.at(-1))}`,
  ).toEqual(contents(fresh))
  for (const table of ['messages_fts', 'messages_trigram']) {
    grown.db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
  }
}

describe.each(transcriptSamples)('a transcript of $name', (sample) => {
  const bytes = Buffer.from(sample.write(plainWords))
  const ends = [...bytes.keys()].filter((index) => bytes[index - 1] === 10)

  it('gives the same memory when it was first imported cut off at the end of any line', async () => {
    const step = Math.ceil(ends.length / runs(16))
    for (const [index, end] of ends.entries()) if (index % step === 0) await expectSame(sample, bytes, [end])
  })

  it('gives the same memory when it was first imported cut off at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { minLength: 1, maxLength: 3 }),
        (cuts) =>
          expectSame(
            sample,
            bytes,
            cuts.sort((a, b) => a - b),
          ),
      ),
      { numRuns: runs(8) },
    )
  })
})
