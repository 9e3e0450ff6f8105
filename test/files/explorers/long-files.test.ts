// Takes longer than 5 s, because its files are as long as those of which only a part is read.
import { describe, expect, it } from 'vitest'
import { explored, exploredSource, generatedSource, sourceOf } from './explored.ts'

const PART = 'It was read only in part: the first 8.0 MB of 9'

describe('a file of more than 8 MB', () => {
  it('is described by its first 8 MB, and its summary says so first', async () => {
    const source = generatedSource(300_000, (n) => `${n},word ${n % 7},${'x'.repeat(16)}`, { name: 'a.csv' })
    const { summary } = await exploredSource(source)
    expect(summary.split('\n')[1]).toMatch(/^It was read only in part: the first 8.0 MB of 9\.\d MB\.$/)
    expect(summary).toMatch(/- column 1: integer 0 to \d{6}\n/)
    expect(summary).not.toContain('more or fewer columns')
  })

  it.each([
    ['a.json', `{"first": 1, "list": [${'"abcdef",'.repeat(1_000_000)}"end"]}`, '- first: integer 1'],
    ['a.toml', `title = "x"\n${'[[item]]\nid = 1234567890123\n'.repeat(330_000)}`, 'title "x"'],
    ['a.sql', `INSERT INTO t VALUES ${"(1, 'abcde'),".repeat(720_000)}(2, 'x');`, 'INSERT 1'],
    ['a.txt', 'word '.repeat(1_850_000), 'The part that was read ends with:'],
  ])('has no error where %s is cut', async (name, text, expected) => {
    const { summary } = await explored(text, { name })
    expect(summary).toContain(PART)
    expect(summary).toContain(expected)
    expect(summary).not.toContain('cut off')
    expect(summary).not.toContain('plain text')
    expect(summary).not.toContain('is not JSON')
  })

  it('is not read to its end', async () => {
    const source = sourceOf('word '.repeat(100_000))
    let chunks = 0
    const endless = {
      ...source,
      sizeBytes: 1_200_000_000,
      *chunks() {
        for (;;) {
          chunks += 1
          yield* source.chunks()
        }
      },
    }
    expect((await exploredSource(endless)).summary).toContain('the first 8.0 MB of 1.2 GB.')
    expect(chunks).toBeLessThan(25)
  })
})

it.each([
  ['elements of a page that are nested without end', 'a.html', '<html>'.concat('<div>'.repeat(200_000))],
  ['a line of a table without end', 'a.csv', `a,b\n1,2\n${'xyz,'.repeat(500_000)}`],
  ['a list of YAML without end', 'a.yaml', '- '.repeat(500_000)],
  ['the beginning of a table of TOML without end', 'a.toml', `a = 1\n[${' '.repeat(100_000)}`],
])('is described as a text for %s', async (_, name, text) => {
  expect((await explored(text, { name })).summary).toContain('It is described as plain text')
})

it('resolves no aliases of YAML, of which a few lines could stand for billions of values', async () => {
  const lists = Array.from({ length: 40 }, (_, n) => `b${n}: &b${n} [${'*a, '.repeat(9)}*a]`)
  const { summary } = await explored(`a: &a ["x", "y"]\n${lists.join('\n')}`, { name: 'a.yaml' })
  expect(summary).toContain('dictionary of 41 names')
})
