import { PartType, Role, SummaryKind } from '../contract/ids.ts'

/** Ids are shown and asked for in so many characters at most (`NodeId` of the contract). */
const LONGEST_ID = 512

/** SQL: what nothing of a file can be called. */
export const isNoName = (value: string): string => `${value} = '' OR length(${value}) > ${LONGEST_ID}`

type OneOf = { readonly values: readonly string[]; readonly otherwise: string }

/** What a column may say, and what is shown in the place of anything else. */
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

/** @param column table and column, as `messages.role` */
export const isListed = (column: string): column is ListedColumn => column in ONE_OF

/** SQL: the values that such a column may have, with commas between. */
export const listedValues = (column: ListedColumn): string =>
  ONE_OF[column].values.map((value) => `'${value}'`).join(', ')

/**
 * SQL for one of the listed columns of a row, whatever its table lets in: the check on a column holds only for writers
 * that did not turn it off. https://www.sqlite.org/pragma.html#pragma_ignore_check_constraints
 */
export function shownValue(name: ListedColumn, row: string): string {
  const { otherwise }: OneOf = ONE_OF[name]
  const value = `${row}.${name.slice(name.indexOf('.') + 1)}`
  return `iif(${value} IN (${listedValues(name)}), ${value}, ${otherwise.replace(':row', row)})`
}
