import { afterEach, beforeEach, expect, it } from 'vitest'
import { JobSpec } from '#core/contract/job.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { readSettings } from '#core/settings/settings.ts'
import { leaveFilesAlone } from '../builders/files-left-alone.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

leaveFilesAlone()

let memory: TestMemory
beforeEach(() => {
  memory = buildMemory()
  memory.messages(memory.conversation(), 40)
})
afterEach(() => memory.close())

const LISTING = 'compacted; listing the details that left the window'

it('says that a run is done while what it lost is being listed, once and at the end', async () => {
  const execute = executeHere({
    settings: readSettings({ LCM_LEAF_CHUNK_TOKENS: '100', LCM_LEAF_TARGET_TOKENS: '40' }),
  })
  const spec = JobSpec.parse({ kind: 'compact', conversationId: 1, mode: 'full', loss: true })
  const run = async () => {
    const notes: string[] = []
    const request = { path: memory.path, create: false, spec }
    const result = await execute(request, new AbortController().signal, ({ note }) => notes.push(note))
    return { notes, runId: result.kind === 'compact' ? result.value.runId : null }
  }
  const first = await run()
  expect(first.runId).not.toBeNull()
  expect(first.notes.length).toBeGreaterThan(1)
  expect(first.notes.indexOf(LISTING)).toBe(first.notes.length - 1)
  // A run that has nothing to do loses nothing.
  const second = await run()
  expect(second).toEqual({ notes: [], runId: null })
})
