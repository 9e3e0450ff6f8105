import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { WhatIfPlanner } from '#core/compaction/what-if.ts'
import { type CompactionSettings, WhatIf } from '#core/contract/compaction.ts'
import { PresetName } from '#core/contract/settings.ts'
import { WhatIfInput } from '#core/contract/what-if.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { runs } from '#test/builders/property-runs.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { result } from '#test/window/assembling/tool-pair.ts'
import { travelIn } from '#test/window/time-travel/travel.ts'
import { canonicalRows, windowOf } from '../invariants.ts'
import { compact, engineOn } from '../run-compaction.ts'
import { input, remember, sized, small, talk } from '../talk.ts'

// "the same question answered for any budget, threshold, tail and preset without writing"

const { compaction } = readSettings({})
const plannerOn = (db: ReadDb, settings: Partial<CompactionSettings> = {}): WhatIfPlanner =>
  new WhatIfPlanner(new KeptWindow(db, createTokenEstimator()), { ...compaction, ...settings })
type Request = z.input<typeof WhatIfInput>

const ask = (db: ReadDb, request: Partial<Request> = {}, settings: Partial<CompactionSettings> = {}): WhatIf =>
  WhatIf.parse(plannerOn(db, settings).ask(WhatIfInput.parse({ conversationId: 1, ...request })))

const chosen = fc.record<Partial<CompactionSettings>>({
  budgetTokens: fc.constantFrom(50, 700, 3_000, 200_000),
  softThreshold: fc.constantFrom(0.1, 0.75, 1),
  freshTailCount: fc.constantFrom(0, 2, 8, 64),
  leafChunkTokens: fc.constantFrom(100, 400, 4_000),
  condensedMinFanout: fc.constantFrom(2, 4),
  maxDepth: fc.constantFrom(-1, 0, 1),
  minMessagesToCompact: fc.constantFrom(0, 10),
})
const mode = fc.constantFrom('leaf' as const, 'condense' as const, 'full' as const, 'untilUnder' as const)

