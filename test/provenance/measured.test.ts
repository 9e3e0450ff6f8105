import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { measurePlanted, provenanceOf, Tally } from './measure.ts'
import { compactedSessions, plantTwin } from './real.ts'
import { HARD_PLOTS, HELD_BACK_PLOTS, KNOWN_PLOTS, MORE_PLOTS } from './stories.ts'

const NOISE = [40, 80, 200, 300]
const specs = (plots: typeof KNOWN_PLOTS, seed: number) =>
  NOISE.map((noise, place) => ({ seed: seed + place, plots, noise }))
const DATA = join(import.meta.dirname, '../../../shared/data')
const SAMPLES = ['entire-graph', 'git-sync', 'spotter'].map((name) => join(DATA, name, 'claude-code'))
const hasSamples = SAMPLES.every((path) => existsSync(path))

/** Prints what was measured for docs/provenance.md, with LCM_SHOW_FIGURES=1. */
function show(name: string, tally: Tally): void {
  if (process.env.LCM_SHOW_FIGURES !== '1') return
  console.log(name, tally.figures, Object.fromEntries(tally.truths))
  for (const wrong of tally.wrong) console.log('  ', wrong.slice(0, 400))
}

// The floors stand a little below what was measured; docs/provenance.md has the figures.
describe('planted facts and inventions', () => {
  it('in the stories that the method was tuned on', async () => {
    const tally = await measurePlanted(specs([...KNOWN_PLOTS, ...MORE_PLOTS], 1))
    show('tuned on', tally)
    const { figures } = tally
    expect(figures.supportedPrecision).toBeGreaterThanOrEqual(0.98)
    expect(figures.supportedRecall).toBeGreaterThanOrEqual(0.88)
    expect(figures.specificRecall).toBeGreaterThanOrEqual(0.98)
    expect(figures.specificPrecision).toBeGreaterThanOrEqual(0.98)
    expect(figures.top1).toBeGreaterThanOrEqual(0.97)
  })

  it('in stories written when it was finished', async () => {
    const tally = await measurePlanted(specs(HELD_BACK_PLOTS, 201))
    show('held back', tally)
    const { figures } = tally
    expect(figures.supportedPrecision).toBeGreaterThanOrEqual(0.95)
    expect(figures.supportedRecall).toBeGreaterThanOrEqual(0.8)
    expect(figures.trueNotNone).toBeGreaterThanOrEqual(0.98)
    expect(figures.specificRecall).toBeGreaterThanOrEqual(0.95)
    expect(figures.specificPrecision).toBeGreaterThanOrEqual(0.95)
    expect(figures.top1).toBeGreaterThanOrEqual(0.95)
  })

  it('in harder stories', async () => {
    const tally = await measurePlanted(specs(HARD_PLOTS, 101))
    show('hard', tally)
    const { figures } = tally
    expect(figures.supportedPrecision).toBeGreaterThanOrEqual(0.93)
    expect(figures.supportedRecall).toBeGreaterThanOrEqual(0.85)
    expect(figures.trueNotNone).toBeGreaterThanOrEqual(0.98)
    expect(figures.looseNotNone).toBeGreaterThanOrEqual(0.9)
    expect(figures.inventedNone).toBeGreaterThanOrEqual(0.95)
    expect(figures.plausibleCaught).toBeGreaterThanOrEqual(0.9)
    expect(figures.specificRecall).toBeGreaterThanOrEqual(0.95)
    expect(figures.specificPrecision).toBeGreaterThanOrEqual(0.95)
    expect(figures.top1).toBeGreaterThanOrEqual(0.95)
    expect(figures.top3).toBeGreaterThanOrEqual(0.98)
  })
})

describe.runIf(hasSamples)('real sessions, summarised by extracts', () => {
  it('rest on their messages, and wrong twins of their sentences do not', async () => {
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
    show('real', tally)
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

if (!hasSamples) console.warn(`No sample transcripts at ${DATA}: their tests are skipped.`)
