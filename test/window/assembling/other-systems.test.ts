import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CompactionPlanner } from '#core/compaction/compaction-planner.ts'
import { CompactInput, CompactionDecision, CompactionPlan } from '#core/contract/compaction.ts'
import { AssembledContext, RenderedContext } from '#core/contract/context.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { openMemory } from '#test/builders/open-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

const estimator = createTokenEstimator()
const { compaction } = readSettings({})
const cacheDir = join(temporaryFolder(), 'cache')
const CLAW = join(FIXTURES, 'lossless-claw')
const files = readdirSync(CLAW, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'))

describe('a window of another system', () => {
  it.each(files)('is assembled, rendered and planned for like a native one: %s', (name) => {
    using memory = openMemory(join(CLAW, name), { cacheDir })
    const assembler = new ContextAssembler(memory.read, estimator, compaction)
    const planner = new CompactionPlanner(new KeptWindow(memory.read, estimator), compaction)
    for (const conversationId of memory.read.column<number>('SELECT conversation_id FROM conversations')) {
      const stored = memory.read.value<number>('SELECT count(*) FROM context_items WHERE conversation_id = :c', {
        c: conversationId,
      })
      const context = AssembledContext.parse(assembler.assemble({ conversationId, query: 'error' }))
      expect(context.items).toHaveLength(stored ?? 0)
      expect(context.items.every((item) => item.reason !== '')).toBe(true)
      for (const provider of ['anthropic', 'openai'] as const) {
        const rendered = RenderedContext.parse(assembler.render({ conversationId }, provider))
        const query = 'the error of the test'
        expect(assembler.assembleAndRender({ conversationId, query }, provider)).toEqual({
          context: assembler.assemble({ conversationId, query }),
          rendered: assembler.render({ conversationId, query }, provider),
        })
        if (stored) expect(rendered.messages.length).toBeGreaterThan(0)
      }
      const input = CompactInput.parse({ conversationId, settings: { freshTailCount: 2, minMessagesToCompact: 0 } })
      CompactionDecision.parse(planner.evaluate(input))
      CompactionPlan.parse(planner.plan(input))
    }
  })

  it('reports items that lead nowhere', () => {
    using memory = openMemory(join(CLAW, 'corrupt/context_dangling_summary.db'), { cacheDir })
    const ids = memory.read.column<number>('SELECT conversation_id FROM conversations')
    const items = ids.flatMap(
      (conversationId) => new ContextAssembler(memory.read, estimator, compaction).assemble({ conversationId }).items,
    )
    expect(items.some((item) => item.kind === 'missing' && item.reasonCode === 'dangling')).toBe(true)
  })
})
