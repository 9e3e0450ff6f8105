import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { userFolders } from '#core/folders.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { Stats } from './documents.ts'
import { document, lcm, lcmHere } from './lcm.ts'

const transcript = (folder: string): string => {
  const path = join(folder, 'x.jsonl')
  writeFileSync(path, '{"type":"user","uuid":"u","message":{"role":"user","content":"hi"}}\n')
  return path
}

describe('a command without --conversation', () => {
  const spec = (title: string) => ({ title, messages: [title] })

  it.each(['tree', 'context'])('uses the newest conversation in %s, and says so on standard error', async (command) => {
    using memory = buildMemory({ conversations: [spec('first'), spec('second'), spec('third')] })
    memory.db.exec('UPDATE conversations SET updated_at = created_at + 86400000 WHERE conversation_id = 2')
    const { code, stdout, stderr } = await lcmHere([command, '--db', memory.path, '--json'])
    expect([code, stderr]).toEqual([
      0,
      'lcm: this is conversation 2 (second), the newest of 3: choose another with --conversation.\n',
    ])
    const chosen = await lcmHere([command, '--db', memory.path, '--conversation', '2', '--json'])
    expect([chosen.stdout, chosen.stderr]).toEqual([stdout, ''])
  })

  it('writes nothing to standard error when there is only one conversation', async () => {
    using memory = buildMemory({ conversations: [spec('only')] })
    expect(await lcmHere(['context', '--db', memory.path])).toMatchObject({ code: 0, stderr: '' })
  })

  it('is refused when the memory has no conversation, or when the command writes or compares', async () => {
    using empty = buildMemory({})
    expect(await lcmHere(['tree', '--db', empty.path])).toMatchObject({ code: 1, stdout: '' })
    using several = buildMemory({ conversations: [spec('first'), spec('second')] })
    for (const args of [
      ['compact'],
      ['compact', '--plan'],
      ['coverage', '--transcript', transcript(temporaryFolder())],
    ])
      expect((await lcmHere([...args, '--db', several.path])).code, args.join(' ')).toBe(2)
  })
})

describe('a command without --db', () => {
  it('creates the folder of the default memory on the first import, for this user alone', async () => {
    const home = temporaryFolder()
    const env = { HOME: home, XDG_DATA_HOME: '', LCM_DATA_DIR: '', LCM_CACHE_DIR: '' }
    const ran = await lcm(['import', transcript(home), '--json'], { env })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(JSON.parse(ran.stdout)).toMatchObject({ added: 1 })
    const stats = await lcm(['stats', '--json'], { env })
    expect(JSON.parse(stats.stdout)).toMatchObject({ messages: 1, path: expect.stringContaining(home) })
    expect(statSync(join(JSON.parse(stats.stdout).path, '..')).mode & 0o077).toBe(0)
  })

  it('creates the folder that the settings name', async () => {
    const folder = temporaryFolder()
    const env = { LCM_DATABASE_PATH: join(folder, 'agents/mine/lcm.db') }
    expect((await lcmHere(['import', transcript(folder)], { env })).code).toBe(0)
    expect(await document(Stats, ['stats', '--db', env.LCM_DATABASE_PATH])).toMatchObject({ messages: 1 })
  })

  it('creates nothing but its log when it only reads, or when an import stores nothing', async () => {
    const folder = temporaryFolder()
    const env = { LCM_DATA_DIR: join(folder, 'data'), LCM_CACHE_DIR: join(folder, 'cache') }
    writeFileSync(join(folder, 'poem.txt'), 'roses are red\n')
    expect((await lcmHere(['stats'], { env })).code).toBe(5)
    expect((await lcmHere(['import', join(folder, 'poem.txt')], { env })).code).toBe(1)
    expect(readdirSync(userFolders(env).data)).toEqual(['log'])
  })

  it('names the folder that cannot be created', async () => {
    const folder = temporaryFolder()
    const env = { LCM_DATABASE_PATH: join(transcript(folder), 'lcm.db') }
    const ran = await lcmHere(['import', transcript(folder)], { env })
    expect([ran.code, ran.stdout]).toEqual([5, ''])
    expect(ran.stderr).toMatch(/^lcm: file_\w+: .*x\.jsonl/)
  })
})
