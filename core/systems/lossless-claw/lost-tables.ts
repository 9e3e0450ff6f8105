import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'

/** Every system that came from lossless-claw has these tables; columns beyond the oldest release's are probed. */
const SIGNATURE: readonly (readonly [table: string, column: string])[] = [
  ['summary_parents', 'parent_summary_id'],
  ['context_items', 'item_type'],
  ['summary_messages', 'summary_id'],
  ['conversations', 'session_id'],
  ['messages', 'content'],
  ['summaries', 'content'],
]

/** Tables without which the rest can still be read, and what is not shown then. */
export const SPARED: Readonly<Record<string, { readonly columns: string; readonly lacks: string }>> = {
  summary_parents: {
    columns: 'summary_id, parent_summary_id, ordinal',
    lacks: 'of which summaries a summary was made is not known',
  },
  summary_messages: {
    columns: 'summary_id, message_id, ordinal',
    lacks: 'for which messages a summary stands is not known',
  },
  context_items: {
    columns: 'conversation_id, ordinal, item_type, message_id, summary_id, created_at',
    lacks: 'what the model sees is not known',
  },
}

/** Of a file that has all else that the family has, so that it cannot be of another kind. */
export const lostTables = (probe: SchemaProbe): string[] =>
  probe.has('message_parts') ? Object.keys(SPARED).filter((table) => !probe.has(table)) : []

export function hasLosslessTables(probe: SchemaProbe): boolean {
  const lost = new Set(lostTables(probe))
  return SIGNATURE.every(([table, column]) => probe.has(table, column) || lost.has(table)) && lost.size <= 2
}

/** Makes an empty table for each that is lost. */
export const makeEmptyTables = (probe: SchemaProbe): string =>
  lostTables(probe)
    .map((table) => /* sql */ `CREATE TEMP TABLE IF NOT EXISTS lost_${table} (${SPARED[table]?.columns});`)
    .join('\n')

/** Returns SQL that names the empty table in the place of each that is lost. */
export const withEmptyTables = (probe: SchemaProbe, sql: string): string =>
  lostTables(probe).reduce((text, table) => text.replaceAll(`main.${table}`, `temp.lost_${table}`), sql)

/** The views of a file, with the empty tables that they name. */
export const viewsWithEmptyTables = (probe: SchemaProbe, views: string): string =>
  `${makeEmptyTables(probe)}\n${withEmptyTables(probe, views)}`

/** What a file of the family has lost of its tables and columns; null for one that is of another kind, or whole. */
export function lostOfLossless(probe: SchemaProbe): string[] | null {
  const lost = SIGNATURE.filter(([table, column]) => !probe.has(table, column))
  if (lost.length === 0 || lost.length > 2 || !probe.has('message_parts')) return null
  return lost.map(([table, column]) => (probe.has(table) ? `the column ${column} of ${table}` : `the table ${table}`))
}
