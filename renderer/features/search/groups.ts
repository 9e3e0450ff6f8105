import type { GrepHit } from '../../../core/contract/retrieval.ts'

/** Hits are grouped by their conversation, or by the summary in the window that covers them. */
export type Grouping = 'conversation' | 'cover'

/** What hits have in common. `key` tells groups apart. */
export type Group = { readonly key: string; readonly conversationId: number } & (
  | { readonly kind: 'conversation' }
  /** This summary of the window stands for them. */
  | { readonly kind: 'cover'; readonly id: string }
  /** Stand in the window themselves. */
  | { readonly kind: 'window' }
  /** The model reaches them through nothing. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'files' }
)

/** The group of a hit. */
export function groupOf(hit: GrepHit, grouping: Grouping): Group {
  const { conversationId } = hit
  if (grouping === 'conversation')
    return { kind: 'conversation', key: `conversation ${conversationId}`, conversationId }
  if (hit.kind === 'file') return { kind: 'files', key: `files ${conversationId}`, conversationId }
  if (hit.inContext) return { kind: 'window', key: `window ${conversationId}`, conversationId }
  if (hit.coverInWindow === null) return { kind: 'unseen', key: `unseen ${conversationId}`, conversationId }
  return { kind: 'cover', key: `cover ${hit.coverInWindow}`, id: hit.coverInWindow, conversationId }
}
