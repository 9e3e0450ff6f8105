import type { SqlTable } from '#core/contract/sql.ts'

/** The end of a word before the cursor, and the names that begin with it: columns of tables in the statement come first. */
export type Completion = {
  /** UTF-16 units of the statement that a chosen name replaces, end exclusive. */
  readonly from: number
  readonly to: number
  readonly names: readonly string[]
}

/** At most this many names are offered, so that they fit on a line. */
const MOST = 6
/** A single letter begins too many names. */
const LEAST_LETTERS = 2

/**
 * Returns the names of tables and columns that complete the word which ends at the cursor, or null when there are none.
 * After a point, the names belong to the word before it: columns of that table, or tables of that schema. When that word is
 * an alias, columns of all tables of the statement are offered.
 */
export function completionAt(sql: string, cursor: number, tables: readonly SqlTable[]): Completion | null {
  const word = /[A-Za-z_][\w.]*$/.exec(sql.slice(0, cursor))?.[0]
  if (word === undefined || /^\w/.test(sql.slice(cursor))) return null
  const begun = word.slice(word.lastIndexOf('.') + 1).toLowerCase()
  const owner = word.includes('.') ? word.slice(0, word.lastIndexOf('.')).toLowerCase() : null
  if (owner === null && begun.length < LEAST_LETTERS) return null
  const fits = (name: string): boolean => name.toLowerCase().startsWith(begun) && name.toLowerCase() !== begun
  const names = [...new Set(owner === null ? namesIn(sql, tables) : namesAfter(owner, sql, tables))].filter(fits)
  return names.length === 0 ? null : { from: cursor - begun.length, to: cursor, names: names.slice(0, MOST) }
}

const columnsOf = (tables: readonly SqlTable[]): readonly string[] => tables.flatMap(({ columns }) => columns)

/** Returns the tables that stand in a statement. */
function usedIn(sql: string, tables: readonly SqlTable[]): readonly SqlTable[] {
  const words = new Set(sql.toLowerCase().match(/[a-z_][\w.]*/g))
  return tables.filter(({ name }) => words.has(name.toLowerCase()))
}

const namesIn = (sql: string, tables: readonly SqlTable[]): readonly string[] => [
  ...columnsOf(usedIn(sql, tables)),
  ...tables.map(({ name }) => name).sort((a, b) => a.length - b.length),
]

function namesAfter(owner: string, sql: string, tables: readonly SqlTable[]): readonly string[] {
  const own = tables.filter(({ name }) => name.toLowerCase() === owner)
  const ofSchema = tables.filter(({ name }) => name.toLowerCase().startsWith(`${owner}.`))
  return [
    ...ofSchema.map(({ name }) => name.slice(owner.length + 1)),
    ...columnsOf(own.length > 0 ? own : usedIn(sql, tables)),
  ]
}
