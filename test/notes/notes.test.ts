import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { LcmEvent } from '#core/contract/event.ts'
import { isKept, keptTexts } from '#core/contract/kept.ts'
import { MOST_NOTE_CHARS } from '#core/contract/lists.ts'
import { NoteInput } from '#core/contract/notes.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import type { LcmError } from '#core/errors.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { Machine } from '#core/machine/machine.ts'
import { buildMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function memoryWithSummary() {
  const memory = buildMemory({
    conversations: [{ messages: ['The deploy key lives in the vault.', 'Understood.', 'And the port is 8443.'] }],
  })
  opened.push(memory)
  const summary = memory.leaf(1, [1, 2], { content: 'Where the deploy key lives, and nothing else.' })
  memory.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return { memory, summary, path: memory.path }
}

let now = 1_000
async function open(path: string, dataDir: string): Promise<Lcm> {
  const lcm = await openLcm(path, { readOnly: true, dataDir, clock: () => now++ })
  opened.push(lcm)
  return lcm
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as LcmError).code
  }
  return 'none'
}

it('a pin and a note are kept in the data folder, and nothing is written beside the memory', async () => {
  const { path, summary } = memoryWithSummary()
  const dataDir = temporaryFolder()
  const lcm = await open(path, dataDir)
  const before = folderState(dirname(path))
  expect(lcm.notes.list()).toEqual([])
  expect(existsSync(join(dataDir, 'notes.db'))).toBe(false)

  lcm.notes.set({ id: 'msg_1', isPinned: true })
  lcm.notes.set({ id: summary, text: '  Is this all?\r\nAsk again.  ' })
  expect(lcm.notes.list()).toMatchObject([
    {
      ...{ id: summary, kind: 'leaf', depth: 0, conversationId: 1, isPinned: false, state: 'there' },
      ...{ name: 'Where the deploy key lives, and nothing else', text: 'Is this all?\nAsk again.' },
    },
    { id: 'msg_1', kind: 'message', role: 'user', isPinned: true, text: '', name: 'The deploy key lives in the vault' },
  ])
  expect(folderState(dirname(path))).toEqual(before)
})

it('a pinned message without text is named by its first call', async () => {
  const memory = buildMemory({ conversations: [{}] })
  opened.push(memory)
  const call = { part_type: 'tool' as const, tool_name: 'read', tool_input: '{"path":"a.ts"}' }
  const message = memory.message(1, { content: '', parts: [call] })
  const { notes } = await open(memory.path, temporaryFolder())
  expect(notes.set({ id: `msg_${message}`, isPinned: true })).toMatchObject({ name: 'read a.ts' })
})

it('a change leaves what it does not name, and a node without a pin and a note is no longer listed', async () => {
  const { path } = memoryWithSummary()
  const { notes } = await open(path, temporaryFolder())
  notes.set({ id: 'msg_1', isPinned: true })
  expect(notes.set({ id: 'msg_1', text: 'first' })).toMatchObject({ isPinned: true, text: 'first' })
  expect(notes.set({ id: 'msg_1', isPinned: false })).toMatchObject({ isPinned: false, text: 'first' })
  expect(notes.set({ id: 'msg_1', text: ' ' })).toBeNull()
  expect(notes.list()).toEqual([])
})

it('a sentence that is kept pins its message and is a line of the note, until it is let go', async () => {
  const { path } = memoryWithSummary()
  const { notes } = await open(path, temporaryFolder())
  const [first, second] = ['The port  is\n8443.', 'The key lives in the vault.']
  expect(notes.set({ id: 'msg_1', keep: first })).toMatchObject({ isPinned: true, text: 'The port is 8443.' })
  notes.set({ id: 'msg_1', keep: first })
  const both = notes.set({ id: 'msg_1', keep: second })
  expect(both).toMatchObject({ isPinned: true, text: `The port is 8443.\n${second}` })
  expect([first, second, 'Another.'].map((one) => isKept(both ?? undefined, one))).toEqual([true, true, false])
  expect(notes.set({ id: 'msg_1', letGo: first })).toMatchObject({ isPinned: true, text: second })
  expect(notes.set({ id: 'msg_1', letGo: second })).toBeNull()
  notes.set({ id: 'msg_1', text: 'a remark of my own' })
  notes.set({ id: 'msg_1', keep: first })
  expect(notes.set({ id: 'msg_1', letGo: first })).toMatchObject({ isPinned: true, text: 'a remark of my own' })
  notes.set({ id: 'msg_2', isPinned: true })
  expect(notes.set({ id: 'msg_2', letGo: 'A sentence that is no line.' })).toMatchObject({ isPinned: true, text: '' })
  const full = { id: 'msg_3', text: 'x'.repeat(MOST_NOTE_CHARS) }
  notes.set(full)
  expect(await codeOf(() => notes.set({ id: 'msg_3', keep: first }))).toBe('unsupported')
  expect(notes.list().find(({ id }) => id === 'msg_3')).toMatchObject({ isPinned: false, text: full.text })
})

