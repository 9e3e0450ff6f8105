import type { RowChange } from '../../../core/contract/repair.ts'

/** The new sources of a dependent whose former source was removed. */
export type Heir = { readonly id: string; readonly sources: readonly string[] }

/** Returns the new links of the dependents of a removed node. They are taken from the changed rows. */
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
