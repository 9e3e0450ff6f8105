import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

/** Runs the check of the build on a folder with these files. */
function checked(files: Readonly<Record<string, string>>): { readonly code: number | null; readonly said: string } {
  const folder = temporaryFolder()
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const args = [...options, join(root, 'scripts/check-chunks.mjs'), folder]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { code: status, said: stderr.replaceAll(folder, 'FOLDER') }
}

describe('the check of the scripts that the build has written', () => {
  it('accepts modules that import each other, Node, a package and Electron, and CommonJS', () => {
    const files = {
      'index.js': `import { app, BrowserWindow as W } from 'electron'\nimport { one } from './chunks/one.js'\nconsole.log(app, W, one)`,
      'chunks/one.js': `import Database from 'better-sqlite3'\nimport { join } from 'node:path'\nexport const one = join(String(Database))`,
      'index.cjs': `const { join } = require('node:path')\nreturn join(__dirname)`,
    }
    expect(checked(files)).toEqual({ code: 0, said: '' })
  })

  it.each([
    [
      'declares a name twice',
      { 'a.js': `import { createRequire } from 'node:module'\nconst require = 1\nvar require = createRequire` },
      "a.js: SyntaxError: Identifier 'require' has already been declared",
    ],
    [
      'declares a name twice in CommonJS',
      { 'a.cjs': 'let __name = 1\nconst __name = 2' },
      "a.cjs: SyntaxError: Identifier '__name' has already been declared",
    ],
    [
      'imports a name that is not there',
      { 'a.js': `import { two } from './b.js'\ntwo()`, 'b.js': 'export const one = 1' },
      "a.js: SyntaxError: The requested module './b.js' does not provide an export named 'two'",
    ],
    [
      'imports a file that is not there',
      { 'a.js': `import './gone.js'` },
      'a.js: Error: ./gone.js is imported and cannot be loaded',
    ],
    [
      'imports a package that is not there',
      { 'a.js': `import 'no-such-package-here'` },
      "Cannot find package 'no-such-package-here'",
    ],
  ])('fails when a script %s', (_, files, reason) => {
    const { code, said } = checked(files)
    expect(code).toBe(1)
    expect(said).toContain(reason)
    expect(said).toContain(`1 of ${Object.keys(files).length} scripts in FOLDER cannot be loaded.`)
  })

  it('fails when there is no script at all', () => {
    expect(checked({ 'index.html': '' }).code).toBe(1)
  })
})

/** Imports the files of its arguments in their order. */
const LOADING = `for (const path of process.argv.slice(1)) {
  try {
    await import(path)
  } catch (error) {
    console.log(path + ': ' + error)
  }
}`

describe('the chunks of the built program', () => {
  const folder = join(root, 'out/main/chunks')
  const chunks = readdirSync(folder).map((name) => join(folder, name))

  // What a chunk needs is loaded before it. In both orders nearly every chunk comes once before those that need it.
  it.each([
    ['in the order of their names', chunks],
    ['in the opposite order', chunks.toReversed()],
  ])('load without the program, %s', (_, paths) => {
    expect(paths.length).toBeGreaterThan(100)
    const args = ['--input-type=module', '--eval', LOADING, ...paths]
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('')
  })
})
