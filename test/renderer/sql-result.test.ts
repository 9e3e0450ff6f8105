import { expect, it } from 'vitest'
import { figureColumns } from '#renderer/features/sql/result-columns.ts'

it('the name of a column of a result stands at the right where all its values are figures', () => {
  const columns = ['tool_name', 'calls', 'errors', 'message_id', 'mixed', 'nothing']
  const rows = [
    ['bash', 350, 5, 1, 1, null],
    ['edit', 58, null, 2, 'two', null],
  ]
  expect(figureColumns({ columns, rows })).toEqual([false, true, true, false, false, false])
})
