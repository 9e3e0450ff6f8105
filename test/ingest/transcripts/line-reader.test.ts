import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readHead } from '#core/ingest/transcripts/head.ts'
import { type Line, readLines } from '#core/ingest/transcripts/line-reader.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const path = join(temporaryFolder(), 'lines')

async function linesOf(bytes: string | Buffer, longest?: number): Promise<Line[]> {
  writeFileSync(path, bytes)
  const lines: Line[] = []
  for await (const chunk of readLines(path, longest)) lines.push(...chunk.lines)
  return lines
}

// Invariant: the lines are the text split at line feeds, whatever else it holds and wherever the chunks of the file end.
it('gives every line once, and splits at line feeds only', async () => {
  const filler = fc.constantFrom('', 'é'.repeat(524_286), 'x'.repeat(1_048_575), `${'y'.repeat(1_048_575)}\n`)
  const text = fc.tuple(
    filler,
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom('\n', '\r', '\u2028', 'é', '🙂', 'a')),
  )
  await fc.assert(
    fc.asyncProperty(text, async ([start, middle, end]) => {
      const whole = `${start}${middle}${end.join('')}`.replace(/^\ufeff/, '')
      const expected = whole.split('\n')
      if (expected.at(-1) === '') expected.pop()
      const lines = await linesOf(whole)
      expect(lines.map((line) => (line.kind === 'text' ? line.text : ''))).toEqual(expected)
      expect(lines.map((line) => line.number)).toEqual(expected.map((_, index) => index + 1))
    }),
    { numRuns: runs(25) },
  )
})

// Property: whatever the bytes of a short file are, its head has the lines that reading it again would give.
it('gives the lines of a short file that its head has already', async () => {
  const piece = fc.constantFrom('\n', '\r\n', '\ufeff', '\0', '{"a":1}', 'é', '🙂', ' ', '\u2028')
  const bytes = fc
    .array(
      fc.oneof(
        piece.map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 3 }).map(Buffer.from),
      ),
    )
    .map((pieces) => Buffer.concat(pieces))
  await fc.assert(
    fc.asyncProperty(bytes, async (given) => {
      const lines = await linesOf(given)
      const { allLines, text } = readHead(path)
      expect(allLines).toEqual(lines)
      expect(text).toBe(given.toString().replace(/^\ufeff/, ''))
    }),
  )
  await linesOf('x'.repeat(300_000))
  expect(readHead(path).allLines).toBeNull()
})

it('skips a line that is too long, and counts its bytes', async () => {
  const lines = await linesOf(`short\n${'z'.repeat(3_000_000)}\nshort again\n`, 2_000_000)
  expect(lines).toEqual([
    { kind: 'text', number: 1, text: 'short', isUtf8: true, isEnded: true },
    { kind: 'too_long', number: 2, bytes: 3_000_000 },
    { kind: 'text', number: 3, text: 'short again', isUtf8: true, isEnded: true },
  ])
})

it('drops a byte order mark and reports bytes that are no UTF-8', async () => {
  const lines = await linesOf(Buffer.concat([Buffer.from('\ufeffa\nb'), Buffer.from([0xff, 0x0a])]))
  expect(lines).toMatchObject([
    { text: 'a', isUtf8: true },
    { text: 'b\ufffd', isUtf8: false },
  ])
})
