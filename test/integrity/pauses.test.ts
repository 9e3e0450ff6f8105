import { expect, it } from 'vitest'
import { probeSchema } from '../../core/db/schema-probe.ts'
import type { Check, CheckContext } from '../../core/integrity/check.ts'
import { dialectFactsOf } from '../../core/integrity/dialect-facts.ts'
import { MemoryFacts } from '../../core/integrity/memory-facts.ts'
import { scanTexts } from '../../core/integrity/text-scan.ts'
import { buildMemory } from '../builders/memory.ts'

it('reading texts offers a pause after every one of them', () => {
  using memory = buildMemory({ conversations: [{ messages: ['one', 'two', 'three'] }] })
  const { db } = memory
  const context = {
    db,
    probe: probeSchema(db),
    dialect: dialectFactsOf('native'),
    facts: new MemoryFacts(),
    conversationId: null,
  } as unknown as CheckContext
  const check = { id: 'any', messageTexts: () => () => null } as unknown as Check
  expect([...scanTexts(context, [check])]).toEqual([null, null, null])
})
