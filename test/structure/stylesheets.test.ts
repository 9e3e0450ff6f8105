import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#scripts/project.mjs'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const sheets = globSync('renderer/**/*.module.css', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
const classesOf = (sheet: string): ReadonlySet<string> => {
  const rules = read(sheet).replaceAll(/\/\*[\s\S]*?\*\/|:global\([^)]*\)|(?<=\{)[^{}]*(?=\})/g, '')
  return new Set(Array.from(rules.matchAll(/\.([a-zA-Z][\w-]*)/g), ([, name = '']) => name))
}

/** What the code names of each sheet. A sheet whose names are computed may be asked for any of its classes. */
const named = new Map<string, { readonly names: Map<string, string>; isComputed: boolean }>()
for (const file of globSync('renderer/**/*.{ts,tsx}', { cwd: root }).map((path) => path.replaceAll('\\', '/'))) {
  const code = read(file)
  for (const [statement, variable = '', from = ''] of code.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
    const sheet = from.startsWith('#') ? from.slice(1) : join(dirname(file), from).replaceAll('\\', '/')
    const known = named.get(sheet) ?? { names: new Map(), isComputed: false }
    const rest = code.replaceAll(/ from '[^']*'/g, '').replace(statement.split(' from ')[0] ?? '', '')
    for (const [, name = ''] of rest.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))) known.names.set(name, file)
    known.isComputed ||= new RegExp(`(?<![\\w.'/-])${variable}(?![\\w.'/-])`).test(rest)
    named.set(sheet, known)
  }
}

it('finds each class that the window names in the stylesheet that it names', () => {
  const missing = [...named].flatMap(([sheet, { names }]) => {
    const classes = classesOf(sheet)
    return [...names]
      .filter(([name]) => !classes.has(name))
      .map(([name, file]) => `${file}: ${name} is not in ${sheet}`)
  })
  expect(missing).toEqual([])
})

it('names each class of a stylesheet somewhere in the window', () => {
  const unused = sheets.flatMap((sheet) => {
    const { names, isComputed } = named.get(sheet) ?? { names: new Map<string, string>(), isComputed: false }
    return isComputed ? [] : [...classesOf(sheet)].filter((name) => !names.has(name)).map((name) => `${sheet}: ${name}`)
  })
  expect(sheets.length).toBeGreaterThan(100)
  expect(unused).toEqual([])
})
