import { expect, it } from 'vitest'
import { writeLines } from '../builders/transcript-rows.ts'
import { changesOf, shapesIn } from './shapes.ts'

const records = [
  { type: 'session_meta', payload: { id: 's', cwd: '/' } },
  { type: 'event_msg', payload: { type: 'item_completed', item: { type: 'UserMessage', content: [] } } },
]

it('says which kinds of records and which fields are new and which are gone', () => {
  const before = shapesIn([writeLines(records)])
  const now = shapesIn([
    writeLines([
      { type: 'session_meta', payload: { id: 's', home: '/' } },
      { type: 'hologram', beam: { '/a b': 1 } },
    ]),
  ])
  expect(changesOf(before, now)).toEqual([
    'no record event_msg/item_completed/UserMessage any more',
    'new kind of record hologram',
    'session_meta has payload.home',
    'session_meta lacks payload.cwd',
  ])
  expect(changesOf(before, shapesIn([writeLines(records)]))).toEqual([])
})
