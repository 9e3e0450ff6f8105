import type { RuleContext } from '#core/systems/rules/rule.ts'
import { oncePerScan } from '#core/systems/rules/scanned-memory.ts'
import type { JsonColumn } from '#core/systems/system-facts.ts'
import { type RowRange, rowRanges } from './row-ranges.ts'

const queries = {
  /** For each condition, tells whether a row of the range meets it. Tables and conditions come from a system. */
  areMet: (table: string, conditions: readonly string[]) => /* sql */ `
    SELECT ${conditions.map((condition) => `max(${condition})`).join(', ')}
    FROM main.${table} AS t
    WHERE t.rowid > :after AND t.rowid <= :upTo`,
}

/** A rare state of the rows of a table, as SQL about the row `t`. */
export type RowCondition = { readonly table: string; readonly condition: string }

/** True when the row has no text in a column. */
const isNone = (column: string): string => `t.${column} IS NULL OR t.${column} = ''`

/** SQL about the row `t`, true for a text that should be JSON and is not. */
export function isMalformed({ column, shape }: JsonColumn): string {
  const isBroken = `NOT json_valid(t.${column})`
  const begins = `substr(ltrim(t.${column}), 1, 1) IN ('{', '[')`
  const isWrong =
    shape === 'any'
      ? isBroken
      : shape === 'document'
        ? `${begins} AND ${isBroken}`
        : `CASE WHEN json_valid(t.${column}) THEN json_type(t.${column}) <> 'array' ELSE 1 END`
  return `NOT (${isNone(column)}) AND ${isWrong}`
}

/** Returns all conditions that rules about texts ask for. */
function conditionsOf({ system, probe }: RuleContext): readonly RowCondition[] {
  const { jsonColumns, fileReferences, partRows } = system.facts
  const otherText = partRows !== null && probe.has('message_parts', 'part_type') ? partRows.otherText(probe) : null
  return [
    ...system.valueRules
      .filter(({ table, column }) => probe.has(table, column))
      .map(({ table, isWrong }) => ({ table, condition: isWrong })),
    ...jsonColumns
      .filter(({ table, column }) => probe.has(table, column))
      .map((column) => ({ table: column.table, condition: isMalformed(column) })),
    ...fileReferences
      .filter(({ needs }) => probe.has(...needs))
      .map(({ needs: [table], condition }) => ({ table, condition })),
    ...(otherText ? [{ table: 'message_parts', condition: otherText.condition }] : []),
  ]
}

const known = oncePerScan((_: RuleContext) => new Map<string, ReadonlyMap<string, readonly RowRange[]>>())

/**
 * The ranges of a table in which a row meets a condition. The first question about a table looks for all conditions in
 * one pass over its rows, which takes as long as looking for the longest column alone. Yields after each range.
 */
export function* rangesWith(
  context: RuleContext,
  { table, condition }: RowCondition,
): Generator<null, readonly RowRange[]> {
  let met = known(context).get(table)
  if (!met) {
    met = yield* rangesByCondition(context, table)
    known(context).set(table, met)
  }
  return met.get(condition) ?? []
}

function* rangesByCondition(context: RuleContext, of: string): Generator<null, ReadonlyMap<string, RowRange[]>> {
  const { db } = context
  const conditions = conditionsOf(context).flatMap(({ table, condition }) => (table === of ? [condition] : []))
  const met = new Map(conditions.map((condition): [string, RowRange[]] => [condition, []]))
  const sql = queries.areMet(of, conditions)
  for (const range of rowRanges(db, of)) {
    const [row = []] = db.rows<readonly (number | null)[]>(sql, range)
    for (const [at, condition] of conditions.entries()) if (row[at] === 1) met.get(condition)?.push(range)
    yield null
  }
  return met
}
