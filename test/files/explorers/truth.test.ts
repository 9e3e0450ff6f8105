import { expect, it } from 'vitest'
import { explored } from './explored.ts'

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

it('shows the very end of a long text, and says that something stands before it', async () => {
  const { summary } = await explored(
    `${lines(500, (at) => `step ${at} of the build went through`)}\n4 failed, 300 passed`,
  )
  expect(summary).toMatch(/It ends with:\n….*4 failed, 300 passed$/)
})

it('finds the errors of a log that was written for a terminal, and shows no control sequence', async () => {
  const { summary } = await explored(
    `${lines(300, (at) => `\u001b[36m[${at}]\u001b[0m compiling module ${at}`)}\n\u001b[31merror TS2345: x is not y\u001b[0m`,
    { name: 'build.log' },
  )
  expect(summary).toContain('Levels: ERROR 1.')
  expect(summary).toContain('- the only one, line 301: error TS2345: x is not y')
  expect(summary).toContain('- 300× [#] compiling module #')
  expect(summary).not.toMatch(/\[\d*m/)
})

it('counts all keys of a document that it does not show', async () => {
  const fields = (count: number): Record<string, number[]> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, [at]]))
  const document = { first: fields(15), second: { deep: { deeper: { other: true } } } }
  const wide = {
    rows: Array.from({ length: 3 }, () =>
      Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`c${at}`, at % 2 ? 'a' : at])),
    ),
  }
  const found = await explored(JSON.stringify({ ...document, ...wide }))
  const left = Number(/… and ([\d,]+) more$/.exec(found.summary)?.[1]?.replace(',', ''))
  const deeper = 15 + 1 + 700 + 1 + 1
  expect((found.summary.split('Deeper keys:\n')[1]?.match(/^- [^…\s]/gm) ?? []).length + left).toBe(deeper)
})

it('says how many rows of a table follow the first ones', async () => {
  const { summary } = await explored(`id,name\n${lines(5000, (at) => `${at},item ${at}`)}`, { name: 'a.csv' })
  const [, rows = ''] = summary.split('First rows:\n')
  const shown = rows.split('\n').filter((row) => row.includes(' | ')).length
  expect(rows).toContain(`… and ${(5000 - shown).toLocaleString('en')} more`)
})

it('names each text of a link once, and calls a dictionary what it is', async () => {
  const page = await explored(
    `<!doctype html><html><body>${lines(90, (at) => `<a href="/p${at}">Read on</a>`)}</body></html>`,
  )
  expect(page.summary).toMatch(/Links with different texts:\n- Read on: \/p0(?:\n\n|$)/)
  const yaml = await explored(
    lines(60, (at) => `service-${at}:\n  image: app:${at}\n  replicas: 2`),
    { name: 'a.yaml' },
  )
  expect(yaml.summary).toContain('The document is a dictionary of 60 names')
})
