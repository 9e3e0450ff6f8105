import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { transcriptFormats } from '../../core/ingest/transcripts/formats.ts'

it('docs/agents.md has a row for every format that is read, and for no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, name]) => name).filter((name) => name !== 'agent')
  expect(rows.sort()).toEqual(transcriptFormats.map(({ label }) => label).sort())
})
