import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { LcmError } from '#core/errors.ts'
import { RecentFiles } from '#core/machine/recent-files.ts'
import { SavedQueries } from '#core/query/saved-queries.ts'
import { Servers } from '#core/remote/servers.ts'
import { GrantedReach } from '#core/settings/confirmation.ts'
import { FileKeyStore } from '#core/settings/key-store.ts'
import { changeAlone, UserFile } from '#core/settings/user-file.ts'
import { holdLock } from '#core/sqlite/cache-db.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const cipher = { encrypt: async (text: string) => Buffer.from(text), decrypt: async () => '' }
const provider = { name: 'claude', baseUrl: 'https://api.anthropic.com/v1' }
const reach = { kind: 'database', address: 'postgres://ada@db/lcm' } as const
const recent = { path: '/m.db', system: 'native', bytes: 1, modifiedAtMs: 1, pulledFrom: null } as unknown as MemoryInfo

type Kept = { readonly read: () => unknown; readonly change: () => unknown }

/** Everything that is kept in a small file, by the name of the file. */
const KEPT: Readonly<Record<string, (folder: string) => Kept>> = {
  'queries.json': (folder) => {
    const queries = new SavedQueries(folder)
    return { read: () => queries.list(), change: () => queries.save({ name: 'a', sql: 'SELECT 1' }) }
  },
  'servers.json': (folder) => {
    const servers = new Servers({ folders: { data: folder, cache: folder }, env: {}, keys: null })
    return { read: () => servers.list(), change: () => servers.remember(reach.address) }
  },
  'recent.json': (folder) => {
    const files = new RecentFiles(folder)
    return { read: () => files.list(), change: () => files.forget('/m.db') }
  },
  'granted.json': (folder) => {
    const granted = new GrantedReach(join(folder, 'granted.json'))
    return { read: () => granted.missing([reach]), change: () => granted.add([reach]) }
  },
  'keys.json': (folder) => {
    const keys = new FileKeyStore(join(folder, 'keys.json'), cipher)
    return { read: () => keys.has(provider), change: () => keys.set(provider, 'secret') }
  },
}

const DAMAGED = ['', '[{"address":', '"text"', '[{"address": "no address", "openedAtMs": 1}]', '{"claude": 5}']

describe.each(Object.entries(KEPT))('%s', (name, open) => {
  it.each(DAMAGED)('is reported and left as it is when it holds %j', async (text) => {
    const folder = temporaryFolder()
    const path = join(folder, name)
    writeFileSync(path, text)
    for (const access of Object.values(open(folder))) {
      const error = await Promise.try(access).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(LcmError)
      expect(error).toMatchObject({
        code: 'invalid_argument',
        details: { path },
        message: expect.stringContaining(path),
      })
    }
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('is begun by the first change', async () => {
    const folder = temporaryFolder()
    const { read, change } = open(folder)
    const before = await read()
    expect(readdirSync(folder)).toEqual([])
    await change()
    if (name === 'recent.json') await new RecentFiles(folder).remember(recent)
    expect(await read()).not.toEqual(before)
    expect(readdirSync(folder).toSorted()).toEqual(['files.lock', name].toSorted())
  })
})

it('opening a memory does not fail when the list of recent files is damaged, and the list stays as it is', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'recent.json')
  writeFileSync(path, '[{"path":')
  await new RecentFiles(folder).remember(recent)
  expect(readFileSync(path, 'utf8')).toBe('[{"path":')
})

it('keeps what several processes write at once', async () => {
  const path = join(temporaryFolder(), 'names.json')
  const core = join(import.meta.dirname, '../../core')
  const code = (who: number): string => `
    import { z } from 'zod'
    import { changeAlone, UserFile } from '${core}/settings/user-file.ts'
    const file = new UserFile({ path: ${JSON.stringify(path)}, schema: z.array(z.string()), content: 'names', empty: [] })
    for (let n = 0; n < 25; n += 1) await file.change((names) => [...names, '${who}.' + n])`
  const ended = [1, 2, 3].map(
    (who) =>
      new Promise((resolve) => {
        const options = { stdio: 'inherit', cwd: core } as const
        spawn(process.execPath, ['--input-type=module', '--eval', code(who)], options).on('exit', resolve)
      }),
  )
  expect(await Promise.all(ended)).toEqual([0, 0, 0])
  const file = new UserFile({ path, schema: z.array(z.string()), content: 'names', empty: [] })
  expect(new Set(file.read()).size).toBe(75)
})

it('a change is refused while another process does not end its own', async () => {
  const folder = temporaryFolder()
  const release = holdLock(join(folder, 'files.lock'))
  await expect(changeAlone(folder, () => 1, 0)).rejects.toMatchObject({ code: 'locked' })
  release?.()
  expect(await changeAlone(folder, () => 1, 0)).toBe(1)
})
