import type { FactState, FactTrace } from '#core/contract/trace.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { plural } from '#renderer/ui/texts/format.ts'
import type { SummaryIndex } from './summary-index.ts'
import type { Viewport } from './viewport.ts'

/** How much of a message stands in one layer above it. */
export type CoreLayer = {
  /** The index of the summary in the columns, or null for the window. */
  readonly entry: number | null
  readonly depth: number | null
  readonly state: FactState
  readonly kept: number
  readonly details: number
}

/** What survives of a message in every layer above it, nearest first. */
export type Core = Viewport & { readonly layers: readonly CoreLayer[] }

/** Returns the layers of a trace that are in the drawing. */
export function coreOf({ ladder, others }: FactTrace, { entryOf }: SummaryIndex, at: Viewport): Core {
  const layers = [...ladder, ...others].flatMap((rung): readonly CoreLayer[] => {
    const entry = rung.id === null ? null : (entryOf(rung.id) ?? null)
    if (rung.kind === 'message' || (entry === null && rung.kind !== 'window')) return []
    return [{ entry, depth: rung.depth, state: rung.state, kept: rung.kept, details: rung.details }]
  })
  return { x0: at.x0, x1: at.x1, layers }
}

/** `Of 7 details: 5 in leaf, 3 in depth 1, 2 in the window`, or null when there is nothing to count. */
export function coreText({ layers }: Core): string | null {
  const details = Math.max(0, ...layers.map((layer) => layer.details))
  if (details === 0) return null
  const parts = layers.map(
    ({ depth, kept }) =>
      `${kept} in ${depth === null ? 'the window' : depth <= 0 ? 'first summaries' : depthLabel(depth)}`,
  )
  return `Of ${plural(details, 'detail')}: ${parts.join(', ')}`
}
