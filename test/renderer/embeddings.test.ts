import { expect, it } from 'vitest'
import type { EffectiveSetting } from '#core/contract/settings.ts'
import { vectorsText } from '#renderer/features/search/vectors-text.ts'
import { embeddingsAfter } from '#renderer/features/settings/embeddings-choice.ts'
import { jobOutcome } from '#renderer/ui/texts/job-text.ts'

const setting = (value: string | null, source: EffectiveSetting['source']): EffectiveSetting => ({
  variable: 'LCM_EMBEDDINGS',
  value,
  source,
  givenBy: null,
  effect: '',
  accepts: '',
  byDefault: '',
})

it('follows the model for questions when its provider is renamed or removed', () => {
  const chosen = { effective: [setting('vectors', 'file')] }
  expect(embeddingsAfter(chosen, 'vectors', 'better')).toEqual({ values: { LCM_EMBEDDINGS: 'better' } })
  expect(embeddingsAfter(chosen, 'vectors', null)).toEqual({ values: { LCM_EMBEDDINGS: null } })
  expect(embeddingsAfter(chosen, 'other', null)).toEqual({})
  expect(embeddingsAfter(chosen, 'vectors', 'vectors')).toEqual({})
})

it('leaves the model for questions to the environment where that names it', () => {
  expect(embeddingsAfter({ effective: [setting('vectors', 'environment')] }, 'vectors', null)).toEqual({})
})

it('says before vectors are made how much is sent to whom, and afterwards how much is missing', () => {
  const status = { provider: 'local', model: 'tiny', totalTexts: 1200, bytes: 0 }
  expect(vectorsText({ ...status, texts: 0 })).toContain('at most 1,200 texts are sent to local (tiny)')
  expect(vectorsText({ ...status, texts: 1000 })).toBe(
    '1,000 texts have vectors; at most 200 others are found by their words only.',
  )
})

it('says how a run that made vectors has ended', () => {
  const value = {
    provider: 'local',
    model: 'tiny',
    dimensions: 3,
    sent: 9,
    refused: 0,
    texts: 9,
    totalTexts: 20,
    bytes: 0,
  }
  const ended = (outcome: 'ready' | 'cap' | 'busy' | 'too_large') =>
    jobOutcome({ kind: 'embed', state: 'done', result: { kind: 'embed', value: { ...value, outcome } } })
  expect(ended('ready')).toMatch(/^Vectors: 9\stexts ready$/)
  expect(ended('cap')).toMatch(/9 of 20\stexts, stopped at the cap of a run/)
  expect(ended('too_large')).toContain('no more room')
  expect(ended('busy')).toContain('another window')
})
