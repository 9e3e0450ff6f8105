import { NOTHING_ELSE } from '#core/contract/lists.ts'
import type { RowChange } from '#core/contract/repair.ts'
import { sha256 } from '#core/hashing.ts'
import type { Area } from '#core/systems/rules/fix.ts'

/**
 * Describes planned changes: "context_items: 3 rows added at ordinals 118–120, 64 moved. summaries: 2 rows changed
 * (depth). Nothing else changes."
 */
export function describeChanges(changes: readonly RowChange[]): string {
  const text = describe(changes)
  return text === '' ? '' : `${text} ${NOTHING_ELSE}`
}

/** Describes changes that were made: "context_items: 64 rows moved. Nothing else was changed." */
export function describeMade(changes: readonly RowChange[]): string {
  const text = describe(changes)
  return text === '' ? 'Nothing was changed.' : `${text} Nothing else was changed.`
}

function describe(changes: readonly RowChange[]): string {
  const tables = Map.groupBy(changes, (change) => change.table)
  return [...tables].map(([table, rows]) => `${table}: ${describeTable(table, rows)}.`).join(' ')
}

function describeTable(table: string, rows: readonly RowChange[]): string {
  if (table.includes('_fts') || rows.every(({ before }) => before?.damaged !== undefined)) return 'rebuilt'
  const added = rows.filter((row) => row.before === null)
  const removed = rows.filter((row) => row.after === null)
  const changed = rows.filter((row) => row.before !== null && row.after !== null)
  const verb = table === 'context_items' ? 'moved' : 'changed'
  const columns = [...new Set(changed.flatMap((row) => Object.keys(row.after ?? {})))].join(', ')
  return [
    ...(added.length > 0
      ? [
          `${count(added.length)} added${atOrdinals(
            table,
            added.map((row) => row.after),
          )}`,
        ]
      : []),
    ...(removed.length > 0
      ? [
          `${count(removed.length)} removed${atOrdinals(
            table,
            removed.map((row) => row.before),
          )}`,
        ]
      : []),
    ...(changed.length > 0
      ? [`${count(changed.length)} ${verb}${table === 'context_items' ? '' : ` (${columns})`}`]
      : []),
  ].join(', ')
}

const count = (rows: number): string => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`

function atOrdinals(table: string, cells: readonly RowChange['after'][]): string {
  if (table !== 'context_items') return ''
  const ordinals = cells.map((cell) => Number(cell?.ordinal)).toSorted((a, b) => a - b)
  const [first, last] = [ordinals[0], ordinals.at(-1)]
  if (first === last) return ` at ordinal ${first}`
  const isRun = ordinals.every((ordinal, index) => ordinal === (first ?? 0) + index)
  return isRun ? ` at ordinals ${first}–${last}` : ` between ordinals ${first} and ${last}`
}

const COLUMN_AREAS: Readonly<Record<string, Area>> = {
  kind: 'kind',
  depth: 'depth',
  descendant_count: 'descendants',
  earliest_at: 'times',
  latest_at: 'times',
  source_token_count: 'sourceTokens',
  token_count: 'tokens',
  summary_hash: 'hash',
  file_ids: 'fileIds',
  content: 'text',
}

/** Returns what a step changes, for the steps after it. */
export function areasOf(changes: readonly RowChange[]): Set<Area> {
  return new Set(
    changes.flatMap(({ table, before, after }): Area[] => {
      switch (table) {
        case 'summary_messages':
        case 'summary_sources':
          return ['edges']
        case 'context_items':
          return ['window']
        case 'messages':
          return ['tokens']
        case 'summaries':
          if (!before || !after) return ['summaries']
          return Object.keys(after).flatMap((column) => COLUMN_AREAS[column] ?? [])
        case 'large_files':
          return ['files']
        case 'conversation_locks':
        case 'compaction_runs':
          return ['operations']
        default:
          return ['index']
      }
    }),
  )
}

/** Returns the SHA-256 of everything that would be written. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 32)
}
