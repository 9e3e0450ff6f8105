import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/decisions')
const records = readdirSync(folder).sort()
const MOST_RECORDS = 45

/** Every file in which a record may be named, with its text. */
const sources = ['core', 'electron', 'renderer', 'scripts', 'test', 'docs', 'resources/adapters']
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`))
  .concat('README.md', 'ARCHITECTURE.md', '.dependency-cruiser.mjs')
  .filter((path) => /\.(?:ts|tsx|js|mjs|md)$/.test(path) && path !== 'test/structure/decisions.test.ts')
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

it('numbers the decision records without gaps and without a number that stands twice', () => {
  expect(records.map((name) => Number(name.slice(0, 4)))).toEqual(records.map((_, index) => index + 1))
})

it(`keeps at most ${MOST_RECORDS} decision records`, () => {
  expect(records.length).toBeLessThanOrEqual(MOST_RECORDS)
})

it.each(records)('gives %s its own number in its heading', (name) => {
  expect(readFileSync(join(folder, name), 'utf8')).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. \\S`))
})

it.each(records)('cites %s from a file that it explains', (name) => {
  const citing = sources.filter(({ path, text }) => !path.startsWith('docs/') && text.includes(`decisions/${name}`))
  expect(citing.map(({ path }) => path).filter((path) => !path.endsWith('.md'))).not.toEqual([])
})

it('cites no decision record that does not exist', () => {
  const cited = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/decisions\/(\d{4}-[\w-]+\.md)/g), ([, name]) => name),
  )
  expect(cited.length).toBeGreaterThan(records.length)
  expect([...new Set(cited)].filter((name) => !records.includes(name ?? ''))).toEqual([])
})
