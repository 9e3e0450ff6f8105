import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ContextAt, ContextDifference, Timeline } from '#core/contract/time-travel.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

// "… for foreign files reconstructed from creation times and marked as reconstructed."

const cacheDir = join(temporaryFolder(), 'cache')
const CLAW = join(FIXTURES, 'lossless-claw')
const files = readdirSync(CLAW, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'))
const open = (name: string) => openLcm(join(CLAW, name), { cacheDir, settings: readSettings({}) })

describe('a file of a system without a log', () => {
  it('has its summaries as events, the last of which leads to the stored window', async () => {
    const lcm = await open('small.db')
    const timeline = Timeline.parse(lcm.timeTravel.timeline(1))
    expect(timeline).toMatchObject({ isExact: false, messages: 68 })
    expect(timeline.events).toHaveLength(20)
    expect(timeline.events.map((event) => event.eventId)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    const at = lcm.timeTravel.contextAt({ conversationId: 1, moment: { eventId: 20 } })
    const now = lcm.timeTravel.contextAt({ conversationId: 1, moment: { now: true } })
    expect(at.items.map((item) => item.id)).toEqual(now.items.map((item) => item.id))
    expect([at.reconstructed, now.reconstructed]).toEqual([true, false])
    lcm.close()
  })

  it('has every summary in the place of its sources, one event after the other', async () => {
    const lcm = await open('small.db')
    for (const { eventId, summaryId, removed } of lcm.timeTravel.timeline(1).events) {
      if (eventId === 1) continue
      const { left, entered } = ContextDifference.parse(
        lcm.timeTravel.difference({ conversationId: 1, from: { eventId: eventId - 1 }, to: { eventId } }),
      )
      expect(entered.map((item) => item.id)).toEqual([summaryId])
      expect(left).toHaveLength(removed)
      expect(left.map((item) => item.id)).toEqual(lcm.retrieval.describe(summaryId, 0).sources)
    }
    lcm.close()
  })

  it('has only messages before the first summary', async () => {
    const lcm = await open('small.db')
    const first = lcm.transcript.page({ conversationId: 1, offset: 0, limit: 3, contentChars: 0 }).messages
    const moment = { messageId: first[2]?.id ?? '' }
    const context = lcm.timeTravel.contextAt({ conversationId: 1, moment })
    expect(context.items.map((item) => item.id)).toEqual(first.map((message) => message.id))
    expect(context).toMatchObject({ reconstructed: true, events: 0 })
    lcm.close()
  })

  it.each(files)('can be shown at all of its moments, however damaged: %s', async (name) => {
    const lcm = await open(name)
    for (const { conversationId } of lcm.stats.conversations()) {
      const { events, firstAtMs, lastAtMs } = Timeline.parse(lcm.timeTravel.timeline(conversationId))
      const moments = [
        ...events.map(({ eventId }) => ({ eventId })),
        { now: true } as const,
        { atMs: firstAtMs ?? 0 },
        { atMs: ((firstAtMs ?? 0) + (lastAtMs ?? 0)) / 2 },
      ]
      for (const moment of moments) {
        const context = ContextAt.parse(lcm.timeTravel.contextAt({ conversationId, moment }))
        const ids = context.items.map((item) => item.id)
        if (!('now' in moment)) expect(new Set(ids).size).toBe(ids.length)
      }
    }
    lcm.close()
  })
})
