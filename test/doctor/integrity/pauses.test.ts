import { expect, it } from 'vitest'
import { scanTexts } from '#core/doctor/scan/text-scan.ts'
import { Memory } from '#core/memory/memory.ts'
import { probeSchema } from '#core/sqlite/schema-probe.ts'
import { native } from '#core/systems/native/native.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { buildMemory } from '#test/builders/memory.ts'

it('reading texts yields after each of them', () => {
  using memory = buildMemory({ conversations: [{ messages: ['one', 'two', 'three'] }] })
  const { db } = memory
  const context = {
    db,
    probe: probeSchema(db),
    system: native,
    memory: Memory.empty(),
    conversationId: null,
  } as unknown as RuleContext
  const rule = { id: 'any', messageTexts: () => () => null } as unknown as Rule
  expect([...scanTexts(context, [rule])]).toEqual([null, null, null])
})
