import type { Role } from '#core/contract/ids.ts'
import { formatCount, plural } from '../texts/format.ts'

export type DepthToken = 'leaf' | 'd1' | 'd2' | 'd3'

/** The properties of a node that determine its colour and name. */
export type NodeLook = {
  readonly kind: 'message' | 'leaf' | 'condensed' | 'missing' | 'file'
  readonly depth?: number | null
  readonly role?: Role | null
}

/** Returns the token for a depth: leaf, d1, d2, and d3 for all deeper ones. */
export function depthToken(depth: number): DepthToken {
  if (depth <= 0) return 'leaf'
  if (depth === 1) return 'd1'
  return depth === 2 ? 'd2' : 'd3'
}

/** Returns the CSS colour of a bar or dot of this depth. */
export const depthColor = (depth: number): string => `var(--${depthToken(depth)})`

/** `first summary`, `depth 1`, … */
export const depthLabel = (depth: number): string => (depth <= 0 ? 'first summary' : `depth ${depth}`)

/** A layer in plain words: what its summaries are made of. */
export const layerName = (depth: number): string => (depth <= 0 ? 'first summaries' : 'summaries of summaries')

/** `7 first summaries, 2 at depth 1` */
export const depthCounts = (counts: readonly { readonly depth: number; readonly count: number }[]): string =>
  counts
    .toSorted((a, b) => a.depth - b.depth)
    .map(({ depth, count }) =>
      depth <= 0
        ? plural(count, 'first summary', 'first summaries').replaceAll(' ', '\u00a0')
        : `${formatCount(count)} at ${depthLabel(depth)}`.replaceAll(' ', '\u00a0'),
    )
    .join(', ')

/** Returns the name of a node's colour token, `faint` for a missing node. */
function nodeToken(node: NodeLook): string {
  if (node.kind === 'missing') return 'faint'
  if (node.kind === 'file') return 'link'
  if (node.kind === 'message') return node.role ?? 'assistant'
  return depthToken(node.depth ?? (node.kind === 'leaf' ? 0 : 1))
}

/** Returns the CSS colour of a bar or dot for this node. */
export const nodeColor = (node: NodeLook): string => `var(--${nodeToken(node)})`

/** Returns a CSS colour for readable text about this node. */
export function nodeTextColor(node: NodeLook): string {
  const token = nodeToken(node)
  if (token === 'faint') return 'var(--dim)'
  return token === 'link' ? 'var(--link)' : `var(--${token}-text)`
}

/** Returns the name of a node in a list: `user`, `leaf`, `depth 2`, `missing`, `file`. */
export function nodeLabel(node: NodeLook): string {
  if (node.kind === 'message') return node.role ?? 'message'
  if (node.kind === 'missing' || node.kind === 'file') return node.kind
  return depthLabel(node.depth ?? (node.kind === 'leaf' ? 0 : 1))
}
