import { describe, expect, it } from 'vitest'
import { keptPrompts } from '#core/ingest/transcripts/formats/copilot/kept-prompts.ts'

const CUT = '...<truncated>...'
/** Prompts of these lengths, kept as their number and length. */
const kept = (...lengths: readonly number[]): string[] =>
  keptPrompts(lengths.map((length, at) => ({ externalId: `${at + 1}`, typed: 'é'.repeat(length) }))).map(
    ({ externalId, seen }) => `${externalId}: ${seen.length}${seen.endsWith(CUT) ? ' cut' : ''}`,
  )

// The lengths are those that version 1.0.102 sent.
describe('the prompts in front of a summary of the Copilot CLI', () => {
  it('are all of them when they are short', () => {
    expect(kept()).toEqual([])
    expect(kept(10, 20, 30)).toEqual(['1: 10', '2: 20', '3: 30'])
  })

  it('are cut to 30,000 characters when there is one', () => {
    expect(kept(40_027)).toEqual(['1: 30000 cut'])
  })

  it('are cut to 5,999 characters for the first one, and to 24,001 for the newest', () => {
    expect(kept(40_027, 10)).toEqual(['1: 5999 cut', '2: 10'])
    expect(kept(10, 29_000, 10)).toEqual(['1: 10', '2: 29000', '3: 10'])
    expect(kept(37, 37, 40_027)).toEqual(['1: 37', '2: 37', '3: 24001 cut'])
  })

  it('are as many from the beginning and from the end as fit there, up to the first that does not', () => {
    expect(kept(40_027, 8027, 8027, 8027)).toEqual(['1: 5999 cut', '3: 8027', '4: 8027'])
    expect(kept(5977, 9027, 7027, 7027)).toEqual(['1: 5977', '2: 9027', '3: 7027', '4: 7027'])
    expect(kept(37, 37, 30_017, 37, 37)).toEqual(['1: 37', '2: 37', '4: 37', '5: 37'])
    expect(kept(9000, 100, 28_000, 100, 8000)).toEqual(['1: 5999 cut', '4: 100', '5: 8000'])
    expect(kept(3027, 2027, 3027, 20_027, 3027, 127)).toEqual(['1: 3027', '2: 2027', '4: 20027', '5: 3027', '6: 127'])
  })

  it('are counted in characters of which some are two units of a string', () => {
    expect([...(keptPrompts([{ externalId: '1', typed: '😀'.repeat(40_000) }])[0]?.seen ?? '')]).toHaveLength(30_000)
  })
})
