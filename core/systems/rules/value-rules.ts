import { isNoName } from '#core/sqlite/shown-values.ts'

/** What a value of a column of the file itself must be: SQL over the row `t`, true for what cannot be. */
export type ValueRule = {
  readonly table: string
  readonly column: string
  readonly isWrong: string
  readonly what: string
}

const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

export const oneOf = (table: string, column: string, values: readonly string[], what: string): ValueRule => ({
  table,
  column,
  isWrong: `t.${column} IS NULL OR t.${column} NOT IN (${listed(values)})`,
  what,
})
export const count = (table: string, column: string, what: string): ValueRule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'integer' OR t.${column} < 0`,
  what,
})
export const text = (table: string, column: string, what: string): ValueRule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text'`,
  what,
})
export const id = (table: string, column: string): ValueRule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text' OR ${isNoName(`t.${column}`)}`,
  what: 'its id is',
})
export const countOrNone = (table: string, column: string, what: string): ValueRule => ({
  table,
  column,
  isWrong: `t.${column} IS NOT NULL AND (typeof(t.${column}) <> 'integer' OR t.${column} < 0)`,
  what,
})
export const named = (table: string, column: string, what: string): ValueRule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'text' OR trim(t.${column}) = ''`,
  what,
})
export const number = (table: string, column: string, what: string): ValueRule => ({
  table,
  column,
  isWrong: `typeof(t.${column}) <> 'integer'`,
  what,
})
