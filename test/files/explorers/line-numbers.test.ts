import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineNumbersIn, withoutNumbers } from '#core/files/explorers/decoded-file.ts'
import { runs } from '#test/builders/property-runs.ts'
import { explored } from './explored.ts'

const CSV = ['id,name,price', ...Array.from({ length: 300 }, (_, row) => `${row},item ${row},${row * 3}.50`)]
const STYLES: readonly [name: string, number: (line: number) => string][] = [
  ['Claude Code', (line) => `${String(line).padStart(6)}→`],
  ['cat -n', (line) => `${String(line).padStart(6)}\t`],
  ['opencode', (line) => `${String(line).padStart(5, '0')}| `],
]

it.each(STYLES)('describes a file that %s has numbered as the file itself', async (_, numberOf) => {
  const plain = await explored(CSV.join('\n'), { name: 'prices.csv' })
  const numbered = CSV.map((line, at) => numberOf(at + 99_900) + line).join('\n')
  const found = await explored(numbered, { name: 'prices.csv' })
  expect(found.type).toBe('csv')
  const [heading = '', ...lines] = found.summary.split('\n')
  expect(heading).toMatch(/, with line numbers, which are left out here$/)
  expect(lines).toEqual(plain.summary.split('\n').slice(1))
})

it('leaves a table alone whose first column counts its rows', async () => {
  const table = Array.from({ length: 50 }, (_, row) => `${row + 1}\tname ${row}\t${row * 2}`).join('\n')
  expect(lineNumbersIn(table)).toBeNull()
})

it('takes the numbers from all lines of a text', () => {
  const property = fc.property(
    fc.array(fc.stringMatching(/^[a-z1→\t |]{0,40}$/), { minLength: 5, maxLength: 60 }),
    fc.constantFrom(...STYLES),
    (lines, [, numberOf]) => {
      const text = lines.map((line, at) => numberOf(at + 1) + line).join('\n')
      const numbers = lineNumbersIn(text)
      if (numbers === null) throw new Error('the numbers were not recognised')
      expect(withoutNumbers(text, numbers)).toBe(lines.join('\n'))
    },
  )
  fc.assert(property, { numRuns: runs(300) })
})
