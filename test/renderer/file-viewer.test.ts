import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksInSight, findAllIgnoringCase, parseLine } from '../../renderer/features/files/file-chunks.ts'
import { highlightLines, languageOf } from '../../renderer/features/files/highlight-lines.ts'

const joined = (lines: readonly string[], language: string | null): string[] =>
  highlightLines(lines, language).map((tokens) => tokens.map(({ text }) => text).join(''))

describe('the colouring of a file', () => {
  it('takes the language from the ending of a name, and from the stored file when the name has none', () => {
    expect(languageOf({ fileName: 'a.TS', storageUri: '/x/file_1.ts' })).toBe('ts')
    expect(languageOf({ fileName: 'Read result', storageUri: '/x/1/file_1.py' })).toBe('py')
    expect(languageOf({ fileName: 'a.csv', storageUri: '/x/1/file_1.csv' })).toBe(null)
    expect(languageOf({ fileName: null, storageUri: '' })).toBe(null)
  })

  it('changes no character of any line, whatever stands in it', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('/*', '*/', '"', '`${', '<a href="', '<!--', '{'),
    )
    const lines = fc.array(line, { maxLength: 30 }).map((all) => all.map((one) => one.replace(/[\r\n]/g, ' ')))
    fc.assert(
      fc.property(lines, fc.constantFrom('ts', 'py', 'json', 'yaml', 'html', 'md', 'sql', null), (all, language) => {
        if (all.length > 0) expect(joined(all, language)).toEqual(all)
      }),
    )
  })

  it('colours a comment over several lines as a whole', () => {
    const [first, second] = highlightLines(['/* one', 'two */ const a = 1'], 'ts')
    expect(first).toEqual([{ text: '/* one', look: 'comment' }])
    expect(second?.[0]).toEqual({ text: 'two */', look: 'comment' })
  })

  it('leaves lines plain that are too long to be read by their colours', () => {
    expect(highlightLines([`const a = ${'1'.repeat(2000)}`], 'ts')[0]).toHaveLength(1)
  })
})

describe('the viewer of a file', () => {
  it('fetches the chunks in sight and the next ones in both directions', () => {
    expect(chunksInSight(0, 30, 1000)).toEqual([0, 1])
    expect(chunksInSight(450, 520, 1000)).toEqual([3, 4, 5, 6])
    expect(chunksInSight(990, 999, 1000)).toEqual([8, 9])
    expect(chunksInSight(0, 30, 0)).toEqual([0])
  })

  it('marks each place of a text in a line without regard to case', () => {
    expect(findAllIgnoringCase('Ab ab aB', 'ab')).toEqual([
      [0, 2],
      [3, 5],
      [6, 8],
    ])
    expect(findAllIgnoringCase('a.b', '.')).toEqual([[1, 2]])
    expect(findAllIgnoringCase('a', '')).toEqual([])
  })

  it('reads a line number with or without separators', () => {
    expect([parseLine('12'), parseLine('1,234'), parseLine('0'), parseLine('x'), parseLine('')]).toEqual([
      12,
      1234,
      null,
      null,
      null,
    ])
  })
})
