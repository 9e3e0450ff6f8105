import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextIndex } from '#core/provenance/text-index.ts'
import { readingDetails, type ToldText } from '#core/trace/details.ts'
import { FateFinder, stateOf } from '#core/trace/fates.ts'
import { TimeSlice, withoutYielding } from '#core/yielding.ts'
import { runs } from '../builders/property-runs.ts'
import { anyText } from '../provenance/any-text.ts'

const told = (text: string): ToldText => ({
  id: 'msg_1',
  kind: 'message',
  field: 'content',
  part: null,
  text,
  isSaid: true,
})

async function comparedWith(said: string, other: string) {
  const details = withoutYielding(readingDetails([told(said)], 'words'))
  const index = new TextIndex()
  await index.add(told(other), new TimeSlice())
  const finder = new FateFinder(details, index)
  return details.sentences.map((sentence) => ({
    sentence,
    fates: finder.fatesOf(sentence),
    kept: finder.keptOf(sentence),
  }))
}

it('names details of any text by their places in it', () => {
  fc.assert(
    fc.property(anyText(300), (text) => {
      const { sentences, count } = withoutYielding(readingDetails([told(text)]))
      const details = sentences.flatMap((sentence) => sentence.details)
      expect(details.length).toBe(count)
      for (const { start, end, text: own } of details) expect(text.slice(start, end)).toBe(own)
    }),
    { numRuns: runs(300) },
  )
})

it('gives every detail of any text one fate in any other text, and a place only where it is kept', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(200), anyText(200), async (said, other) => {
      for (const { sentence, fates } of await comparedWith(said, other)) {
        expect(fates.length).toBe(sentence.details.length)
        for (const { fate, at, instead } of fates) {
          if (at !== null) expect(other.slice(at.start, at.end)).not.toBe('')
          if (fate === 'kept') expect(instead).toBeNull()
        }
      }
    }),
    { numRuns: runs(200) },
  )
})

it('says which details are kept as the fates say it, for any text', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(200), anyText(200), async (said, other) => {
      for (const { fates, kept } of await comparedWith(said, `${other}\n${said.slice(0, other.length)}`))
        expect(kept).toEqual(fates.map(({ fate }) => fate === 'kept'))
    }),
    { numRuns: runs(200) },
  )
})

it('never calls a detail kept or changed in an empty text', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(300), async (said) => {
      for (const { fates } of await comparedWith(said, '')) {
        for (const { fate } of fates) expect(fate).toBe('dropped')
      }
    }),
    { numRuns: runs(100) },
  )
})

it('keeps every detail of a text in the text itself', async () => {
  const said = [
    'We decided to use Postgres 16.2 instead of Redis, see src/queue/store.ts.',
    'Never deploy on Friday. The build failed with ECONNRESET after 45 min, and 12,400 rows were not written.',
    '- call resetQuota() with --force',
    '修复了连接池，超时改为 30 秒。',
  ].join('\n')
  const compared = await comparedWith(said, `Earlier.\n${said}\nLater.`)
  expect(compared.length).toBeGreaterThan(4)
  for (const { sentence, fates } of compared)
    expect(stateOf(fates.map(({ fate }) => fate)), sentence.claim.text).toBe('kept')
})

it('tells the state of several details together', () => {
  expect(stateOf([])).toBe('unknown')
  expect(stateOf(['kept', 'kept'])).toBe('kept')
  expect(stateOf(['kept', 'dropped'])).toBe('partly')
  expect(stateOf(['kept', 'changed', 'dropped'])).toBe('changed')
  expect(stateOf(['dropped', 'unknown'])).toBe('unknown')
  expect(stateOf(['dropped', 'dropped'])).toBe('dropped')
})
