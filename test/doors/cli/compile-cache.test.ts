import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { compileCacheFolder } from '#core/doors/compile-cache.ts'
import { packageFolder } from '#test/builders/built-program.ts'
import { isRoot, ordinaryUser } from '#test/builders/ordinary-user.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { ended, environment, lcm } from './lcm.ts'

const hasOwners = process.getuid !== undefined
const NOBODY = 65534

/** A cache folder of this user's own, with the folder of compiled code as an earlier command left it. */
function used(): { cache: string; folder: string; env: { LCM_CACHE_DIR: string } } {
  const cache = join(temporaryFolder(), 'cache')
  const folder = join(cache, 'compile-cache')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return { cache, folder, env: { LCM_CACHE_DIR: cache } }
}

describe('the folder of compiled code', () => {
  beforeEach(({ skip }) => {
    skip(!hasOwners, 'files have no owners on Windows')
  })

  it('is created in the cache folder of this user, with access for nobody else', () => {
    const cache = join(temporaryFolder(), 'not/there')
    expect(compileCacheFolder({ LCM_CACHE_DIR: cache })).toBe(join(cache, 'compile-cache'))
    for (const made of [cache, join(cache, 'compile-cache')]) expect(statSync(made).mode & 0o777).toBe(0o700)
  })

  it('is not used when others can write to it or replace it', () => {
    for (const mode of [0o770, 0o707, 0o1777]) {
      const { folder, env } = used()
      expect(compileCacheFolder(env)).toBe(folder)
      chmodSync(folder, mode)
      expect(compileCacheFolder(env), mode.toString(8)).toBeNull()
    }
    const { cache, env } = used()
    chmodSync(cache, 0o777)
    expect(compileCacheFolder(env)).toBeNull()
  })

  it('is not created where others could replace it', () => {
    const shared = temporaryFolder()
    chmodSync(shared, 0o777)
    expect(compileCacheFolder({ LCM_CACHE_DIR: join(shared, 'cache') })).toBeNull()
    expect(readdirSync(shared)).toEqual([])
  })

  it('may lie in a shared folder whose entries only their owner may replace', () => {
    const shared = temporaryFolder()
    chmodSync(shared, 0o1777)
    const cache = join(shared, 'cache')
    expect(compileCacheFolder({ LCM_CACHE_DIR: cache })).toBe(join(cache, 'compile-cache'))
  })

  it('is not used when it, or a folder above it, belongs to another user', ({ skip }) => {
    skip(!isRoot, 'only root can give a folder to another user')
    for (const owned of ['folder', 'cache'] as const) {
      const made = used()
      chownSync(made[owned], NOBODY, NOBODY)
      expect(compileCacheFolder(made.env), owned).toBeNull()
    }
  })

  it('is judged by the target of a symbolic link', () => {
    const elsewhere = temporaryFolder()
    chmodSync(elsewhere, 0o777)
    const { folder, env } = used()
    const cache = join(temporaryFolder(), 'link')
    symlinkSync(join(folder, '..'), cache)
    expect(compileCacheFolder({ LCM_CACHE_DIR: cache })).toBe(compileCacheFolder(env))
    const open = join(temporaryFolder(), 'link')
    symlinkSync(elsewhere, open)
    expect(compileCacheFolder({ LCM_CACHE_DIR: open })).toBeNull()
  })

  it('is not used when the user named another one, or none', () => {
    for (const name of ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE']) {
      const cache = join(temporaryFolder(), 'cache')
      expect(compileCacheFolder({ LCM_CACHE_DIR: cache, [name]: '1' })).toBeNull()
      expect(existsSync(cache)).toBe(false)
    }
  })
})

const env = (cache: string) => ({ LCM_CACHE_DIR: cache })
const kept = (cache: string): string[] =>
  readdirSync(join(cache, 'compile-cache'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

function withoutCacheOfTests({ skip }: { readonly skip: (condition: boolean, note: string) => void }): void {
  skip(!hasOwners, 'files have no owners on Windows')
  // The tests have a folder of their own, which programs would take over from them.
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
}

describe('the command lcm', () => {
  beforeEach(withoutCacheOfTests)

  it('keeps what its thread compiled, and the next one compiles nothing again', async () => {
    const cache = join(temporaryFolder(), 'cache')
    expect(await lcm(['--help'], { env: env(cache) })).toMatchObject({ code: 0, stderr: '' })
    expect(kept(cache).length).toBeGreaterThan(2)
    const again = await lcm(['--help'], { env: { ...env(cache), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } })
    expect(again.stderr).toContain('cli-thread.js was accepted')
  })

  it('runs also when nothing can be kept', async ({ skip }) => {
    skip(ordinaryUser() === null, 'nobody but root can run this checkout')
    const { folder, env: closed } = used()
    chmodSync(folder, 0o500)
    expect(await lcm(['--help'], { env: closed, ordinary: true })).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder)).toEqual([])
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await lcm(['--help'], { env: env(file) })).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a program with the library', () => {
  beforeEach(withoutCacheOfTests)
  const library = pathToFileURL(join(packageFolder, 'out/main/library.js')).href
  const opening = `
    const { openLcm } = await import(${JSON.stringify(library)})
    const lcm = await openLcm(process.env.MEMORY, { create: true })
    await lcm.close()`
  const opened = (extra: Readonly<Record<string, string>>) =>
    ended(
      spawn(process.execPath, ['--input-type=module', '--eval', opening], {
        env: environment({ MEMORY: join(temporaryFolder(), 'agent.db'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...extra }),
      }),
    )

  it('keeps what was compiled for the first memory, and compiles nothing again', async () => {
    const cache = join(temporaryFolder(), 'cache')
    expect(await opened(env(cache))).toMatchObject({ code: 0 })
    expect(kept(cache).length).toBeGreaterThan(2)
    expect((await opened(env(cache))).stderr).toMatch(/open-library-\w+\.js was accepted/)
  })

  it('keeps nothing when the user switched that off', async () => {
    const cache = join(temporaryFolder(), 'cache')
    const ran = await opened({ ...env(cache), NODE_DISABLE_COMPILE_CACHE: '1' })
    expect(ran).toMatchObject({ code: 0 })
    expect(existsSync(join(cache, 'compile-cache'))).toBe(false)
  })
})
