import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { Folder, FoundMemory, Probe, RecentMemory } from '#core/contract/machine.ts'
import { userFolders } from '#core/folders.ts'
import { Machine } from '#core/machine/machine.ts'
import { RecentFiles } from '#core/machine/recent-files.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'

let home = ''
let env: Record<string, string> = {}
const machine = (more: { cwd?: string; resourcesDir?: string } = {}): Machine =>
  new Machine({ env, home, cwd: home, resourcesDir: join(home, 'resources'), ...more })

beforeEach(() => {
  home = temporaryFolder()
  env = { LCM_DATA_DIR: join(home, 'data'), LCM_CACHE_DIR: join(home, 'cache') }
})

function put(fixture: string, path: string): string {
  const target = join(home, path)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(FIXTURES, fixture), target)
  chmodSync(target, 0o644)
  return target
}

function makeNative(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  openMemory(path, { create: true }).close()
  return path
}

describe('the user’s folders', () => {
  it('are those of the platform unless the environment names others', () => {
    expect(userFolders({}).data).toMatch(/lcm-inspector/)
    expect(userFolders(env)).toMatchObject({ data: join(home, 'data'), cache: join(home, 'cache') })
  })
})

describe('the discovery of memories', () => {
  it('lists a memory once, without its backups', async () => {
    const path = makeNative(join(home, 'data/memories/billing.db'))
    copyFileSync(path, `${path}.backup-20260302T090000000Z.db`)
    expect((await machine().discover()).map((memory) => memory.path)).toEqual([path])
  })

  it('finds each system in its place, under the name of its project, and changes nothing', async () => {
    put('lossless-claw/small.db', '.openclaw/lcm.db')
    put('pi-lcm/small.db', '.pi/agent/lcm/0123456789abcdef.db')
    put('lossless-claude/small.sqlite', '.lossless-claude/projects/f00/db.sqlite')
    writeFileSync(join(home, '.lossless-claude/projects/f00/meta.json'), '{"cwd":"/home/me/shop"}')
    put('hermes-lcm/small.db', '.hermes/lcm.db')
    put('argentos/small.db', '.argentos/lcm.db')
    put('decapod/small/lcm.db', 'code/engine/.decapod/data/lcm.db')
    makeNative(join(home, 'data/memories/billing.db'))
    const before = folderState(home)
    const found = await machine({ cwd: join(home, 'code/engine/src') }).discover()
    expect(folderState(home)).toEqual(before)
    expect(found.map((memory) => FoundMemory.parse(memory))).toEqual(found)
    expect(Object.fromEntries(found.map(({ system, label }) => [system, label]))).toEqual({
      'lossless-claw': 'OpenClaw',
      'pi-lcm': '/home/someone/project',
      'lossless-claude': '/home/me/shop',
      'hermes-lcm': 'Hermes',
      argentos: 'ArgentOS',
      decapod: 'engine',
      native: 'billing',
    })
    expect(found.map((memory) => memory.modifiedAtMs)).toEqual(
      found.map((memory) => memory.modifiedAtMs).toSorted((a, b) => b - a),
    )
  })

  it("follows the variables that move an agent's folder", async () => {
    const moved = put('lossless-claw/small.db', 'elsewhere/lcm.db')
    const configured = makeNative(join(home, 'mine/notes.db'))
    put('hermes-lcm/small.db', 'h/lcm.db')
    const pi = [put('pi-lcm/small.db', 'pi-agent/lcm/a.db'), put('pi-lcm/small.db', 'pi-memories/b.db')]
    env = {
      ...env,
      OPENCLAW_STATE_DIR: dirname(moved),
      LCM_DATABASE_PATH: configured,
      HERMES_HOME: join(home, 'h'),
      PI_CODING_AGENT_DIR: join(home, 'pi-agent'),
      LCM_DB_DIR: join(home, 'pi-memories'),
    }
    const found = await machine().discover()
    expect(found.map((memory) => memory.path).sort()).toEqual([moved, join(home, 'h/lcm.db'), configured, ...pi].sort())
  })

  it('lists a damaged memory without a system, and skips what is no memory', async () => {
    const cut = put('lossless-claw/small.db', '.openclaw/lcm.db')
    writeFileSync(cut, readFileSync(cut).subarray(0, 9000))
    mkdirSync(join(home, '.hermes'))
    writeFileSync(join(home, '.hermes/lcm.db'), 'no database')
    mkdirSync(join(home, '.argentos/lcm.db'), { recursive: true })
    expect(await machine().discover()).toMatchObject([{ path: cut, system: null, label: 'OpenClaw' }])
  })

  it('yields between two files', async () => {
    for (const name of ['a', 'b', 'c']) makeNative(join(home, `data/memories/${name}.db`))
    let isFound = false
    const finding = machine()
      .discover()
      .finally(() => {
        isFound = true
      })
    await setImmediate()
    expect(isFound).toBe(false)
    expect(await finding).toHaveLength(3)
  })

  it('finds nothing on an empty machine', async () => {
    expect(await machine().discover()).toEqual([])
  })
})

