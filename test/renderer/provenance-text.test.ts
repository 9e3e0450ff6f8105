import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClaimSpecific, ProvenanceClaim } from '#core/contract/provenance.ts'
import { textHash } from '#renderer/features/provenance/text-hash.ts'
import { type TextPart, textParts } from '#renderer/features/provenance/text-runs.ts'
import { doubtfulClaims, searchedText, specificText } from '#renderer/features/provenance/wording.ts'

const specific = (start: number, end: number, more: Partial<ClaimSpecific> = {}): ClaimSpecific => ({
  kind: 'number',
  text: '9443',
  start,
  end,
  standing: 'nowhere',
  at: null,
  instead: null,
  ...more,
})
const claim = (start: number, end: number, more: Partial<ProvenanceClaim> = {}): ProvenanceClaim => ({
  kind: 'sentence',
  text: '',
  start,
  end,
  support: 'supported',
  score: 1,
  sourceScore: null,
  why: '',
  specifics: [],
  invented: [],
  passages: [],
  ...more,
})
const match = (claimStart: number, claimEnd: number) =>
  ({ text: '', kind: 'word', claimStart, claimEnd, start: 0, end: 1 }) as const

const textOf = (parts: readonly TextPart[]): string =>
  parts.map((part) => (part.kind === 'plain' ? part.text : part.runs.map(({ text }) => text).join(''))).join('')
const shown = (parts: readonly TextPart[]): string =>
  parts
    .map((part) =>
      part.kind === 'plain'
        ? part.text
        : `{${part.runs.map(({ text, isMatch, specific: one }) => (one ? `~${text}~` : isMatch ? `*${text}*` : text)).join('')}}`,
    )
    .join('')

describe("the parts of a summary's text", () => {
  it('are split at claims, and claims at the words that must be marked', () => {
    const text = '- Port 9443 was closed. Done.'
    const claims = [claim(2, 23, { specifics: [specific(7, 11), specific(12, 15, { standing: 'matched' })] })]
    expect(shown(textParts(text, claims, null))).toBe('- {Port ~9443~ was closed.} Done.')
  })

  it('mark the words that the selected passage shares, in its own claim only', () => {
    const text = 'One fell. Two rose.'
    const claims = [claim(0, 9), claim(10, 19)]
    const inHand = { index: 1, matches: [match(14, 18), match(0, 3)] }
    expect(shown(textParts(text, claims, inHand))).toBe('{One fell.} {Two *rose*.}')
  })

  it('say where every run begins, so that a selected text can be looked up', () => {
    const text = 'ab cd ef'
    for (const part of textParts(text, [claim(3, 8, { specifics: [specific(6, 8)] })], null))
      for (const run of part.kind === 'plain' ? [part] : part.runs)
        expect(text.slice(run.start, run.start + run.text.length)).toBe(run.text)
  })

  it('are together the same text for any claims, and for any shown length', () => {
    const range = fc.tuple(fc.nat(60), fc.nat(60))
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.array(range), fc.array(range), (text, ranges, marks) => {
        const claims = ranges.map(([start, end]) =>
          claim(start, end, { specifics: marks.map(([from, to]) => specific(from, to)) }),
        )
        const inHand = { index: 0, matches: marks.map(([from, to]) => match(from, to)) }
        expect(textOf(textParts(text, claims, inHand))).toBe(text)
      }),
    )
  })

  it('belong to one text, whose change is noticed by its hash', () => {
    expect(textHash('abc')).not.toBe(textHash('abd'))
    expect(textHash('abc')).toBe(textHash('abc'))
  })
})

describe('the texts about support', () => {
  it('put invented claims first, then claims without a source, then weak ones', () => {
    const claims = [
      claim(0, 1, { support: 'weak' }),
      claim(1, 2),
      claim(2, 3, { support: 'none' }),
      claim(3, 4, { support: 'weak', invented: [specific(3, 4)] }),
    ]
    expect(doubtfulClaims(claims)).toEqual([3, 2, 0])
  })

  it('name what the sources say instead', () => {
    expect(specificText(specific(0, 4, { instead: '8443' }))).toMatch(/in none of the sources.*“8443”/)
    expect(specificText(specific(0, 4, { standing: 'source_only' }))).toContain('in no message')
  })

  it('say how much was compared', () => {
    const searched = { messages: 80_000, messagesRead: 600, summaries: 2, chars: 93_480, isComplete: false }
    expect(searchedText({ searched, tookMs: 16 }).replaceAll('\u00a0', ' ')).toBe(
      '600 of 80,000 messages and 2 summaries, 93.5 k characters, in 16 ms',
    )
  })
})
