import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { knownPlaces } from '#core/systems/known-places.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { addSystem } from '#core/systems/systems.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { askEveryService } from './every-service.ts'
import { notebook, writeNotebook } from './notebook/notebook.ts'

// "Adding a system touches its folder and one list."

const cacheDir = join(temporaryFolder(), 'cache')
const folder = temporaryFolder()
const path = join(folder, 'notebook.db')
let before: Record<string, string>
let remove: () => void
let lcm: Lcm

beforeAll(async () => {
  writeNotebook(path)
  before = folderState(folder)
  expect(() => openMemory(path, { cacheDir })).toThrow(expect.objectContaining({ code: 'not_a_memory' }))
  remove = addSystem(notebook)
  lcm = await openLcm(path, { cacheDir })
})
afterAll(() => {
  lcm.close()
  remove()
  expect(folderState(folder)).toEqual(before)
  expect(() => openMemory(path, { cacheDir })).toThrow(expect.objectContaining({ code: 'not_a_memory' }))
})

it('recognises a file of an added system, and opens it for reading only', async () => {
  expect((await identifyMemory(path)).system).toBe('notebook')
  expect(lcm.info).toMatchObject({ system: 'notebook', systemLabel: 'Notebook', systemVersion: '1', readOnly: true })
  expect(lcm.info.lacks).toEqual(notebook.lacks?.({} as never, {} as never))
})

it('lists the conversations of an added system with their sizes', () => {
  const conversations = lcm.stats.conversations()
  expect(conversations.map(({ sessionId, messages, summaries }) => [sessionId, messages, summaries])).toEqual([
    ['garden', 12, 1],
    ['kitchen', 3, 0],
  ])
})

it('shows the window that an added system states as its rule', () => {
  const { items } = lcm.context.assemble({ conversationId: 1 })
  expect(items.map(({ id }) => id)).toEqual(['digest_1', 'msg_9', 'msg_10', 'msg_11', 'msg_12'])
})

it('expands a summary of an added system to its messages, byte for byte', () => {
  const expansion = lcm.retrieval.expand({ summaryId: 'digest_1', depth: 1, includeMessages: true, tokenCap: 10_000 })
  expect(expansion.messages.map(({ content }) => content)).toEqual(
    Array.from({ length: 8 }, (_, at) => `note ${at} about tomatoes and basil`),
  )
})

it('finds a word in the messages of an added system', async () => {
  const found = await lcm.retrieval.grep(GrepInput.parse({ query: 'oven' }))
  expect(found.hits.map(({ id }) => id).sort()).toEqual(['msg_13', 'msg_14', 'msg_15'])
})

it('answers every service about an added system, and finds nothing wrong in a sound file', async () => {
  const report = await askEveryService(lcm)
  expect(report.checks.filter(({ count, severity }) => count > 0 && severity !== 'info')).toEqual([])
})

it('lists the places of an added system', () => {
  const places = knownPlaces({ home: '/home/someone', env: {}, cwd: '/' })
  expect(places).toContainEqual({ path: '/home/someone/notebook.db', label: 'notebook' })
})

it('copies a file of an added system into a native one that says where it comes from', async () => {
  const to = join(temporaryFolder(), 'copy.db')
  const from = openMemory(path, { cacheDir })
  const report = await runToEnd(copyMemory({ from, to }, new AbortController().signal))
  from.close()
  expect(report.verified).toBe(true)
  using copy = openMemory(to)
  expect(copy.info.copiedFrom).toMatchObject({ system: 'notebook', systemLabel: 'Notebook' })
})
