import type { RowChange } from '#core/contract/repair.ts'
import type { SurgeryPreview, SurgeryResult } from '#core/contract/surgery.ts'
import { formatCount, formatPercent } from '#renderer/ui/texts/format.ts'
import type { NodeAsk } from './surgery-ask.ts'

/** `Rewrite a summary` */
export function askTitle(ask: NodeAsk): string {
  switch (ask.kind) {
    case 'rewrite':
      return ask.subtree ? 'Rewrite a summary and all summaries that it covers' : 'Rewrite a summary'
    case 'dissolve':
      return 'Dissolve a summary'
    case 'transplant':
      return 'Transplant a summary'
  }
}

/** Describes an operation in a sentence. */
export function askText(ask: NodeAsk): string {
  switch (ask.kind) {
    case 'rewrite':
      return ask.subtree
        ? 'Every summary that it covers is rewritten from its sources, first summaries first, then this one. Ids and links stay.'
        : 'Its text is rewritten, from its sources or by hand. Its id and its links stay.'
    case 'dissolve':
      return 'The summary is removed. Its sources take its place in the window and among the sources of its dependents.'
    case 'transplant':
      return 'The summary is copied with all that it covers into another conversation, under new ids. The original stays.'
  }
}

/** The label of the button that carries out the operation. */
export const applyLabel = (kind: NodeAsk['kind']): string =>
  ({ rewrite: 'Write the new text', dissolve: 'Dissolve', transplant: 'Transplant' })[kind]

/** `1,204 → 980 tokens, −19 %` */
export function tokensText(before: number, after: number): string {
  const change = before > 0 ? (after - before) / before : 0
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±'
  return `${formatCount(before)} → ${formatCount(after)} tokens${before > 0 ? `, ${sign}${formatPercent(Math.abs(change))}` : ''}`
}

/** True when nothing would be written. */
export const isEmpty = ({ rows, nodes }: Pick<SurgeryPreview, 'rows' | 'nodes'>): boolean =>
  rows === 0 && nodes.length === 0

/** Describes the result. */
export function resultTitle({ rolledBack, backup }: Pick<SurgeryResult, 'rolledBack' | 'backup'>): string {
  if (rolledBack !== null) return 'Rolled back: nothing was kept'
  return backup === null ? 'There was nothing to change' : 'Done'
}

/** The new sources of a dependent whose former source was removed. */
type Heir = { readonly id: string; readonly sources: readonly string[] }

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
