import { expect, it } from 'vitest'
import type { SqlTable } from '#core/contract/sql.ts'
import { completionAt } from '#renderer/features/sql/completion.ts'

const TABLES: SqlTable[] = [
  { name: 'message_parts', kind: 'memory', columns: ['part_id', 'message_id', 'tool_name'] },
  { name: 'messages', kind: 'memory', columns: ['message_id', 'role', 'content'] },
  { name: 'main.messages', kind: 'file', columns: ['id', 'body'] },
]

const namesAt = (sql: string, cursor = sql.length) => completionAt(sql, cursor, TABLES)?.names ?? null

it('offers the names of tables that begin with the letters before the cursor, the shortest first, and replaces only these', () => {
  expect(completionAt('SELECT 1 FROM mess', 18, TABLES)).toEqual({
    from: 14,
    to: 18,
    names: ['messages', 'message_parts'],
  })
})

it('offers columns of the tables that the statement names before other names', () => {
  expect(namesAt('SELECT mess FROM message_parts', 11)).toEqual(['message_id', 'messages', 'message_parts'])
})

it('offers after a point the columns of the table before it, those of all named tables after an alias', () => {
  expect(namesAt('SELECT messages.')).toEqual(['message_id', 'role', 'content'])
  expect(namesAt('SELECT Messages. FROM message_parts, messages', 16)).toEqual(['message_id', 'role', 'content'])
  expect(namesAt('SELECT p.t FROM message_parts p', 10)).toEqual(['tool_name'])
  expect(namesAt('SELECT 1 FROM main.')).toEqual(['messages'])
})

it('offers nothing for one letter, within a word, and when the word is a whole name', () => {
  expect(namesAt('SELECT m')).toBeNull()
  expect(namesAt('SELECT messages', 9)).toBeNull()
  expect(namesAt('SELECT role FROM messages')).toBeNull()
})
