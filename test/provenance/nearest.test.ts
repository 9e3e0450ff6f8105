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
/** Divided within one of its words: the index lists "cachet" where a passage ends with "cache". */
const DIVIDED = 'cachet/'.repeat(60)
/** Longer than the words that an index lists. */
const LONG_WORD = 'port'.repeat(60)
const sentenceOf = (words: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...words), { minLength: 3, maxLength }).map((some) => `${some.join(' ')}.`)
const sentence = fc.oneof(
  { weight: 6, arbitrary: sentenceOf(WORDS, 9) },
  { weight: 1, arbitrary: sentenceOf([...WORDS, LONG_WORD], 5) },
  { weight: 1, arbitrary: sentenceOf([...WORDS, DIVIDED], 9) },
)

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
    {
      numRuns: runs(200),
      // Few of the other examples divide a sentence so that it matters.
      examples: [['cache port port port.', ['port port port.', `${DIVIDED} off ${DIVIDED} port port port.`]]],
    },
  )
})
