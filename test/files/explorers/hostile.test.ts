import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FileSource } from '#core/files/explorers/decoded-file.ts'
import { explore } from '#core/files/explorers/explore.ts'
import { FILE_TYPES, TYPE_FACTS } from '#core/files/explorers/file-type.ts'
import { explored, sourceOf } from './explored.ts'

/** Control characters but the line break, marks that change the direction of a text, and halves of characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u
const isSafe = (text: string): boolean => !UNSAFE.test(text.replaceAll('\n', '')) && text.isWellFormed()

const hostileText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '\n',
      '\t',
      '-',
      '#',
      '<',
      '>',
      '/',
      "'",
      '=',
      '|',
      '@',
      ' ',
    ),
    fc.constantFrom('\u0000', '\u001b', '\u202e', '\u2066', '\ufeff', '\ud800', '\u0085', '\u2028', '\u200d', '😀'),
    fc.constantFrom(
      'null',
      'true',
      '12',
      '1e999',
      'INSERT INTO ',
      'def f():',
      '<a b="c">',
      'diff --git ',
      '2024-01-01 ERROR ',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  ),
  maxLength: 300,
})
const name = fc.option(
  fc.oneof(
    hostileText,
    fc.constantFrom('a.json', 'a.csv', 'a.yaml', 'a.xml', 'a.py', 'a.log', 'a.diff', 'a.sql', 'a.toml', 'a.md'),
  ),
)
const mime = fc.option(fc.oneof(hostileText, fc.constantFrom(...FILE_TYPES.map((type) => TYPE_FACTS[type].mime))))

describe('an exploration', () => {
  it('never throws, has at most 500 tokens and shows nothing unsafe, whatever the file is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileText, fc.uint8Array({ maxLength: 400 })), name, mime, async (content, n, m) => {
        const first = await explored(content, { name: n ?? undefined, mime: m ?? undefined })
        expect(first.tokens).toBeLessThanOrEqual(500)
        expect(isSafe(first.summary)).toBe(true)
        expect(isSafe(first.mime)).toBe(true)
        expect(await explored(content, { name: n ?? undefined, mime: m ?? undefined, chunkBytes: 7 })).toEqual(first)
      }),
    )
  })

  it.each([
    ['brackets without end', '['.repeat(300_000)],
    ['objects without end', '{"a":'.repeat(100_000)],
    ['a line of a megabyte', `{"a": ${'1'.repeat(1_000_000)}}`],
    ['a text without end', `["${'a'.repeat(1_000_000)}`],
    ['keys without end', `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}": {"a${n}": ${n}}`).join(',')}}`],
    ['escape codes', '\u001b[31mred\u001b[0m '.repeat(20_000)],
    ['half of a character', '{"a": "\\ud800", "\\udfff": 1}'],
    ['marks of direction', '{"a\u202eb": "\u2067c"}'],
  ])('stays small and safe for %s', async (_, text) => {
    const { tokens, summary } = await explored(text)
    expect(tokens).toBeLessThanOrEqual(500)
    expect(isSafe(summary)).toBe(true)
  })

  it('stops when it is cancelled', async () => {
    const stop = new AbortController()
    stop.abort()
    const work = explore(sourceOf('word '.repeat(10_000_000)), stop.signal)
    await expect(work.next()).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('lets others have their turn at least every 50 ms of a clock that only reading moves', async () => {
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const text = sourceOf(JSON.stringify(Array.from({ length: 200_000 }, (_, n) => ({ n }))))
    let [turnAtMs, longestMs] = [0, 0]
    const slow: FileSource = {
      ...text,
      *chunks() {
        for (const chunk of text.chunks())
          for (let from = 0; from < chunk.length; from += 4096) {
            nowMs += 2
            longestMs = Math.max(longestMs, nowMs - turnAtMs)
            yield chunk.subarray(from, from + 4096)
          }
      },
    }
    const turn = (): void => {
      turnAtMs = nowMs
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)
    const work = explore(slow, new AbortController().signal)
    while (!(await work.next()).done);
    clearImmediate(timer)
    expect(longestMs).toBeLessThanOrEqual(50)
  })
})