describe('a what-if', () => {
  it('decides and plans as the engine does with the same settings, and writes nothing', () => {
    using memory = remember(talk(40, 90))
    const before = [canonicalRows(memory.db), windowOf(memory.db, 1)]
    const planner = plannerOn(memory.db)
    fc.assert(
      fc.property(chosen, mode, (settings, how) => {
        const answer = planner.ask(WhatIfInput.parse({ conversationId: 1, mode: how, settings }))
        const engine = engineOn(memory.db, { settings })
        expect(answer.decision).toEqual(engine.evaluate(input({ mode: how })))
        expect(answer.plan).toEqual(engine.plan(input({ mode: how })))
        const activeAfter = answer.plan.expectedTokensAfter / (settings.budgetTokens ?? 1)
        expect(answer.pressureAfter).toBeLessThanOrEqual(activeAfter)
        if (activeAfter <= 1) expect(answer.pressureAfter).toBe(activeAfter)
      }),
      { numRuns: runs(60) },
    )
    expect([canonicalRows(memory.db), windowOf(memory.db, 1)]).toEqual(before)
  })

  it('names what the budget leaves out, as the assembled window does', () => {
    using memory = remember(talk(40, 90))
    const assembler = new ContextAssembler(memory.db, createTokenEstimator(), compaction)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(50), (budgetTokens, freshTailCount) => {
        const { fallsOut, fallsOutTokens } = ask(memory.db, { settings: { budgetTokens, freshTailCount } })
        const out = assembler
          .assemble({ conversationId: 1, budgetTokens, freshTailCount })
          .items.filter((item) => !item.included)
        expect(fallsOut).toEqual(out.map((item) => item.id))
        expect(fallsOutTokens).toBe(out.reduce((sum, item) => sum + item.tokens, 0))
      }),
      { numRuns: runs(40) },
    )
  })

  it('names all that the model is not given, and for which reasons', () => {
    const alone = [result('gone', { tokens: 20 }), result('never', { tokens: 20 })]
    using memory = remember([sized(300), ...alone, sized(300), sized(10)])
    const given = { budgetTokens: 320, freshTailCount: 1 }
    const { context } = sentWindow(memory, undefined, given)
    expect(ask(memory.db, { settings: given })).toMatchObject({
      fallsOut: context.items.filter((item) => !item.included).map(({ id }) => id),
      fallsOutTokens: context.leftOutTokens,
      fallsOutBy: [
        { reasonCode: 'out_of_budget', items: 1, tokens: 300 },
        { reasonCode: 'orphan_result', items: 2, tokens: 40 },
      ],
    })
  })

  it('counts the messages that become leaves and the summaries that are condensed', () => {
    using memory = remember(talk(10, 100))
    const settings = { ...small, condensedMinFanout: 2, minMessagesToCompact: 8 }
    expect(ask(memory.db, { settings })).toMatchObject({
      messagesToLeaves: { messages: 8, leaves: 2 },
      summariesToCondensed: { summaries: 2, condensed: 1 },
    })
    expect(ask(memory.db, { settings: { ...settings, minMessagesToCompact: 9 } })).toMatchObject({
      messagesToLeaves: { messages: 0, leaves: 0 },
      plan: { steps: [], skipped: expect.stringContaining('At least 9') },
    })
  })

  it('prefers a setting to the preset, and the preset to the configuration', () => {
    using memory = remember(talk(80, 100))
    const configured = { freshTailCount: 3, minMessagesToCompact: 1 }
    const eligible = (request: Partial<Request>): number =>
      ask(memory.db, request, configured).decision.eligibleMessages
    expect(eligible({})).toBe(77)
    expect(eligible({ preset: 'lossless-claw' })).toBe(16)
    expect(eligible({ preset: 'argentos' })).toBe(48)
    expect(eligible({ preset: 'argentos', settings: { freshTailCount: 5 } })).toBe(75)
    expect(ask(memory.db, { preset: 'argentos' }, configured).decision.budget).toBe(128_000)
  })

  it('notices changes of the file since it was last asked', async () => {
    using memory = remember(talk(20, 90))
    const planner = plannerOn(memory.db)
    const now = (): number => planner.ask(WhatIfInput.parse({ conversationId: 1 })).decision.tokens
    expect(now()).toBe(1_800)
    memory.messages(1, [{ tokens: 5 }])
    expect(now()).toBe(1_805)
    const { result } = await compact(memory.db, {}, { settings: { ...small, minMessagesToCompact: 1 } })
    expect(now()).toBe(result.tokensAfter)
    expect(travelIn(memory.db).timeline(1).events.length).toBe(result.created.length)
  })

  it('refuses settings out of range and unknown conversations', () => {
    using memory = remember(talk(2, 90))
    expect(() => ask(memory.db, { conversationId: 7 })).toThrow(expect.objectContaining({ code: 'not_found' }))
    expect(() => plannerOn(memory.db).ask({ ...input(), settings: { freshTailCount: -1 } })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  it('reads a window once for any number of questions about it', () => {
    using memory = remember([])
    memory.db.transaction(() => {
      memory.db.run(`
        WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < 10000)
        INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
        SELECT n, 1, n, iif(n % 2, 'user', 'assistant'), 90, n, printf('%064d', n), '' FROM series`)
      memory.db.run(`
        INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
        SELECT 1, message_id, 'message', message_id, created_at FROM messages`)
    })
    let statements = 0
    const counting: ReadDb = new Proxy(memory.db, {
      get: (db, method) => {
        if (method !== 'dataVersion' && method !== 'ownChanges') statements += 1
        return Reflect.get(db, method)
      },
    })
    const planner = plannerOn(counting)
    const [first = 0, ...later] = [1_000, 20_000, 100_000, 200_000, 900_000].flatMap((budgetTokens) =>
      PresetName.options.map((preset) => {
        const request = WhatIfInput.parse({ conversationId: 1, preset, settings: { budgetTokens } })
        const before = statements
        planner.ask(request)
        return statements - before
      }),
    )
    expect(first).toBeGreaterThan(0)
    expect(later.filter((count) => count > 0)).toEqual([])
  })
})

describe('a what-if in a file of another system', () => {
  const folder = join(FIXTURES, 'lossless-claw')
  const cacheDir = join(temporaryFolder(), 'cache')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'))
  it.each(files)('is answered in %s for every preset', async (name) => {
    using lcm = await openLcm(join(folder, name), { cacheDir, settings: readSettings({}) })
    for (const { conversationId } of lcm.stats.conversations()) {
      for (const preset of PresetName.options) {
        const answer = WhatIf.parse(lcm.whatIf.ask(WhatIfInput.parse({ conversationId, preset })))
        expect(answer.plan.expectedTokensAfter).toBeLessThanOrEqual(answer.plan.tokensBefore)
        expect([answer.fallsOut.length, answer.fallsOutTokens]).toEqual([
          answer.decision.leftOutItems,
          answer.decision.leftOutTokens,
        ])
      }
    }
  })
})
