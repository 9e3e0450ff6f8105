import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { transcriptFormats } from '#core/ingest/transcripts/formats.ts'
import { RECORDED_SHAPES, type RecordedShapes } from '../real-agents/shapes.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
// The first table is the one of formats.
const [formats = ''] = text.split(/^## /m)
const rowsOf = [...formats.matchAll(/^\| ([^|]+?) \| ([^|]+?) \|/gm)].map(([, name, tried]) => ({ name, tried }))

it('docs/agents.md has a row for every format that is read, and for no other', () => {
  const rows = rowsOf.map(({ name }) => name).filter((name) => name !== 'agent')
  expect(rows.sort()).toEqual(transcriptFormats.map(({ label }) => label).sort())
})

it('docs/agents.md names the versions that were tried, whose records are those that later ones are compared with', () => {
  const recorded: RecordedShapes = JSON.parse(readFileSync(RECORDED_SHAPES, 'utf8'))
  for (const { id, label, tried } of transcriptFormats) {
    if (!tried) continue
    expect([label, rowsOf.find(({ name }) => name === label)?.tried]).toEqual([label, tried.version])
    expect([label, recorded[id]?.version]).toEqual([label, tried.version])
  }
})
