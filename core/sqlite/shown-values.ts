import { PartType, Role, SummaryKind } from '../contract/ids.ts'

/** The longest id that the contract accepts (`NodeId`). */
const LONGEST_ID = 512

/** SQL that is true for a value that cannot be an id. */
export const isNoName = (value: string): string => `${value} = '' OR length(${value}) > ${LONGEST_ID}`

/**
 * SQL that is true for an integer that is read exactly. Beyond ±2⁵³ another number would take its place. Each value is
 * tested by itself, so that no index is chosen by it.
 */
export const isExactInteger = (value: string): string =>
  `typeof(${value}) = 'integer' AND +${value} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`

/** SQL that is true for a number beyond ±2⁵³. An index of the column finds it. */
export const isInexact = (column: string): string =>
  `${column} > ${Number.MAX_SAFE_INTEGER} OR ${column} < ${Number.MIN_SAFE_INTEGER}`

type OneOf = { readonly values: readonly string[]; readonly otherwise: string }

/** The values that a column may have, and the one that is shown instead of any other. */
const ONE_OF = {
  'messages.role': { values: Role.options, otherwise: `'system'` },
  'message_parts.part_type': { values: PartType.options, otherwise: `'text'` },
  'summaries.kind': { values: SummaryKind.options, otherwise: `iif(:row.depth > 0, 'condensed', 'leaf')` },
  'summaries.level': { values: ['normal', 'aggressive', 'deterministic', 'unknown'], otherwise: `'unknown'` },
  'context_items.item_type': { values: ['message', 'summary'], otherwise: 'NULL' },
  'compaction_runs.reason': { values: ['threshold', 'manual', 'maintenance'], otherwise: `'manual'` },
  'compaction_events.pass': { values: ['leaf', 'condensed'], otherwise: `'leaf'` },
  'surgery_events.kind': { values: ['rewrite', 'dissolve', 'transplant', 'repair', 'undo'], otherwise: `'repair'` },
} satisfies Readonly<Record<string, OneOf>>

type ListedColumn = keyof typeof ONE_OF

/** @param column table and column, such as `messages.role` */
export const isListed = (column: string): column is ListedColumn => column in ONE_OF

/** SQL for the values that such a column may have, separated by commas. */
export const listedValues = (column: ListedColumn): string =>
  ONE_OF[column].values.map((value) => `'${value}'`).join(', ')

/**
 * SQL for one of the listed columns of a row, whatever its table contains. CHECK constraints hold only for writers that
 * did not turn them off. https://www.sqlite.org/pragma.html#pragma_ignore_check_constraints
 */
export function shownValue(name: ListedColumn, row: string): string {
  const { otherwise }: OneOf = ONE_OF[name]
  const value = `${row}.${name.slice(name.indexOf('.') + 1)}`
  return `iif(${value} IN (${listedValues(name)}), ${value}, ${otherwise.replace(':row', row)})`
}
