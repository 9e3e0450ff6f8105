import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { provenanceOf, showFigures, Tally } from '../provenance/measure.ts'
import { compactedSessions, plantTwin } from '../provenance/real.ts'
import { FIELD_DATA } from './field-data.ts'

const SAMPLES = ['entire-graph', 'git-sync', 'spotter'].map((name) => join(FIELD_DATA, 'data', name, 'claude-code'))

describe('summaries of real sessions by extracts', () => {
  it('are supported by their messages, and wrong twins of their sentences are not', async () => {
    using memory = await compactedSessions(SAMPLES)
    const leaves = memory.db.column<string>(
      "SELECT summary_id FROM summaries WHERE kind = 'leaf' ORDER BY summary_id LIMIT 30",
    )
    expect(leaves.length).toBeGreaterThan(10)
    const plain = { supported: 0, all: 0, invented: 0 }
    const tally = new Tally()
    for (const [place, leaf] of leaves.entries()) {
      const { counts, claims } = await provenanceOf(memory.db, leaf)
      plain.supported += counts.supported
      plain.invented += counts.invented
      plain.all += claims.length
      const twin = plantTwin(memory, leaf, place)
      if (twin) tally.add(twin.planted, (await provenanceOf(memory.db, twin.id)).claims)
    }
    showFigures('real', tally)
    expect(plain.supported / plain.all).toBeGreaterThanOrEqual(0.98)
    expect(plain.invented).toBeLessThanOrEqual(plain.all * 0.01)
    const { figures } = tally
    expect(figures.supportedPrecision).toBeGreaterThanOrEqual(0.97)
    expect(figures.supportedRecall).toBeGreaterThanOrEqual(0.97)
    expect(figures.changedCaught).toBeGreaterThanOrEqual(0.97)
    expect(figures.specificRecall).toBeGreaterThanOrEqual(0.97)
    expect(figures.specificPrecision).toBeGreaterThanOrEqual(0.95)
    expect(figures.inventedNone).toBeGreaterThanOrEqual(0.95)
  }, 120_000)
})
