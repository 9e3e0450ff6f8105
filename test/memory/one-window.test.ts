import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// "Pressure: assembled tokens ÷ token budget." Every view takes the same assembled window: active, fitting, left out.

const BUDGETS = [40, 300, 2_000, 200_000]

const SYSTEMS = [nativeWriter, ...WRITERS].map((writer) => [writer.name, writer] as const)

describe.each(SYSTEMS)('a file of %s', (_, writer) => {
  const path = join(temporaryFolder(), 'memory.db')
  writeStory(writer, path, writer.tell(tellStory({ seed: 11, sessions: 3, turns: 12 })))

  it.each(BUDGETS)('has the same window in every view at a budget of %d tokens', async (budget) => {
    const settings = readSettings({ LCM_TOKEN_BUDGET: String(budget), LCM_FRESH_TAIL_COUNT: '2' })
    using lcm = await openLcm(path, { readOnly: true, settings, cacheDir: join(temporaryFolder(), 'cache') })
    await lcm.stats.measure()
    const rows = lcm.stats.conversations()
    expect(rows.length).toBeGreaterThan(0)
    expect(lcm.stats.stats().perConversation).toEqual(rows)
    expect(lcm.stats.listed()).toEqual(rows)
    for (const row of rows) {
      const { conversationId } = row
      const context = lcm.context.assemble({ conversationId })
      const included = context.items.filter((item) => item.included)
      const sum = (items: typeof context.items): number => items.reduce((total, { tokens }) => total + tokens, 0)
      expect([context.tokens, context.activeTokens]).toEqual([sum(included), sum(context.items)])
      const window = {
        contextItems: context.items.length,
        activeTokens: context.activeTokens,
        contextTokens: context.tokens,
        leftOutItems: context.items.length - included.length,
        leftOutTokens: context.leftOutTokens,
        pressure: context.tokens / budget,
      }
      expect(row).toMatchObject(window)
      expect(lcm.stats.overview(conversationId).conversation).toEqual(row)

      const asked = { conversationId, mode: 'full', reason: 'threshold', summarizer: 'deterministic' } as const
      const edge = lcm.strata.get({ conversationId, axis: 'messages' }).window
      const leftOutOfEdge = edge.reduce((total, run) => total + (run.isLeftOut ? run.items : 0), 0)
      expect(leftOutOfEdge).toBe(context.items.filter((item) => !item.included && item.kind !== 'missing').length)

      const decision = lcm.planner.evaluate(asked)
      expect(decision).toMatchObject({
        tokens: context.tokens,
        activeTokens: context.activeTokens,
        leftOutItems: window.leftOutItems,
        leftOutTokens: context.leftOutTokens,
        pressure: window.pressure,
      })
      expect(decision.should).toBe(context.activeTokens >= settings.compaction.softThreshold * budget)
      expect(lcm.whatIf.ask(asked).decision).toEqual(decision)
      expect(lcm.timeTravel.contextAt({ conversationId, moment: { now: true } })).toMatchObject({
        tokens: context.tokens,
        activeTokens: context.activeTokens,
        pressure: window.pressure,
      })
      for (const { eventId, activeTokens } of lcm.timeTravel.timeline(conversationId).events) {
        expect(activeTokens).toBe(lcm.timeTravel.contextAt({ conversationId, moment: { eventId } }).activeTokens)
      }
    }
  })
})
