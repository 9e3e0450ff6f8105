/** A summary to operate on. */
export type Subject = { readonly id: string; readonly conversationId: number }

/** A requested operation with its subject. */
export type SurgeryAsk =
  | (Subject & { readonly kind: 'rewrite'; readonly subtree: boolean })
  | (Subject & { readonly kind: 'dissolve' })
  | (Subject & { readonly kind: 'transplant' })
  /** The path of the backup to select, or null for the list. */
  | { readonly kind: 'undo'; readonly backup: string | null }

export type NodeAsk = Exclude<SurgeryAsk, { readonly kind: 'undo' }>
export type Operation = 'rewrite' | 'subtree' | 'dissolve' | 'transplant'

/** The operations on a summary under the names of the menu and the palette. */
const OPERATIONS: readonly { readonly operation: Operation; readonly label: string; readonly hint: string }[] = [
  { operation: 'rewrite', label: 'Rewrite…', hint: 'its text' },
  { operation: 'subtree', label: 'Rewrite subtree…', hint: 'from the first summaries up' },
  { operation: 'dissolve', label: 'Dissolve…', hint: 'its sources instead' },
  { operation: 'transplant', label: 'Transplant…', hint: 'a copy elsewhere' },
]

/** A leaf covers only messages, so rewriting its subtree is rewriting the leaf. */
export const operationsOf = (kind: string) =>
  OPERATIONS.filter(({ operation }) => operation !== 'subtree' || kind === 'condensed')

export function askFor(operation: Operation, { id, conversationId }: Subject): NodeAsk {
  const subject = { id, conversationId }
  if (operation === 'dissolve' || operation === 'transplant') return { kind: operation, ...subject }
  return { kind: 'rewrite', ...subject, subtree: operation === 'subtree' }
}
