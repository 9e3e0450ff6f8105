import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inProject } from '#scripts/project.mjs'
import { typeCompiler } from '#scripts/type-compiler.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Takes more than 5 s, because the types of the whole core are checked.

/** What the core can do without: its folder, and the pieces of text that bring it in, such as an import. */
const REMOVABLE = [
  {
    what: 'PostgreSQL',
    folder: 'core/remote',
    file: 'core/databases.ts',
    pieces: ["  async () => (await import('./remote/database-kind.ts')).postgres,\n"],
  },
  {
    what: 'the ledger',
    folder: 'core/ledger',
    file: 'core/ledgers.ts',
    pieces: ["import { appendOnlyLedgers } from './ledger/append-only-ledgers.ts'\n", 'appendOnlyLedgers'],
  },
]

describe('the core without a part that can be removed', () => {
  it.each(REMOVABLE)('has sound types when the folder of $what and what names it are deleted', async (part) => {
    const folder = temporaryFolder()
    for (const name of ['core', 'package.json', 'tsconfig.base.json']) {
      cpSync(inProject(name), join(folder, name), { recursive: true })
    }
    symlinkSync(inProject('node_modules'), join(folder, 'node_modules'), 'junction')
    rmSync(join(folder, part.folder), { recursive: true })
    const path = join(folder, part.file)
    let text = readFileSync(path, 'utf8')
    for (const piece of part.pieces) {
      expect(text.split(piece)).toHaveLength(2)
      text = text.replace(piece, '')
    }
    writeFileSync(path, text)
    const checked = promisify(execFile)(process.execPath, [...typeCompiler, '-p', join(folder, 'core'), '--noEmit'])
    expect(
      await checked.then(
        () => '',
        ({ stdout }) => stdout,
      ),
    ).toBe('')
  })
})
