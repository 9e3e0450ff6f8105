import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withSchemasWhenAsked } from '#scripts/schemas-when-asked.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

/** Counts the schemas that are made until all procedures are listed, and writes all schemas as JSON. */
const program = `
let made = 0
globalThis.__zod_globalConfig = { postProcessor: () => { made += 1 } }
const { z } = await import('zod')
const { procedures } = await import('./core/contract/procedures.ts')
const all = procedures()
const before = made
const json = (schema) => schema && ['input', 'output'].map((io) => z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
const schemas = all.map(({ name, input, output, isStream }) => [name, json(input), json(output), isStream])
console.log(JSON.stringify({ made: before, schemas }))
`

/** Returns what the program says of the contract in a folder. */
function contractOf(folder: string): { readonly made: number; readonly schemas: readonly unknown[] } {
  const written = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  return JSON.parse(written) as ReturnType<typeof contractOf>
}

it('makes few schemas of the contract before they are asked for, and the same ones as its sources', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'core'))
  const contract = join(folder, 'core', 'contract')
  cpSync(join(root, 'core', 'contract'), contract, { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of readdirSync(contract).filter((one) => one.endsWith('.ts'))) {
    const path = join(contract, name)
    writeFileSync(path, withSchemasWhenAsked(readFileSync(path, 'utf8')))
  }
  const whenAsked = contractOf(folder)
  const source = contractOf(root)
  expect(whenAsked.schemas).toEqual(source.schemas)
  expect(whenAsked.made).toBeLessThan(source.made / 8)
})

it.each([
  'const Cursor = z.object({ row: z.int() }).max(9)',
  'export const Held = Grant.omit({ state: true }).extend({ at: z.int() })',
  'const path = z.string().meta({})',
])('makes a schema at its first use: %s', (declared) => {
  const [, made] = declared.split(' = ')
  expect(withSchemasWhenAsked(declared)).toContain(`= whenAsked(() => ${made})`)
})

it.each([
  'const OPENING = Input.parse({})',
  'const json = z.toJSONSchema(Input)',
  'const ROWS = Array.from(Input.options)',
])('leaves what is no schema as it is: %s', (declared) => {
  expect(withSchemasWhenAsked(declared)).toBe(declared)
})
