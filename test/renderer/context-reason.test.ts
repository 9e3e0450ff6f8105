import { expect, it } from 'vitest'
import { reasonParts } from '#renderer/features/context/reason-parts.ts'

it('words the reason of an item without ids and terms of agents', () => {
  expect(reasonParts('fresh tail · pair of msg_62')).toEqual([
    { text: 'among the newest · pair of ', isId: false },
    { text: 'msg_62', isId: true },
  ])
})
