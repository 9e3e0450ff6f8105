import { describe, expect, it } from 'vitest'
import { chunksInSight, findAllIgnoringCase, languageOf, parseLine } from '#renderer/features/files/file-chunks.ts'

describe('the language of a file', () => {
  it('follows from the ending of its name, and from the stored file when the name has none', () => {
    expect(languageOf({ fileName: 'a.TS', storageUri: '/x/file_1.ts' })).toBe('typescript')
    expect(languageOf({ fileName: 'Read result', storageUri: '/x/1/file_1.py' })).toBe('python')
    expect(languageOf({ fileName: 'a.csv', storageUri: '/x/1/file_1.csv' })).toBe(null)
    expect(languageOf({ fileName: null, storageUri: '' })).toBe(null)
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