describe('the probe of a path', () => {
  it('names a memory and its system', async () => {
    const path = makeNative(join(home, 'a.db'))
    expect(await machine().probe(path)).toEqual({ path, kind: 'memory', system: 'native', error: null })
    const hermes = await machine().probe(put('hermes-lcm/small.db', 'h.db'))
    expect(hermes).toMatchObject({ kind: 'memory', system: 'hermes-lcm', error: null })
    expect(Probe.parse(hermes)).toEqual(hermes)
  })

  it('recognises a transcript, alone or in a folder, also with a very long first line', async () => {
    const lines = join(home, 'session.jsonl')
    writeFileSync(lines, '\n{"type":"user","message":{"role":"user","content":"hi"}}\n{"broken')
    expect(await machine().probe(lines)).toEqual({ path: lines, kind: 'transcript', system: null, error: null })
    expect((await machine().probe(home)).kind).toBe('transcript')
    const long = join(home, 'long.jsonl')
    writeFileSync(long, `{"type":"user","message":"${'x'.repeat(200_000)}"}\n`)
    expect((await machine().probe(long)).kind).toBe('transcript')
  })

  it('recognises a folder by the transcripts in its subfolders, except those of packages and our own log', async () => {
    const project = join(home, 'project')
    mkdirSync(join(project, 'node_modules/pkg'), { recursive: true })
    writeFileSync(join(project, 'node_modules/pkg/log.jsonl'), '{"role":"user","content":"hi"}\n')
    mkdirSync(join(project, 'state'))
    writeFileSync(join(project, 'state/lcm-2026-03-02-000.jsonl'), '{"level":"info","event":"call.slow"}\n')
    expect(await machine().probe(project)).toMatchObject({ kind: 'unusable', error: { code: 'file_is_folder' } })
    mkdirSync(join(project, 'agents/claude'), { recursive: true })
    writeFileSync(join(project, 'agents/claude/session.jsonl'), '{"role":"user","content":"hi"}\n')
    expect(await machine().probe(project)).toMatchObject({ kind: 'transcript', error: null })
  })

  it('says of any other path why it cannot be opened', async () => {
    const settings = join(home, 'package.json')
    writeFileSync(settings, '{\n  "type": "module"\n}\n')
    expect(await machine().probe(settings)).toMatchObject({ kind: 'unusable', error: { code: 'not_a_database' } })
    expect(await machine().probe(join(home, 'gone.db'))).toMatchObject({
      kind: 'unusable',
      error: { code: 'file_missing' },
    })
    expect(await machine().probe('\0')).toMatchObject({ kind: 'unusable', error: { code: 'invalid_argument' } })
  })
})

