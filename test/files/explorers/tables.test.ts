import { describe, expect, it } from 'vitest'
import { explored, exploredSource, generatedSource } from './explored.ts'

const ROWS = [
  'id,name,price,joined,note',
  '1,"Smith, Ann",1.5,2024-01-31,',
  '2,"Bob ""B""",20,2023-02-01,"two\nlines"',
  '3,Eve,0.25,2025-12-24,x',
]

describe('the summary of a table', () => {
  it('names the columns with types, ranges and the number of empty cells', async () => {
    const { type, summary } = await explored(ROWS.join('\n'), { name: 'people.csv' })
    expect(type).toBe('csv')
    expect(summary).toContain('3 rows below the names of the columns, 5 columns, separated by commas.')
    expect(summary).toContain('- id: integer 1 to 3')
    expect(summary).toContain('- name: "Smith, Ann", "Bob \\"B\\""'.replaceAll('\\"', '"'))
    expect(summary).toContain('- price: number 0.25 to 20')
    expect(summary).toContain('- joined: time 2023-02-01 to 2025-12-24')
    expect(summary).toContain('- note: "two lines", "x"; empty 1 time')
  })

  it('tells tabs, semicolons and commas apart by the content', async () => {
    const tabs = await explored('a\tb\n1\t2\n3\t4\n', { name: 'x.csv' })
    expect(tabs.type).toBe('tsv')
    expect((await explored('a;b\n1,5;2\n3,5;4\n', { name: 'x.csv' })).summary).toContain('separated by semicolons')
  })

  it('numbers the columns of a table without names', async () => {
    const { summary } = await explored('1,2.5\n2,3.5\n3,4.5\n', { name: 'x.csv' })
    expect(summary).toContain('3 rows, no names of columns')
    expect(summary).toContain('- column 2: number 2.5 to 4.5')
  })

  it('keeps codes with zeros at the front as texts', async () => {
    expect((await explored('zip,n\n01234,1\n04567,2\n', { name: 'x.csv' })).summary).toContain(
      '- zip: "01234", "04567"',
    )
  })

  it('names all columns of a wide table, also without room for their details', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `col ${n}`)
    const { summary, tokens } = await explored(
      `${names.join(',')}\n${`${names.map((_, n) => n * 1000).join(',')}\n`.repeat(5)}`,
    )
    for (const name of names) expect(summary).toContain(name)
    expect(tokens).toBeLessThanOrEqual(500)
  })

  it('reads on when a quotation mark does not end', async () => {
    const { summary } = await explored(`a,b\n1,"x\n${'2,y\n'.repeat(400_000)}`, { name: 'x.csv' })
    expect(summary).toContain('400,001 rows')
  })

  it('has 200 to 500 tokens for many rows', async () => {
    const row = (n: number) => (n === 0 ? 'n,word,half' : `${n},word ${n % 7},${n / 2}`)
    const { tokens, summary } = await exploredSource(generatedSource(30_000, row))
    expect(summary).toContain('- n: integer 1 to 29999')
    expect(tokens).toBeLessThanOrEqual(500)
  })
})
