import { expect, it } from 'vitest'
import { type NotedRow, notedRows, placeOfNote } from '#renderer/features/notes/noted-rows.ts'

const row = (id: string, given: Partial<NotedRow>): NotedRow => ({
  ...{ id, kind: 'message', conversationId: 1, depth: null, role: 'user', name: id, isPinned: false, text: '' },
  ...{ changedAtMs: 0, state: 'there', conversation: 'Harbour', ...given },
})
const rows = [
  row('msg_1', { isPinned: true, name: 'Zebra crossing', changedAtMs: 3 }),
  row('msg_2', { text: 'ask Ada', name: 'Anchor', changedAtMs: 1 }),
  row('sum_3', { kind: 'leaf', text: 'Budget', isPinned: true, name: 'Middle', conversation: 'Crane', changedAtMs: 2 }),
]
const ids = (
  ...[filter, sort, isDescending]: [
    { kind?: 'pinned' | 'noted'; words?: string }?,
    ('name' | 'note' | 'changed')?,
    boolean?,
  ]
) => notedRows(rows, { kind: 'all', words: '', ...filter }, sort ?? 'changed', isDescending ?? true).map(({ id }) => id)

it('rows are filtered by kind and by words in the note, its node, its conversation and its id', () => {
  expect(ids({ kind: 'pinned' })).toEqual(['msg_1', 'sum_3'])
  expect(ids({ kind: 'noted' })).toEqual(['sum_3', 'msg_2'])
  expect(ids({ words: 'CRANE budget' })).toEqual(['sum_3'])
  expect(ids({ words: 'msg_1' })).toEqual(['msg_1'])
  expect(ids({ words: 'nowhere' })).toEqual([])
})

it('rows are sorted both ways, and those that say nothing stand at the end of the alphabet', () => {
  expect(ids({}, 'changed', true)).toEqual(['msg_1', 'sum_3', 'msg_2'])
  expect(ids({}, 'name', false)).toEqual(['msg_2', 'sum_3', 'msg_1'])
  expect(ids({}, 'note', false)).toEqual(['msg_2', 'sum_3', 'msg_1'])
})

it('a row leads to the view of its kind, and one that is gone stays in the conversation on screen', () => {
  const [message, , summary] = rows as [NotedRow, NotedRow, NotedRow]
  expect(placeOfNote(message)).toEqual({ conversationId: 1, view: 'messages', selection: 'msg_1' })
  expect(placeOfNote({ ...summary, conversationId: null })).toEqual({ view: 'layers', selection: 'sum_3' })
})
