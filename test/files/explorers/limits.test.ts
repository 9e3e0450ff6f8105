import { describe, expect, it } from 'vitest'
import { explored } from './explored.ts'

const each = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join('')

describe('what a summary does not keep', () => {
  it('is counted among tables, rows, queries and kinds of statements of a script', async () => {
    const script = [
      each(
        700,
        (n) => `CREATE TABLE t${n} (id int, name text);\nINSERT INTO t${n} (id, name) VALUES (1, 'a'), (2, 'b');\n`,
      ),
      each(60, (n) => `SELECT * FROM t${n};\n`),
    ]
    const { summary } = await explored(script.join(''), { name: 'x.sql' })
    expect(summary).toContain('1,400 rows of data')
    const [, listed = '', more = ''] = /Tables:\n([\s\S]*?) … and ([\d,]+) more\n/.exec(`${summary}\n`) ?? []
    const names = new Set(listed.match(/\bt\d+\b/g))
    expect(names.size + Number(more)).toBe(700)
    const verbs = ['ALTER TABLE a ADD b int', 'ANALYZE', 'CALL f()', 'COMMENT ON a', 'COMMIT', 'DROP TABLE a']
    const further = ['GRANT a TO b', 'LOCK a', 'MERGE a', 'REVOKE a', 'SET a = 1', 'USE a', 'VACUUM']
    const kinds = await explored(`${[...verbs, ...further].join(';\n')};\n`, { name: 'x.sql' })
    expect(kinds.summary).toMatch(/13 statements: .*, others 3\./)
  })

  it('is counted among the elements, headings and links of a page', async () => {
    const page = `<html><body>${each(700, (n) => `<x${n}></x${n}><h2>Part ${n}</h2><a href="#${n}">to ${n}</a>`)}</body></html>`
    const { summary } = await explored(page, { name: 'x.html' })
    expect(summary).toContain('2,102 elements')
    const left = /Headings:\n([\s\S]*?) … and ([\d,]+) more/.exec(summary)
    expect(new Set(left?.[1]?.match(/Part \d+/g)).size + Number(left?.[2])).toBe(700)
    expect(summary).toMatch(/Elements:\n[\s\S]*? … and more than 486 more\n/)
  })

  it('is counted among the headings, definitions and imports of a notebook, and long cells are named', async () => {
    const code = [
      ...Array.from({ length: 40 }, (_, n) => `import m${n}\n`),
      ...Array.from({ length: 400 }, (_, n) => `def f${n}():\n`),
    ]
    const long = Array.from({ length: 1200 }, (_, n) => `x = ${n}\n`)
    const cells = [
      { cell_type: 'code', source: code, outputs: [] },
      { cell_type: 'code', source: long, outputs: [] },
    ]
    const { summary } = await explored(JSON.stringify({ cells, metadata: {}, nbformat: 4 }), { name: 'x.ipynb' })
    expect(summary).toContain('m29 … and 10 more.')
    expect(summary).toContain('Of 1 cell only the first 1,000 lines were read.')
    const left = /Definitions:\n([\s\S]*?) … and ([\d,]+) more/.exec(summary)
    expect(new Set(left?.[1]?.match(/\bf\d+\b/g)).size + Number(left?.[2])).toBe(400)
  })

  it('is said of the places of a changed file', async () => {
    const hunks = each(6, (n) => `@@ -${n * 10 + 1},1 +${n * 10 + 1},1 @@ part${n}\n-a\n+b\n`)
    const { summary } = await explored(`diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n${hunks}`, { name: 'x.diff' })
    expect(summary).toContain('in 6 hunks in part0, part1, part2, part3 and others')
  })

  it('is counted among the tables of a TOML file', async () => {
    const { summary } = await explored(
      each(800, (n) => `[part${n}]\nkey = ${n}\n`),
      { name: 'x.toml' },
    )
    const [, listed = '', more = ''] = /Tables and keys:\n([\s\S]*?) … and ([\d,]+) more/.exec(summary) ?? []
    expect(new Set(listed.match(/\[part\d+\]/g)).size + Number(more)).toBe(800)
  })
})
