import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'

const PAGE = readFileSync(inProject('SECURITY.md'), 'utf8')
const [, TABLE = ''] = PAGE.split('## Promises and their tests')

it('names a test that exists for each promise of the page about security', () => {
  const rows = TABLE.split('\n').flatMap((line) => {
    const [, promise, file, title] = /^\| (.+?) \| `(.+?)` \| (.+?) \|$/.exec(line) ?? []
    return promise && file && title ? [{ promise, file, title }] : []
  })
  expect(rows.length).toBeGreaterThan(20)
  const missing = rows.filter(({ file, title }) => {
    const path = inProject(file)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title.replaceAll("'", "\\'")}'`)
  })
  expect(missing).toEqual([])
})
