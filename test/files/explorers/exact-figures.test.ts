import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactNumber, isLess } from '#core/files/explorers/exact-number.ts'
import { explored } from './explored.ts'

const lineEnding = fc.constantFrom('\n', '\r\n', '\r')
const cell = fc.string({ unit: fc.constantFrom('a', 'b', '7', ' ', '"', ',', '\n', '\r'), minLength: 1, maxLength: 6 })
const quotedCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

describe('figures of tables', () => {
  it('count the rows of a table whose lines end with CR LF', async () => {
    const text = 'id,name,price\r\n1,pen,10\n2,ink,20\n3,cap,30\n'
    const { summary } = await explored(text, { name: 'x.csv' })
    expect(summary).toContain('3 rows below the names of the columns, 3 columns')
    expect(summary).toContain('- price: integer 10 to 30')
  })

  it('equal a naive count whatever ends the lines and stands in quotation marks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell, lineEnding), { minLength: 1, maxLength: 40 }),
        lineEnding,
        fc.integer({ min: 1, max: 400 }),
        async (rows, ending, times) => {
          const lines = rows.map(
            ([a, b, c, end]) => `x${quotedCell(a)[0] === '"' ? '' : a},${[b, c].map(quotedCell).join(',')}${end}`,
          )
          const text = `one,two,three${ending}${lines.join('').repeat(times)}`
          const count = new Intl.NumberFormat('en-US').format(rows.length * times)
          const { summary } = await explored(text, { name: 'x.csv' })
          expect(summary).toContain(
            `${count} ${rows.length * times === 1 ? 'row' : 'rows'} below the names of the columns, 3 columns`,
          )
          expect(summary).not.toContain('with more or fewer columns')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('do not take a quotation mark within a value for the beginning of a long one', async () => {
    const { summary } = await explored(`size,note\n${'5" pipe,"two\nlines"\n'.repeat(4000)}`, { name: 'x.csv' })
    expect(summary).toContain('4,000 rows below the names of the columns, 2 columns')
  })
})

describe('numbers', () => {
  it('are shown as they stand in the file when JavaScript cannot hold them', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `12345678901234567${String(n + 10)}`)
    const json = await explored(`{"ids": [${ids.toReversed().join(', ')}], "far": 1e999, "near": 1.50}`, {
      name: 'x.json',
    })
    expect(json.summary).toContain('integer 1234567890123456710 to 1234567890123456739')
    expect(json.summary).toContain('far: number 1e999')
    expect(json.summary).toContain('near: number 1.5')
    const lines = await explored(ids.map((id) => `{"id": ${id}}`).join('\n'), { name: 'x.jsonl' })
    expect(lines.summary).toContain('id: integer 1234567890123456710 to 1234567890123456739')
    const toml = await explored('[guild]\nid = 1102938475610293847\nname = "x"\n', { name: 'x.toml' })
    expect(toml.type).toBe('toml')
    expect(toml.summary).toContain('integer 1102938475610293847')
    const yaml = await explored(`guild:\n  id: 1102938475610293847\n  far: 1e999\n`, { name: 'x.yaml' })
    expect(yaml.summary).toContain('1102938475610293847')
    expect(yaml.summary).not.toContain('Infinity')
  })

  it('are in the order of their values, whatever their length', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.bigInt(-(10n ** 40n), 10n ** 40n), (a, b) => {
        const [one, other] = [a, b].map((value) => exactNumber(Number(value), String(value)))
        if (one === undefined || other === undefined) throw new Error('two numbers')
        expect(isLess(one, other)).toBe(a < b)
      }),
    )
  })

  it('are told apart from their neighbours when they have 17 digits', () => {
    fc.assert(
      fc.property(fc.bigInt(10n ** 17n, 10n ** 18n), fc.bigInt(-3n, 3n), (a, apart) => {
        const [one, other] = [a, a + apart].map((value) => exactNumber(Number(value), String(value)))
        if (one === undefined || other === undefined) throw new Error('two numbers')
        expect(isLess(one, other)).toBe(apart > 0n)
        expect(BigInt(one.shown)).toBe(a)
      }),
    )
  })
})

describe('figures of texts', () => {
  it('count the words and characters of lines of any length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('word', 'é', 'a-b'), fc.constantFrom(' ', '\n', '\r\n', '  ')), {
          minLength: 1,
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 3000 }),
        async (words, times) => {
          const text = words
            .map((pair) => pair.join(''))
            .join('')
            .repeat(times)
          const { summary } = await explored(text, { name: 'x.txt' })
          const number = new Intl.NumberFormat('en-US')
          const found = text.split(/\s+/).filter((word) => word !== '').length
          const longest = Math.max(...text.split(/\r?\n/).map((line) => line.length))
          expect(summary).toContain(`, ${number.format(found)} word`)
          expect(summary).toContain(`the longest line has ${number.format(longest)} character`)
        },
      ),
      { numRuns: 40 },
    )
  })
})
