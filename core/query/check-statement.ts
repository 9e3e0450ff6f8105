import { LcmError } from '../errors.ts'

/** The pieces of SQL that matter here: what may hold a semicolon, comments, and words. */
const PIECES =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;|[\p{L}_][\p{L}\p{N}_$]*|\s+|[\s\S]/gu

const READING: readonly string[] = ['select', 'with', 'values', 'explain']

const isBlank = (piece: string): boolean => /^\s/.test(piece) || piece.startsWith('--') || piece.startsWith('/*')

/**
 * Returns the statement without what follows its semicolon.
 * @throws LcmError statement_refused unless it is one statement that begins as one that reads; invalid_argument for one
 * with parameters
 */
export function checkStatement(text: string): string {
  const pieces = (text.match(PIECES) ?? []).map((piece) => piece)
  const first = pieces.find((piece) => !isBlank(piece) && piece !== ';')
  if (first === undefined) throw refused('There is no statement')
  const word = first.toLowerCase()
  if (!READING.includes(word)) {
    const hint = word === 'pragma' ? ' What a PRAGMA tells is a table as well: SELECT * FROM pragma_table_info(…).' : ''
    throw refused(`${first.slice(0, 40)} is not a statement that reads`, hint)
  }
  const start = pieces.indexOf(first)
  const end = pieces.indexOf(';', start)
  const statement = end < 0 ? pieces : pieces.slice(0, end)
  const parameter = parameterIn(statement)
  if (parameter !== null)
    throw new LcmError(
      'invalid_argument',
      `${parameter.slice(0, 40)} stands for a value, and a statement is given none here: write the value itself, a text in single quotes.`,
    )
  if (end < 0) return text
  if (pieces.slice(end).some((piece) => !isBlank(piece) && piece !== ';'))
    throw refused('A second statement follows the first')
  return statement.join('')
}

/** Returns the first parameter of a statement. https://www.sqlite.org/lang_expr.html#parameters */
function parameterIn(pieces: readonly string[]): string | null {
  for (const [at, piece] of pieces.entries()) {
    const next = pieces[at + 1] ?? ''
    if (piece === '?') return /^\d/.test(next) ? `?${next}` : '?'
    if ([':', '@', '$'].includes(piece) && /^[\p{L}\p{N}_]/u.test(next)) return `${piece}${next}`
  }
  return null
}

/** An instruction of SQLite's machine, as EXPLAIN lists it. */
export type Instruction = { readonly opcode: string; readonly p2: number }

/** By these instructions SQLite itself tells whether a statement may write: https://www.sqlite.org/c3ref/stmt_readonly.html */
const WRITING: readonly string[] = ['Checkpoint', 'Vacuum', 'JournalMode', 'Savepoint', 'AutoCommit']

/** @throws LcmError statement_refused */
export function checkInstructions(instructions: readonly Instruction[]): void {
  const writes = instructions.some(
    ({ opcode, p2 }) => (opcode === 'Transaction' && p2 !== 0) || WRITING.includes(opcode),
  )
  if (writes) throw refused('The statement writes')
}

const refused = (what: string, hint = ''): LcmError =>
  new LcmError(
    'statement_refused',
    `${what}: here a memory is only read, by one SELECT, WITH, VALUES or EXPLAIN at a time.${hint}`,
  )
