import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JobSpec } from '#core/contract/job.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { readSettings } from '#core/settings/settings.ts'
import { leaveFilesAlone } from '../builders/files-left-alone.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

leaveFilesAlone()

let memory: TestMemory
beforeEach(() => {
  memory = buildMemory()
  const conversation = memory.conversation()
  memory.messages(conversation, 12)
  memory.leaf(conversation, [1, 2, 3])
  memory.damage("UPDATE summaries SET depth = 5 WHERE kind = 'leaf'")
})
afterEach(() => memory.close())

function executor() {
  const execute = executeHere({ settings: readSettings({}) })
  return async (spec: unknown) => {
    let asked = 0
    const request = { path: memory.path, create: false, spec: JobSpec.parse(spec) }
    const result = await execute(request, new AbortController().signal, ({ note, total }) => {
      if (note === 'reading') asked = total ?? 0
    })
    if (result.kind !== 'repair_plan') return null
    return { steps: result.value.steps.map(({ id }) => id), hasScanned: asked > 0 }
  }
}

describe('a plan after a report', () => {
  it('is made from the report when nothing was written since', async () => {
    const run = executor()
    await run({ kind: 'integrity' })
    expect(await run({ kind: 'repair_plan' })).toEqual({ steps: ['depth_mismatch:1'], hasScanned: false })
  })

  it('is made from a new scan when something was written since', async () => {
    const run = executor()
    await run({ kind: 'integrity' })
    memory.damage('DELETE FROM context_items WHERE message_id = 5')
    const plan = await run({ kind: 'repair_plan' })
    expect(plan?.hasScanned).toBe(true)
    expect(plan?.steps).toContain('coverage_gap:1')
  })

  it('is made from a new scan when the report or the plan is of one conversation', async () => {
    const run = executor()
    await run({ kind: 'integrity', conversationId: 1 })
    expect((await run({ kind: 'repair_plan' }))?.hasScanned).toBe(true)
    await run({ kind: 'integrity' })
    expect((await run({ kind: 'repair_plan', conversationId: 1 }))?.hasScanned).toBe(true)
  })
})
