import { expect, it } from 'vitest'
import { namedParts } from '#renderer/ui/texts/named-parts.ts'

it('tells the ids in a sentence from its words, also one that stands in it twice', () => {
  expect(namedParts('among the newest messages · pair of msg_62, under msg_62')).toEqual([
    { from: 0, text: 'among the newest messages · pair of ', isId: false },
    { from: 36, text: 'msg_62', isId: true },
    { from: 42, text: ', under ', isId: false },
    { from: 50, text: 'msg_62', isId: true },
  ])
})
