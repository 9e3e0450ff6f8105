import { describe, expect, it } from 'vitest'
import { answerParts } from '#renderer/features/search/answer-parts.ts'
import { clipPassage, linesOfPassage } from '#renderer/ui/texts/clip-passage.ts'
import { findAllExactly } from '#renderer/ui/texts/found-texts.ts'

describe('an answer', () => {
  const cited = new Set(['msg_1', 'sum_a'])
  const shown = (answer: string): string =>
    answerParts(answer, cited)
      .map(({ kind, text }) => (kind === 'id' ? `<${text}>` : text))
      .join('|')

  it('has a link for each of the one or several sources that it cites', () => {
    expect(shown('Two raced [msg_1]. Dropped [msg_1, sum_a].')).toBe('Two raced |<msg_1>|. Dropped |<msg_1>|<sum_a>|.')
  })

  it('leaves other brackets as text', () => {
    expect(shown('a[0] and [msg_9] and [msg_1, msg_9]')).toBe('a[0] and [msg_9] and [msg_1, msg_9]')
    expect(shown('')).toBe('')
  })
})

describe('a passage', () => {
  it('is cut around its first match, whose range moves along', () => {
    const text = `${'x'.repeat(2000)}needle${'y'.repeat(2000)}`
    const clipped = clipPassage(text, [[2000, 2006]])
    const [[from, to] = [0, 0]] = clipped.matches
    expect(clipped.text.slice(from, to)).toBe('needle')
    expect(clipped.text.length).toBeLessThan(1000)
    expect(clipped.text.startsWith('…') && clipped.text.endsWith('…')).toBe(true)
  })

  it('stays whole when it is short, and never ends inside a character', () => {
    expect(clipPassage('short', [[0, 5]])).toEqual({ text: 'short', matches: [[0, 5]] })
    expect(clipPassage('🧠'.repeat(1000), [[999, 1001]]).text.isWellFormed()).toBe(true)
  })

  it('is found in its message line by line', () => {
    expect(linesOfPassage('one line\n\n  another \n}\n')).toEqual(['one line', 'another'])
    expect(findAllExactly('abc abc', ['bc'], 9)).toEqual([
      [1, 3],
      [5, 7],
    ])
    expect(findAllExactly('a long text', ['…long…', ''], 9)).toEqual([[2, 6]])
    expect(findAllExactly('aaaa', ['a'], 2)).toHaveLength(2)
  })
})
