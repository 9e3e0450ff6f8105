import { describe, expect, it } from 'vitest'
import { executeStatement } from '#core/query/execute-statement.ts'
import { buildMemory } from '../builders/memory.ts'

describe('a statement with parameters', () => {
  const { db } = buildMemory({ conversations: [{ messages: ['a'] }] })

  it.each([
    ['SELECT :x', ':x'],
    ['SELECT ?', '?'],
    ['SELECT ?1 -- a number', '?1'],
    ['SELECT * FROM messages WHERE content = @text', '@text'],
    ['EXPLAIN SELECT $1', '$1'],
    ['WITH t AS (SELECT :größe) SELECT * FROM t; ', ':größe'],
  ])('is refused, and the error says to write the value: %s', (sql, parameter) => {
    expect(() => executeStatement(db, sql, 10)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: `${parameter} stands for a value, and a statement is given none here: write the value itself, a text in single quotes.`,
      }),
    )
  })

  it('is not seen in texts, names and comments', () => {
    const sql = `SELECT ':x?', '{"a":1}' ->> '$.a' AS "@b?", 1 AS [?1] /* :y */ -- $z`
    expect(executeStatement(db, sql, 10)).toMatchObject({ columns: [`':x?'`, '@b?', '?1'], rows: [[':x?', 1, 1]] })
  })
})
