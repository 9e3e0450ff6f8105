import type { SqlAnswer, SqlCell, SqlTable } from '../contract/sql.ts'
import { LcmError } from '../errors.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { CANONICAL } from '../systems/deriving/canonical.ts'
import { checkInstructions, checkStatement, type Instruction } from './check-statement.ts'
import { cellOf } from './sql-cell.ts'

/** What is returned of one value, and of all rows together. */
const MOST_TEXT_CHARS = 200_000
const MOST_BYTES = 16 * 1024 * 1024

const queries = {
  tables: /* sql */ `
    SELECT t.schema, t.name, t.type, (SELECT json_group_array(c.name) FROM pragma_table_info(t.name, t.schema) AS c) AS columns
    FROM pragma_table_list AS t
    WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY t.name, t.schema`,
}

/**
 * Runs one statement that reads. It may never end: run it where it can be ended.
 * @throws LcmError statement_refused; invalid_argument for what SQLite does not understand; what reading throws
 */
export function executeStatement(db: ReadDb, text: string, limit: number): SqlAnswer {
  const sql = checkStatement(text)
  try {
    if (!/^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*explain/i.test(sql))
      checkInstructions(db.all<Instruction>(`EXPLAIN ${sql}`))
    return answerOf(db, sql, limit)
  } catch (error) {
    throw asMistake(error)
  }
}

function answerOf(db: ReadDb, sql: string, limit: number): SqlAnswer {
  const start = performance.now()
  const columns = db.columnNames(sql)
  const rows: SqlCell[][] = []
  let [bytes, cutValues] = [0, 0]
  let cut: SqlAnswer['cut'] = null
  for (const row of db.iterateExact(sql)) {
    if (rows.length === limit) cut = 'rows'
    else if (bytes > MOST_BYTES) cut = 'bytes'
    if (cut !== null) break
    rows.push(
      row.map((value) => {
        const { cell, isCut } = cellOf(value, MOST_TEXT_CHARS)
        bytes += typeof cell === 'string' ? cell.length : 8
        if (isCut) cutValues += 1
        return cell
      }),
    )
  }
  return { columns, rows, elapsedMs: Math.round(performance.now() - start), cut, cutValues }
}

/** What SQLite says of a statement that it cannot read is the mistake of whoever wrote it. */
function asMistake(error: unknown): unknown {
  if (!(error instanceof LcmError) || error.code !== 'sqlite_failed') return error
  const said = error.cause instanceof Error ? error.cause.message : error.message
  return new LcmError('invalid_argument', `SQLite does not run this statement: ${said}.`, error.details, {
    cause: error,
  })
}

/** Returns a name as a statement writes it: in quotes unless it is a plain word. */
const written = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** Lists what a statement may name: the names of every memory, and the tables of this file beside them. */
export function listTables(db: ReadDb): SqlTable[] {
  const found = db.all<{ schema: string; name: string; type: string; columns: string }>(queries.tables)
  const inFront = new Set(found.flatMap(({ schema, name }) => (schema === 'temp' ? name : [])))
  return found.map(({ schema, name, columns }) => {
    const isBehind = schema === 'main' && inFront.has(name)
    return {
      name: isBehind ? `main.${written(name)}` : written(name),
      kind: !isBehind && Object.hasOwn(CANONICAL, name) ? ('memory' as const) : ('file' as const),
      columns: (JSON.parse(columns) as string[]).map(written),
    }
  })
}
