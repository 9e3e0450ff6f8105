import type { ChangedTables } from '../../core/contract/remote.ts'
import figures from '../ui/figure-table.module.css'
import { formatCount } from '../ui/format.ts'

type Props = { readonly label: string; readonly tables: ChangedTables }

/** How much of what was added, replaced and removed. */
export function ChangedTablesView({ label, tables }: Props) {
  return (
    <table className={figures.table} aria-label={label}>
      <thead>
        <tr>
          <th>{label}</th>
          <th>added</th>
          <th>replaced</th>
          <th>removed</th>
        </tr>
      </thead>
      <tbody>
        {tables.map(({ table, added, replaced, removed }) => (
          <tr key={table}>
            <td>{rowsOf(table)}</td>
            <td>{countOf(added)}</td>
            <td>{countOf(replaced)}</td>
            <td>{countOf(removed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const countOf = (count: number): string => (count === 0 ? '–' : formatCount(count))

/** What the rows of a table are called, of one and of several. */
const NAMES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  conversations: ['conversation', 'title and time of the conversation'],
  messages: ['message', 'messages'],
  message_parts: ['part', 'parts of messages'],
  summaries: ['summary', 'summaries'],
  summary_messages: ['messages of', 'lists of covered messages'],
  summary_sources: ['sources of', 'lists of source summaries'],
  context_items: ['window item', 'items of the window'],
  large_files: ['file', 'large files'],
  compaction_runs: ['compaction', 'compactions'],
  compaction_events: ['step', 'steps of compactions'],
  surgery_events: ['edit', 'edits by hand'],
}

const rowsOf = (table: string): string => NAMES[table]?.[1] ?? table
export const rowOf = (table: string): string => NAMES[table]?.[0] ?? table