it('an agent is told each line of the note of a pin after how its message begins, and without a note the beginning alone', () => {
  expect(keptTexts({ name: 'The harbour', text: '' })).toEqual(['The harbour'])
  expect(keptTexts({ name: 'The harbour', text: 'The harbour is closed.\n\nAsk again.' })).toEqual([
    'The harbour is closed.',
    'The harbour – Ask again.',
  ])
  expect(keptTexts({ name: 'Hello. The harbour is closed', text: 'The harbour is closed.' })).toEqual([
    'The harbour is closed.',
  ])
  expect(keptTexts({ name: '', text: '' })).toEqual([])
})

it('notes belong to the memory: they follow a file that was moved or copied, and no other memory has them', async () => {
  const { path } = memoryWithSummary()
  const dataDir = temporaryFolder()
  const first = await open(path, dataDir)
  first.notes.set({ id: 'msg_1', text: 'mine' })
  const [copied, moved] = ['copied.db', 'moved.db'].map((name) => join(temporaryFolder(), name)) as [string, string]
  copyFileSync(path, copied)
  renameSync(copied, moved)
  expect((await open(moved, dataDir)).notes.list()).toMatchObject([{ id: 'msg_1', text: 'mine' }])

  const other = buildMemory({
    conversations: [{ sessionId: 'another', messages: ['The deploy key lives in the vault.'] }],
  })
  opened.push(other)
  expect((await open(other.path, dataDir)).notes.list()).toEqual([])
})

it('says when a node begins with other words than when it was noted, and keeps the words of one that is gone', async () => {
  const { path, memory, summary } = memoryWithSummary()
  const dataDir = temporaryFolder()
  const lcm = await open(path, dataDir)
  lcm.notes.set({ id: summary, text: 'look again' })
  const later = await open(path, dataDir)
  memory.db.run('UPDATE summaries SET content = :content WHERE summary_id = :summary', {
    content: 'Something else altogether stands here now.',
    summary,
  })
  expect(later.notes.list()).toMatchObject([{ state: 'changed', name: 'Something else altogether stands here now' }])
  memory.db.exec(`DELETE FROM context_items; DELETE FROM summary_messages; DELETE FROM summaries`)
  const name = 'Where the deploy key lives, and nothing else'
  expect(later.notes.list()).toMatchObject([{ id: summary, state: 'missing', name, text: 'look again' }])
  expect(later.notes.set({ id: summary, text: '' })).toBeNull()
})

it('refuses what is no node, what is too long, and a damaged store, each with its own error', async () => {
  const { path } = memoryWithSummary()
  const dataDir = temporaryFolder()
  const { notes } = await open(path, dataDir)
  expect(await codeOf(() => notes.set({ id: 'msg_99', isPinned: true }))).toBe('not_found')
  expect(NoteInput.safeParse({ id: 'msg_1', text: 'x'.repeat(MOST_NOTE_CHARS + 1) }).success).toBe(false)
  writeFileSync(join(dataDir, 'notes.db'), 'no database, but as long as the head of one '.repeat(40))
  expect(await codeOf(() => notes.list())).toBe('file_corrupt')
  expect(await codeOf(() => notes.set({ id: 'msg_1', isPinned: true }))).toBe('file_corrupt')
})

it('two windows on one memory agree: each is told when the other changes a note', async () => {
  const { path } = memoryWithSummary()
  const dataDir = temporaryFolder()
  const coreOf = () => {
    const core = new Core({
      path,
      open: { readOnly: true, dataDir },
      machine: new Machine({ env: { LCM_DATA_DIR: dataDir }, resourcesDir: 'none' }),
      execute: executeHere({}),
    })
    opened.push(core)
    return core
  }
  const [one, other] = [coreOf(), coreOf()]
  const told = new Promise<LcmEvent>((resolve) => {
    other.subscribe((event) => event.kind === 'notes' && resolve(event))
  })
  ;(await one.lcm()).notes.set({ id: 'msg_2', text: '<b>bold</b> & $(rm -rf)' })
  expect((await told).kind).toBe('notes')
  expect((await other.lcm()).notes.list()).toMatchObject([{ id: 'msg_2', text: '<b>bold</b> & $(rm -rf)' }])
})
