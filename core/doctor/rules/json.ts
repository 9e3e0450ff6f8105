import type { JsonColumn } from '../../systems/system-facts.ts'
import { rowRanges } from './row-ranges.ts'
import type { Check, CheckContext, Finding } from './rule.ts'

const IS_NONE = (column: string): string => `t.${column} IS NULL OR t.${column} = ''`

/** Tables with as many rows as there are messages. */
const isLong = (table: string): boolean => table === 'messages' || table === 'message_parts'

/** Names come from the system, never from the file. */
function sqlOf({ table, column, id, conversation, shape }: JsonColumn): string {
  const isBroken = `NOT json_valid(t.${column})`
  const begins = `substr(ltrim(t.${column}), 1, 1) IN ('{', '[')`
  const isWrong =
    shape === 'any'
      ? isBroken
      : shape === 'document'
        ? `${begins} AND ${isBroken}`
        : `CASE WHEN json_valid(t.${column}) THEN json_type(t.${column}) <> 'array' ELSE 1 END`
  return /* sql */ `
    SELECT ${id} AS id, ${conversation} AS conversationId,
      '${table}.${column} is no ${shape === 'array' ? 'list in JSON' : 'JSON'}: ' || substr(t.${column}, 1, 40) AS detail
    FROM main.${table} AS t
    WHERE NOT (${IS_NONE(column)}) AND ${isWrong}
      AND (:conversation IS NULL OR ${conversation} IS :conversation)
      ${isLong(table) ? 'AND t.rowid > :after AND t.rowid <= :upTo' : ''}`
}

function* findMalformed(context: CheckContext): Iterable<Finding | null> {
  const { db, dialect, probe, conversationId } = context
  for (const column of dialect.jsonColumns) {
    if (!probe.has(column.table, column.column)) continue
    const sql = sqlOf(column)
    for (const range of isLong(column.table) ? rowRanges(db, column.table) : [{}]) {
      for (const finding of db.iterate<Finding>(sql, { conversation: conversationId, ...range })) yield finding
      yield null
    }
  }
}

export const jsonChecks: readonly Check[] = [
  {
    id: 'malformed_json',
    group: 'json',
    severity: 'error',
    phase: 'text',
    invariant: 'Every text that should be JSON is.',
    explanation: 'What this row says cannot be read by a program. Other rows are read as if nothing was.',
    repairable: false,
    notApplicable: ({ info, dialect }) =>
      dialect.jsonColumns.length > 0 ? null : `${info.systemLabel} keeps nothing as JSON.`,
    find: findMalformed,
  },
]
