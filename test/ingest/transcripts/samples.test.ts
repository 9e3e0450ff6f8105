import { readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TRANSCRIPT_FORMATS } from '#core/contract/import.ts'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { compare } from '#test/builders/coverage.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { expectCounted, expectEveryText } from './check-sample.ts'

/** A short transcript of every format, written by hand; the name says which it is. OpenClaw's lies in a folder of it. */
const FOLDER = join(import.meta.dirname, 'samples')
const samples = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => extname(name) !== '')
  .map((name) => [basename(name, extname(name)), join(FOLDER, name)] as const)
const formatOf = (id: string): string => id.replace('-events', '')

/** Hermes Agent and Kilo keep their sessions only in databases. */
const files = TRANSCRIPT_FORMATS.filter((id) => id !== 'hermes' && id !== 'kilo')

it('every format of files has a short transcript', () => {
  expect([...new Set(samples.map(([id]) => formatOf(id)))].sort()).toEqual([...files].sort())
})

describe.each(samples)('a short transcript of %s', (id, path) => {
  it('is recognised by its content', () => {
    expect(recogniseTranscript(path)?.format.id).toBe(formatOf(id))
  })

  it('gives the messages that a naive count finds, is sound, and adds nothing when it is imported again', () =>
    expectCounted(id, path))

  it('is stored with every text of the conversation', () => expectEveryText(id, path))

  it('gives a memory that lacks nothing of it', async () => {
    using memory = buildMemory()
    await importOne(memory.db, path)
    const report = await compare(memory.path, path)
    expect(report.counts).toEqual({ missing: 0, duplicated: 0, differing: 0, extra: 0 })
    expect(report.inTranscript).toBeGreaterThan(1)
  })
})
