import { describe, expect, it } from 'vitest'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { TEXTS_BY_KIND } from './token-kinds.ts'

describe('the heuristic against o200k_base', () => {
  const heuristic = createTokenEstimator('heuristic')
  const exact = createTokenEstimator('o200k_base')

  it.each(Object.entries(TEXTS_BY_KIND))('is at most a twentieth too low on average for %s', (kind, texts) => {
    const shares = texts.map((text) => heuristic.count(text) / exact.count(text) - 1)
    const average = shares.reduce((sum, share) => sum + share, 0) / shares.length
    expect(average, `${kind}: ${shares.map((share) => share.toFixed(2)).join(', ')}`).toBeGreaterThan(-0.05)
    // These are counted as older vocabularies take them, which is more.
    if (kind !== 'Chinese, Japanese, Korean') expect(average, kind).toBeLessThan(0.25)
  })
})
