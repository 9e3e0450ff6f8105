import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openLcm } from '#core/doors/library/library.ts'
import { filesBeside } from '#test/builders/large-files.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { faultsIn, resultOf, scanFile } from './scan-file.ts'

describe('a large file that a link stands for', () => {
  let folder = ''
  let path = ''
  let stored = ''

  beforeEach(async () => {
    folder = temporaryFolder()
    path = join(folder, 'lcm.db')
    const lcm = await openLcm(path, { create: true })
    const text = 'line of a file with many words\n'.repeat(5000)
    const messages = [{ id: '1', role: 'user' as const, content: `<file name="a.txt">\n${text}</file>` }]
    await lcm.ingest({ sessionId: 'files', messages })
    const { rows } = await lcm.call('sql.run', { sql: 'SELECT storage_uri FROM large_files' })
    await lcm.close()
    stored = String(rows[0]?.[0])
  })

  it('counts as outside the store when the link leads out of the folder of files', async () => {
    const elsewhere = join(folder, 'elsewhere.txt')
    writeFileSync(elsewhere, readFileSync(stored))
    rmSync(stored)
    symlinkSync(elsewhere, stored)
    expect(faultsIn(await scanFile(path))).toEqual(['file_outside_store'])
  })

  it('counts as outside the store when the folder of its conversation leads out of it', async () => {
    const elsewhere = join(folder, 'elsewhere')
    renameSync(join(stored, '..'), elsewhere)
    symlinkSync(elsewhere, join(stored, '..'))
    expect(faultsIn(await scanFile(path))).toEqual(['file_outside_store'])
  })

  it('is compared with its hash when the link stays in the folder of files', async () => {
    const inside = join(filesBeside(path), 'kept', 'a.txt')
    mkdirSync(join(inside, '..'))
    renameSync(stored, inside)
    symlinkSync(inside, stored)
    expect(faultsIn(await scanFile(path))).toEqual([])
    writeFileSync(inside, readFileSync(inside, 'utf8').replaceAll('many', 'more'))
    expect(resultOf(await scanFile(path), 'file_hash').count).toBe(1)
  })

  it('is missing when the link leads nowhere', async () => {
    rmSync(stored)
    symlinkSync(join(filesBeside(path), 'gone'), stored)
    expect(faultsIn(await scanFile(path))).toEqual(['file_missing'])
  })
})
