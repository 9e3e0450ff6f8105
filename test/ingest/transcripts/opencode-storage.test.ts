import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeJson } from '#test/builders/transcript-rows.ts'

/** Writes a session of the storage folder, and returns the path of its file and the folder. */
function session(): { readonly path: string; readonly storage: string } {
  const storage = join(temporaryFolder(), 'storage')
  const write = (folder: string, name: string, value: object): string => {
    mkdirSync(join(storage, folder), { recursive: true })
    return writeJson(value, name, join(storage, folder))
  }
  for (const n of [1, 2, 3, 4]) {
    const message = { id: `msg_${n}`, sessionID: 'ses_1', role: 'user', time: { created: n * 1e12 } }
    write('message/ses_1', `msg_${n}.json`, message)
    write(`part/msg_${n}`, `prt_${n}.json`, { id: `prt_${n}`, messageID: `msg_${n}`, type: 'text', text: `words ${n}` })
  }
  const info = { id: 'ses_1', directory: '/shop', title: 'Shop', time: { created: 1e12, updated: 5e12 } }
  return { path: write('session/global', 'ses_1.json', info), storage }
}

/** What the memory notes of messages and parts that left the window. */
const leftOut = (memory: TestMemory): unknown[] => memory.db.all('SELECT configuration FROM compaction_runs')

it('takes a message out of the window that opencode removed from its storage folder', async () => {
  using memory = buildMemory()
  const { path, storage } = session()
  await importOne(memory.db, path)
  rmSync(join(storage, 'message/ses_1/msg_2.json'))
  await importOne(memory.db, path)
  expect(told(memory)).toEqual(['user: words 1', 'user: words 2', 'user: words 3', 'user: words 4'])
  expect(leftOut(memory)).toHaveLength(1)
})

it('keeps the messages of a session in the window while their folder cannot be listed', async () => {
  using memory = buildMemory()
  const { path, storage } = session()
  await importOne(memory.db, path)
  const before = leftOut(memory)
  const folder = join(storage, 'message/ses_1')
  renameSync(folder, `${folder}.away`)
  symlinkSync(folder, folder)
  await expect(importOne(memory.db, path)).rejects.toThrow(`because ${folder} cannot (ELOOP)`)
  expect(leftOut(memory)).toEqual(before)
})

it('keeps what a file of the storage folder says in the window while that file cannot be read', async () => {
  using memory = buildMemory()
  const { path, storage } = session()
  await importOne(memory.db, path)
  rmSync(join(storage, 'message/ses_1/msg_3.json'))
  await importOne(memory.db, path)
  const before = leftOut(memory)
  writeJson('{"id": "msg_1"', 'msg_1.json', join(storage, 'message/ses_1'))
  rmSync(join(storage, 'part/msg_2/prt_2.json'))
  mkdirSync(join(storage, 'part/msg_2/prt_2.json'))
  const again = await importOne(memory.db, path)
  expect(again).toMatchObject({ error: null, skippedCount: 2 })
  expect(leftOut(memory)).toEqual(before)
})
