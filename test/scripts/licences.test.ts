import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { licencesText, packageFolderOf, shippedFrom } from '#scripts/licences.ts'
import { inProject } from '#scripts/project.mjs'
import { packageFolder } from '../builders/built-program.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const FILE = join(packageFolder, 'out/THIRD-PARTY-LICENSES.txt')

const textsBelow = (folder: string, name: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))

/** Names of packages that stand behind these beginnings. */
const packagesIn = (texts: readonly string[], before: RegExp): string[] =>
  texts.flatMap((text) =>
    [...text.matchAll(new RegExp(`${before.source}((?:@[\\w.-]+/)?[\\w.-]+)`, 'gm'))].map(([, name = '']) => name),
  )

/** A package of one file, or of two with a text of its licence. */
function written(manifest: object, text?: string): string {
  const folder = join(temporaryFolder(), 'node_modules/some')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'some', version: '1.0.0', ...manifest }))
  if (text !== undefined) writeFileSync(join(folder, 'LICENSE'), text)
  return folder
}

describe('the licences of what others made', () => {
  const text = readFileSync(FILE, 'utf8')
  const listed = new Map(
    [...text.matchAll(/^(\S+) \S+: (\S+)$/gm)].map(([, name = '', licence = '']) => [name, licence]),
  )

  it('are part of the npm package, with every package of which a module is in its scripts', () => {
    const bundled = packagesIn(textsBelow(join(packageFolder, 'out/main'), /\.js$/), /^\/\/ node_modules\//)
    expect(new Set(bundled).size).toBeGreaterThan(50)
    expect([...new Set(bundled)].filter((name) => !listed.has(name))).toEqual([])
  })

  it('name every package that the window and its styles import, fonts among them', () => {
    const sources = textsBelow(inProject('renderer'), /\.(?:tsx?|css)$/).map((source) =>
      source.replaceAll(/^import type .*$/gm, ''),
    )
    const imported = new Set(packagesIn(sources, /(?:from |import\(|import |@import )['"]/))
    const packages = [...imported].filter((name) => !/^[.#]/.test(name) && !isBuiltin(name))
    expect(packages).toContain('@fontsource-variable/inter')
    expect(packages.filter((name) => !listed.has(name))).toEqual([])
  })

  it('name what is installed beside the program, what is copied out of packages, and SQLite', () => {
    const expected = [
      'better-sqlite3',
      'pg',
      'pg-cloudflare',
      'pg-protocol',
      '@vscode/tree-sitter-wasm',
      'gpt-tokenizer',
      'pdfjs-dist',
    ]
    expect(expected.filter((name) => !listed.has(name))).toEqual([])
    expect(text).toContain('LIBERATION FONT SOFTWARE')
    expect(text).toMatch(/^SQLite\n\nIt is in the public domain/m)
  })

  it('are given once for all that have the same text', () => {
    const shipped = ['one', 'two'].map((name) => shippedFrom(written({ name, license: 'ISC' }, 'May be used.')))
    expect(licencesText(shipped)).toContain('one 1.0.0\ntwo 1.0.0\n\nMay be used.\n')
  })

  it('stop the build where a package has a licence that may not be shipped, none at all, or no text of it', () => {
    expect(() => shippedFrom(written({ license: 'GPL-3.0' }, 'Text.'))).toThrow('some is shipped under "GPL-3.0"')
    expect(() => shippedFrom(written({}, 'Text.'))).toThrow('some is shipped under "", which is not accepted.')
    expect(() => shippedFrom(written({ license: 'ISC' }))).toThrow('some has no text of its licence ISC.')
  })

  it('belong to the innermost package of a module', () => {
    expect(packageFolderOf('/p/node_modules/@a/b/node_modules/c/index.js?x')).toBe(
      '/p/node_modules/@a/b/node_modules/c',
    )
    expect(packageFolderOf('/p/core/lcm.ts')).toBeNull()
  })
})
