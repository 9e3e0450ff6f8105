import fc from 'fast-check'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { MessageSpec } from '../builders/memory.ts'
import { call, result } from '../window/assembling/tool-pair.ts'

const text = fc.oneof(
  fc.constantFrom('', ' ', 'ok', '----', '中文消息:连接失败,请检查 /etc/hosts。', '😀😀😀', 'x'.repeat(30_000)),
  fc.lorem({ maxCount: 40, mode: 'sentences' }),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

type Step = {
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly text: string
  readonly calls: number
  readonly back: number
}

/** Histories with repeated, empty and huge messages, several calls at once, and results that come late, twice or never. */
export const history = fc
  .array(
    fc.record<Step>({
      role: fc.constantFrom('user', 'user', 'assistant', 'assistant', 'assistant', 'tool', 'tool', 'tool', 'system'),
      text,
      calls: fc.nat(2),
      back: fc.constantFrom(0, 0, 0, 1, 2, 9),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let made = 0
    return steps.map((step): MessageSpec => {
      const content = step.text.toWellFormed()
      const tokens = content === '' ? 0 : Math.ceil(content.length / 4)
      if (step.role === 'tool') return result(`c${made - 1 - step.back}`, { content, tokens })
      if (step.role !== 'assistant') return { role: step.role, content, tokens }
      const ids = Array.from({ length: step.calls }, (_, index) => `c${made + index}`)
      made += ids.length
      return call(ids, { content, tokens: tokens + ids.length * 6 })
    })
  })

export const settings = fc.record<Partial<CompactionSettings>>({
  freshTailCount: fc.constantFrom(0, 1, 3, 8),
  leafChunkTokens: fc.constantFrom(1, 50, 400, 4_000),
  leafTargetTokens: fc.constantFrom(1, 20, 600),
  condensedTargetTokens: fc.constantFrom(1, 30, 900),
  condensedMinFanout: fc.constantFrom(2, 3, 4),
  maxDepth: fc.constantFrom(-1, 0, 1, 2),
  minMessagesToCompact: fc.constantFrom(0, 2, 10),
  budgetTokens: fc.constantFrom(1, 300, 200_000),
})
