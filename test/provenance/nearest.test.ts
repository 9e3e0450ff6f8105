import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claimsOf } from '#core/provenance/claims.ts'
import { IndexView } from '#core/provenance/index-view.ts'
import { Scorer } from '#core/provenance/scoring.ts'
import { TextIndex } from '#core/provenance/text-index.ts'
import { Vocabulary } from '#core/provenance/vocabulary.ts'
import { TimeSlice } from '#core/yielding.ts'
import { runs } from '../builders/property-runs.ts'

// "Turned … off" is compared as "disabled", which stands nowhere in the text.
const WORDS = 'port 8123 cache enabled disabled not Redis 7.2 server src/a.ts fails turned on off'.split(' ')
const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 9 })
  .map((words) => `${words.join(' ')}.`)

it('the nearest passage has the score of the best of all passages', async () => {
  await fc.assert(
    fc.asyncProperty(sentence, fc.array(sentence, { minLength: 2, maxLength: 30 }), async (said, sentences) => {
      const vocabulary = Vocabulary.of(said, claimsOf(said))
      const index = new TextIndex(vocabulary)
      const text = sentences.join('\n')
      await index.add({ id: 'msg_1', kind: 'message', field: 'content', part: null, text }, new TimeSlice())
      const scorer = new Scorer(vocabulary, new IndexView(vocabulary, index))
      for (const claim of vocabulary.claims)
        expect(scorer.nearest(claim)?.score).toBe(scorer.candidates(claim, 1)[0]?.score)
    }),
    { numRuns: runs(200) },
  )
})