describe('the list of a folder', () => {
  it('puts folders first and separates memories and transcripts from other files', () => {
    mkdirSync(join(home, 'zeta'))
    mkdirSync(join(home, '.openclaw'))
    makeNative(join(home, 'a.db'))
    writeFileSync(join(home, 'fake.db'), 'no database')
    writeFileSync(join(home, 's.jsonl'), '{}')
    writeFileSync(join(home, 'notes.txt'), '')
    symlinkSync(join(home, 'gone'), join(home, 'broken-link'))
    const folder = machine().listFolder()
    expect(folder.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'folder .openclaw',
      'folder zeta',
      'memory a.db',
      'file broken-link',
      'file fake.db',
      'file notes.txt',
      'transcript s.jsonl',
    ])
    expect(folder).toMatchObject({ path: home, parent: dirname(home) })
    expect(Folder.parse(folder)).toEqual(folder)
    expect(machine().listFolder('/').parent).toBeNull()
  })

  it('fails with the reason when the folder cannot be listed', () => {
    writeFileSync(join(home, 'file'), '')
    const codes = ['missing', 'file'].map((name) => {
      try {
        return machine().listFolder(join(home, name)).path
      } catch (error) {
        return (error as { code?: string }).code
      }
    })
    expect(codes).toEqual(['file_missing', 'invalid_argument'])
  })
})

describe('the recent files', () => {
  it('are listed newest first, each once, at most 20, and say whether they still exist', async () => {
    let now = 0
    const recent = new RecentFiles(join(home, 'data'), () => ++now)
    const { info } = openAndClose(makeNative(join(home, 'real.db')))
    for (let n = 0; n < 25; n += 1) await recent.remember({ ...info, path: join(home, `gone-${n}.db`) })
    await recent.remember(info)
    await recent.remember({ ...info, path: join(home, 'gone-24.db') })
    const listed = recent.list()
    expect(listed).toHaveLength(20)
    expect(listed.slice(0, 2)).toMatchObject([
      { path: join(home, 'gone-24.db'), exists: false, label: 'gone-24' },
      { path: info.path, exists: true, label: 'real', system: 'native' },
    ])
    expect(listed.map((memory) => RecentMemory.parse(memory))).toEqual(listed)
    await recent.forget(info.path)
    expect(recent.list().some((memory) => memory.path === info.path)).toBe(false)
  })
})

describe('the sample memory', () => {
  it('is copied once into the user’s folder, and again when the app brings another edition', () => {
    const resourcesDir = join(home, 'resources')
    makeNative(join(resourcesDir, 'sample.db'))
    const first = machine({ resourcesDir }).samplePath()
    expect(existsSync(first)).toBe(true)
    expect(openAndClose(first).info).toMatchObject({ readOnly: false, fileName: 'sample.db' })
    writeFileSync(`${first}.mine`, 'kept')
    expect(machine({ resourcesDir }).samplePath()).toBe(first)
    const sample = openMemory(join(resourcesDir, 'sample.db'))
    sample.write?.run(`INSERT INTO lcm_meta VALUES ('edition', '2')`)
    sample.close()
    const second = machine({ resourcesDir }).samplePath()
    expect(second).not.toBe(first)
    expect(existsSync(`${first}.mine`)).toBe(true)
  })

  it('is an error when it is missing from the installation', () => {
    expect(() => machine().samplePath()).toThrow(expect.objectContaining({ code: 'file_missing' }))
  })
})

describe('the path for a new memory', () => {
  it('is unused and named after the imported files', () => {
    const path = machine().newMemoryPath(['/home/me/.claude/projects/-home-me-shop/1b2c.jsonl'])
    expect(path).toBe(join(home, 'data/memories/1b2c.db'))
    makeNative(path)
    expect(machine().newMemoryPath(['/x/1b2c.jsonl'])).toBe(join(home, 'data/memories/1b2c-2.db'))
    expect(machine().newMemoryPath(['/p/-home-me-shop/a.jsonl', '/p/-home-me-shop/b.jsonl'])).toBe(
      join(home, 'data/memories/home-me-shop.db'),
    )
    expect(machine().newMemoryPath(['/x/..'])).toBe(join(home, 'data/memories/memory.db'))
  })
})

function openAndClose(path: string): ReturnType<typeof openMemory> {
  const memory = openMemory(path)
  memory.close()
  return memory
}
