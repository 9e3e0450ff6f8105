import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claimsOf } from '#core/provenance/claims.ts'
import { IndexView } from '#core/provenance/index-view.ts'
import type { SourceText } from '#core/provenance/passages.ts'
import { specificsOf } from '#core/provenance/specifics.ts'
import { TextIndex } from '#core/provenance/text-index.ts'
import { Vocabulary } from '#core/provenance/vocabulary.ts'
import { TimeSlice } from '#core/yielding.ts'
import { runs } from '../builders/property-runs.ts'
import { anyText } from './any-text.ts'

const source = (text: string, index: number): SourceText => ({
  ...{ id: `msg_${index + 1}`, kind: 'message', field: 'content', part: null, text },
})

/** Everything that a comparison asks passages for. */
function allOf(passages: IndexView) {
  const { vocabulary, units } = passages
  const terms = vocabulary.keys.map((_, term) => term)
  return {
    units: Array.from({ length: units }, (_, unit) => [
      passages.textOf(unit),
      passages.startOf(unit),
      passages.endOf(unit),
      passages.read(unit),
      terms.filter((term) => passages.holds(unit, term)),
    ]),
    terms: terms.map((term) => [passages.frequencyOf(term), [...passages.unitsWith(term)]]),
    specifics: vocabulary.specifics.map((_, specific) => passages.occurrencesOf(specific)),
  }
}

async function bothOf(claims: string, texts: readonly string[]) {
  const vocabulary = Vocabulary.of(claims, claimsOf(claims))
  const [sought, all] = [new TextIndex(vocabulary), new TextIndex()]
  for (const text of texts.map(source)) {
    await sought.add(text, new TimeSlice())
    await all.add(text, new TimeSlice())
  }
  return { ofSought: allOf(new IndexView(vocabulary, sought)), ofAll: allOf(new IndexView(vocabulary, all)) }
}

it('finds in an index of the words of the claims what it finds in an index of all words, in any texts', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(200), fc.array(anyText(150), { maxLength: 3 }), async (claims, texts) => {
      const { ofSought, ofAll } = await bothOf(claims, [...texts, claims])
      expect(ofSought).toEqual(ofAll)
    }),
    { numRuns: runs(200) },
  )
})

it('finds the same in sentences with units, negations, switched verbs and cut words', async () => {
  const claims = 'We enabled the cache for 30 s and never used Redis 7.2, see src/cache/store.ts. Two of `a b c` fail.'
  const texts = [
    'We turned the cache on, for 30 seconds.\\nNot Redis 7.2 but src/cache/store.ts; 2 of "a b c" did not fail.',
    `${'word'.repeat(150)} Redis 7.2`,
    `${'cache '.repeat(600)}30 ms`,
  ]
  const { ofSought, ofAll } = await bothOf(claims, texts)
  expect(ofSought).toEqual(ofAll)
})

it('has a value only where the whole value stands, and not where only the word stands by which it is looked up', async () => {
  const index = new TextIndex()
  await index.add(source('The store keeps 30 s of src/cache/memory.ts and cache 31.', 0), new TimeSlice())
  const has = (text: string): boolean[] => specificsOf(text).map((specific) => index.has(specific))
  expect(has('It was src/cache/memory.ts for 30 s.')).toEqual([true, true])
  expect(has('It was src/cache/memory.js for 30 ms or 32.')).toEqual([false, false, false])
})

it('makes its lists in pieces when it is told to, and gives the same places as when a question makes them', async () => {
  const words = Array.from({ length: 130_000 }, (_, index) => `word${index % 997}`).join(' ')
  const [asked, prepared] = [new TextIndex(), new TextIndex()]
  for (const index of [asked, prepared]) await index.add(source(words, 0), new TimeSlice())
  expect([...prepared.preparing()].length).toBeGreaterThanOrEqual(4)
  expect([...prepared.preparing()]).toEqual([])
  const term = asked.termOf('word5') ?? -1
  expect(term).toBeGreaterThanOrEqual(0)
  expect(prepared.frequencyOf(term)).toBeGreaterThan(0)
  expect([...prepared.unitsWith(term)]).toEqual([...asked.unitsWith(term)])
})
