import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { safe } from '@orpc/client'
import { afterEach, describe, expect, it } from 'vitest'
import { PRESETS } from '#core/systems/presets.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { doors, type OpenDoor } from '#test/contract/doors.ts'

const sample = join(import.meta.dirname, '../../../resources/sample.db')

describe.each(doors)('past windows and what-if $name', (door) => {
  let open: OpenDoor | undefined
  afterEach(async () => {
    await open?.close()
    open = undefined
  })
  const client = async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    copyFileSync(sample, path)
    open = await door.open(path)
    return open.client
  }

  it('lead from the first message of the sample to its present window', async () => {
    const { context, conversations } = await client()
    const [{ conversationId = -1 } = {}] = (await conversations.list({})).conversations
    const timeline = await context.timeline({ conversationId })
    expect(timeline.isExact).toBe(true)
    expect(timeline.events.length).toBeGreaterThan(0)
    const last = timeline.events.at(-1)?.eventId ?? 0
    const [then, now] = [
      await context.at({ conversationId, moment: { eventId: last } }),
      await context.at({ conversationId, moment: { now: true } }),
    ]
    expect([then.reconstructed, now.reconstructed]).toEqual([false, false])
    const { left, stayed } = await context.difference({ conversationId, from: { eventId: last }, to: { now: true } })
    expect([left, stayed]).toEqual([[], then.items.length])
    const { error } = await safe(context.at({ conversationId, moment: { eventId: 999_999 } }))
    expect(error).toMatchObject({ data: { code: 'not_found', message: expect.stringContaining('numbered between') } })
    const unknown = await safe(context.at({ conversationId, moment: { runId: 'run_x' } }))
    expect(unknown.error).toMatchObject({ data: { code: 'not_found', message: expect.stringContaining('newest is') } })
  })

  it('answer for every preset', async () => {
    const { compaction, conversations } = await client()
    const [{ conversationId = -1 } = {}] = (await conversations.list({})).conversations
    const presets = await compaction.presets()
    expect(presets).toEqual(PRESETS)
    for (const { name, settings } of presets) {
      const byName = await compaction.whatIf({ conversationId, preset: name })
      const byValues = await compaction.whatIf({ conversationId, settings })
      expect({ ...byName, durationMs: 0 }).toEqual({ ...byValues, durationMs: 0 })
    }
  })
})
