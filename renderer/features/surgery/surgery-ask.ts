/** A summary to operate on. */
export type Subject = { readonly id: string; readonly conversationId: number }

/** What was asked for, and of what. */
export type SurgeryAsk =
  | (Subject & { readonly kind: 'rewrite'; readonly subtree: boolean })
  | (Subject & { readonly kind: 'dissolve' })
  | (Subject & { readonly kind: 'transplant' })
  /** A path is the backup to look at first. */
  | { readonly kind: 'undo'; readonly backup: string | null }

export type NodeAsk = Exclude<SurgeryAsk, { readonly kind: 'undo' }>
export type Operation = 'rewrite' | 'subtree' | 'dissolve' | 'transplant'

/** What can be done to a summary, as a menu and the palette name it. */
const OPERATIONS: readonly { readonly operation: Operation; readonly label: string; readonly hint: string }[] = [
  { operation: 'rewrite', label: 'Rewrite…', hint: 'its text' },
  { operation: 'subtree', label: 'Rewrite subtree…', hint: 'from the leaves up' },
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
