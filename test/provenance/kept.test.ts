import { expect, it, vi } from 'vitest'
import { claimsOf } from '#core/provenance/claims.ts'
import { Comparison } from '#core/provenance/comparison.ts'
import { IndexView } from '#core/provenance/index-view.ts'
import { TextIndex } from '#core/provenance/text-index.ts'
import { Vocabulary } from '#core/provenance/vocabulary.ts'
import type { Candidate } from '#core/provenance/window-comparison.ts'
import { TimeSlice } from '#core/yielding.ts'

async function viewOf(text: string): Promise<{ readonly view: IndexView; readonly index: TextIndex }> {
  const vocabulary = Vocabulary.of(text, claimsOf(text))
  const index = new TextIndex(vocabulary)
  await index.add({ id: 'msg_1', kind: 'message', field: 'content', part: null, text }, new TimeSlice())
  return { view: new IndexView(vocabulary, index), index }
}

it('a comparison forgets the oldest passage when it has read too many, and not all of them', async () => {
  const words = Array.from({ length: 2_002 }, (_, number) => `word${number}`)
  const { view } = await viewOf(words.join('\n'))
  const comparison = new Comparison(view)
  let start = 0
  const candidates = words.map((word): Candidate => {
    const range = { start, end: start + word.length }
    start += word.length + 1
    return {
      ...{ text: 0, score: 0, coverage: 0, matches: [], specifics: new Map(), flip: null },
      agreesInDenial: false,
      ...range,
    }
  })
  const read = candidates.map((candidate) => comparison.passage(candidate))
  expect(comparison.passage(candidates[1_999] as Candidate)).toBe(read[1_999])
  expect(comparison.passage(candidates[0] as Candidate)).not.toBe(read[0])
})

it('the view of an index keeps where 20,000 specifics stand, and asks for others again', async () => {
  const { view, index } = await viewOf(Array.from({ length: 20_100 }, (_, number) => 100_000 + number).join('\n'))
  const asked = vi.spyOn(index, 'occurrencesOf')
  const first = view.occurrencesOf(0)
  expect(first).toHaveLength(1)
  view.occurrencesOf(0)
  expect(asked).toHaveBeenCalledTimes(1)
  for (const specific of view.vocabulary.specifics.keys()) view.occurrencesOf(specific)
  const before = asked.mock.calls.length
  expect(view.occurrencesOf(0)).toEqual(first)
  expect(asked).toHaveBeenCalledTimes(before + 1)
})
