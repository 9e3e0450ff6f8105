import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claimsOf, claimsWithin } from '#core/provenance/claims.ts'
import { runs } from '../builders/property-runs.ts'
import { anyText } from './any-text.ts'

const texts = (text: string): string[] => claimsOf(text).map(({ start, end }) => text.slice(start, end))

it('splits prose into sentences, also without blanks between them', () => {
  expect(texts('We moved it. It works, e.g. on Linux. See v2.1. and go on!')).toEqual([
    'We moved it.',
    'It works, e.g. on Linux.',
    'See v2.1. and go on!',
  ])
  expect(texts('修复了连接池。重新部署!下一步是什么?')).toEqual(['修复了连接池。', '重新部署!下一步是什么?'])
  expect(texts('確認しました。次に進みます。')).toEqual(['確認しました。', '次に進みます。'])
})

it('reads bullets, numbered points and quotations without their marks', () => {
  expect(texts('- one thing here\n  * another thing\n3. a third\n> quoted words\n[x] ticked off')).toEqual([
    'one thing here',
    'another thing',
    'a third',
    'quoted words',
    'ticked off',
  ])
})

it('makes a claim of every line of code, and of titles only when they say something', () => {
  const text =
    '# Progress\n\nDecisions:\n\n```ts\nconst a = 1\n\nreturn a\n```\n\n## Version 3.2 breaks the build on arm64'
  expect(claimsOf(text).map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['code', 'const a = 1'],
    ['code', 'return a'],
    ['heading', 'Version 3.2 breaks the build on arm64'],
  ])
})

it('leaves out what a system adds to a summary: time and speaker, topics, ids, files', () => {
  const text = [
    '[2025-09-01 08:09 UTC - 2025-09-01 08:38 UTC]',
    'Segment summary:',
    '[2025-09-01 08:09 UTC | user] the lock is held',
    '2026-03-02 09:10Z call bash: npm test',
    'sum_0123456789abcdef, sum_aaaaaaaaaaaaaaaa',
    'Files: none',
    'Sources: msg_1, msg_2',
    '- - [ASSISTANT]: - [2026-11-20 10:10 UTC]',
    '- [Expand for details: export]',
    'Segment covering the export.',
    '- - [USER]: [Recent Summary (d0, node 1)]',
    '- [TOOL RESULT call_7]: all is green',
    'Expand for details about: locks, tests.',
  ].join('\n')
  expect(texts(text)).toEqual(['the lock is held', 'npm test', 'all is green'])
})

it('makes claims that do not overlap and lie in the text, and splits a line of a megabyte', () => {
  fc.assert(
    fc.property(anyText(400), (text) => {
      let last = 0
      for (const { start, end } of claimsOf(text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        last = end
      }
    }),
    { numRuns: runs(200) },
  )
  const long = claimsOf('word '.repeat(200_000))
  expect(Math.max(...long.map(({ start, end }) => end - start))).toBeLessThanOrEqual(600)
})

it.each([
  ['points', `${'.'.repeat(200_000)}word`, 1],
  ['parts of what is no id', `Files: ${'ab-'.repeat(500)}!`, 3],
  ['ids without a space', `${'sum_ab'.repeat(300)}!`, 3],
])('reads each of very many %s once', (_, text, pieces) => {
  // Reading them again from each place takes minutes, and trying every grouping of them never ends.
  expect(claimsOf(text).length).toBe(pieces)
})

it('narrows a claim to a selection within it, and returns whole claims for a wider one', () => {
  const text = 'The first says this. The second says that.'
  const claims = claimsOf(text)
  expect(claimsWithin(claims, 4, 14).map(({ start, end }) => text.slice(start, end))).toEqual(['first says'])
  expect(claimsWithin(claims, 10, 30)).toEqual(claims)
  expect(claimsWithin(claims, 21, 22)).toEqual([claims[1]])
})
