import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Match, Matcher } from '#core/search/query/matcher.ts'
import { snippetOf } from '#core/search/snippet.ts'

/** Finds a word as it is written. */
function matcherOf(word: string): Matcher {
  const find = (text: string, limit: number): Match[] => {
    const found: Match[] = []
    for (let at = text.indexOf(word); at >= 0 && found.length < limit; at = text.indexOf(word, at + word.length)) {
      found.push({ term: 0, start: at, end: at + word.length })
    }
    return found
  }
  return { termCount: 1, find } as Matcher
}

describe('a snippet', () => {
  it('highlights whole matches, never a part of one', () => {
    const word = fc.constantFrom('the', 'C++', '導演', 'a longer phrase to look for')
    fc.assert(
      fc.property(word, fc.array(fc.stringMatching(/^[a-z ]{0,90}$/), { maxLength: 12 }), (sought, between) => {
        const { snippet, matches } = snippetOf([between.join(sought)], matcherOf(sought))
        for (const [start, end] of matches) expect(snippet.slice(start, end)).toBe(sought)
        expect(matches.length > 0).toBe(between.length > 1)
      }),
    )
  })

  it('shows the beginning of a match that is longer than the snippet', () => {
    const { snippet, matches } = snippetOf(['x'.repeat(1000)], matcherOf('x'.repeat(900)))
    expect(matches).toHaveLength(1)
    expect(snippet.length).toBeLessThan(300)
  })

  it('begins where most of the different terms stand near each other', () => {
    const found = (word: string, term: number) => (text: string) =>
      Array.from(text.matchAll(new RegExp(word, 'g')), ({ index }) => ({
        term,
        start: index,
        end: index + word.length,
      }))
    const find = (text: string): Match[] =>
      [found('port', 0), found('host', 1)].flatMap((of) => of(text)).sort((a, b) => a.start - b.start)
    const text = `A port. ${'Other words. '.repeat(60)}The port of the host. ${'More words. '.repeat(60)}`
    expect(snippetOf([text], { ...matcherOf('port'), termCount: 2, find }).snippet).toContain('The port of the host.')
  })
})
