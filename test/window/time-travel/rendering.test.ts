import { expect, it } from 'vitest'
import { RenderedContext } from '#core/contract/context.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { travelIn } from './travel.ts'

it('a rendered moment contains nothing that came after it', () => {
  const memory = buildMemory({ conversations: [{ messages: ['the first question', 'the second question'] }] })
  const travel = travelIn(memory.db)
  const sent = (moment: Parameters<typeof travel.render>[0]['moment']): string =>
    JSON.stringify(RenderedContext.parse(travel.render({ conversationId: 1, moment }, 'openai')).messages)

  expect(sent({ messageId: 'msg_1' })).toContain('the first question')
  expect(sent({ messageId: 'msg_1' })).not.toContain('the second question')
  expect(sent({ now: true })).toContain('the second question')
})
