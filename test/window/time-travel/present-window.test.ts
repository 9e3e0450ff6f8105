import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Moment } from '#core/contract/time-travel.ts'
import type { Lcm } from '#core/lcm.ts'
import { WRITERS } from '#test/builders/systems/every-writer.ts'
import { nativeWriter } from '#test/builders/systems/native.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import { type SystemWriter, writeStory } from '#test/builders/systems/system.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { withLcm } from '#test/systems/every-service.ts'

const STORY = tellStory({ seed: 5, turns: 7 })
const cacheDir = join(temporaryFolder(), 'cache')
/** A file of each way to keep a window. */
const SMALL = [
  'argentos/gateway.db',
  'argentos/small.db',
  'decapod/small/lcm.db',
  'hermes-lcm/small.db',
  'hermes-lcm/damaged.db',
  'lcm-x/small.db',
  'lossless-claude/small.sqlite',
  'lossless-claw/rich.db',
  'pi-lcm/small.db',
]

function written(writer: SystemWriter): string {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(STORY))
  return path
}

const idsAt = ({ timeTravel }: Lcm, conversationId: number, moment: Moment): string[] =>
  timeTravel.contextAt({ conversationId, moment }).items.map(({ id }) => id)

/** The last stop of the slider before the present: after the last summary or the last message, whichever came later. */
function lastMoment(lcm: Lcm, conversationId: number): Moment | null {
  const { events, messages } = lcm.timeTravel.timeline(conversationId)
  const last = events.at(-1)
  if (last && last.messages >= messages) return { eventId: last.eventId }
  const newest = lcm.reader.memory(conversationId).messages.ids.at(-1)
  return newest === undefined ? null : { messageId: `msg_${newest}` }
}

function expectPresentAtTheEnd(lcm: Lcm): void {
  for (const { conversationId } of lcm.stats.conversations()) {
    const moment = lastMoment(lcm, conversationId)
    if (moment) expect(idsAt(lcm, conversationId, moment)).toEqual(idsAt(lcm, conversationId, { now: true }))
  }
}

describe('the past of a window', () => {
  it.each(WRITERS.map((writer) => [writer.name, writer] as const))(
    'ends at the present window in a file of %s',
    async (_, writer) => {
      await withLcm(written(writer), cacheDir, expectPresentAtTheEnd)
    },
  )

  it.each(SMALL)('ends at the present window in %s', async (name) => {
    await withLcm(join(FIXTURES, name), cacheDir, expectPresentAtTheEnd)
  })
})

describe('summaries beside a window of all messages', () => {
  const decapod = WRITERS.find(({ name }) => name === 'decapod') ?? nativeWriter
  const inOurs = (): string => {
    const path = join(temporaryFolder(), 'lcm.db')
    writeStory(nativeWriter, path, decapod.tell(STORY))
    return path
  }

  it.each([
    ['decapod', () => written(decapod)],
    ['our own, told the same', inOurs],
  ])('replaced nothing at any moment in a file of %s', async (_, write) => {
    await withLcm(write(), cacheDir, (lcm) => {
      for (const { conversationId, summaries } of lcm.stats.conversations()) {
        expect(summaries).toBeGreaterThan(0)
        expect(lcm.timeTravel.timeline(conversationId)).toMatchObject({ events: [], beside: summaries })
        const ids = Array.from(lcm.reader.memory(conversationId).messages.ids, (id) => `msg_${id}`)
        for (const [position, messageId] of ids.entries()) {
          const context = lcm.timeTravel.contextAt({ conversationId, moment: { messageId } })
          expect(context).toMatchObject({ reconstructed: false, events: 0 })
          expect(context.items.map(({ id }) => id)).toEqual(ids.slice(0, position + 1))
        }
      }
    })
  })

  it('do not exist in a system whose summaries replace messages', async () => {
    const argentos = WRITERS.find(({ name }) => name === 'ArgentOS') ?? nativeWriter
    await withLcm(written(argentos), cacheDir, (lcm) => {
      for (const { conversationId, summaries } of lcm.stats.conversations()) {
        const { events, beside } = lcm.timeTravel.timeline(conversationId)
        expect([events.length, beside]).toEqual([summaries, undefined])
      }
    })
  })
})
