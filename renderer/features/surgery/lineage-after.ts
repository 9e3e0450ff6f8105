import type { RowChange } from '../../../core/contract/repair.ts'

/** What a dependent rests on instead of a node that goes. */
export type Heir = { readonly id: string; readonly sources: readonly string[] }

/** Read off the changed rows: links that are added to nodes which rested on the one that goes. */
export function lineageAfter(changes: readonly RowChange[], goneId: string): readonly Heir[] {
  const links = changes.filter(({ table }) => table === 'summary_sources' || table === 'summary_messages')
  const dependents = new Set(
    links
      .filter(({ key, after }) => after === null && key.source_summary_id === goneId)
      .map(({ key }) => String(key.summary_id)),
  )
  return [...dependents].map((id) => ({
    id,
    sources: links
      .filter(({ key, before }) => before === null && key.summary_id === id)
      .map(({ key }) => (key.source_summary_id == null ? `msg_${key.message_id}` : String(key.source_summary_id))),
  }))
}
