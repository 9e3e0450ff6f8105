import type { Overview } from '../../../core/contract/memory.ts'
import { depthLabel } from '../../ui/depth-color.ts'
import { formatCount } from '../../ui/format.ts'

/** One figure per role or depth. */
export type Breakdown = Overview['roles'][number]

/** Says how far the active tokens are from the next threshold. */
export function roomText(tokens: number, budgetTokens: number, soft: number, hard: number): string {
  const toSoft = Math.round(soft * budgetTokens) - tokens
  const toHard = Math.round(hard * budgetTokens) - tokens
  if (toSoft > 0) return `soft threshold in ${formatCount(toSoft)} tokens`
  if (toHard > 0) return `past the soft threshold, hard threshold in ${formatCount(toHard)} tokens`
  return `past the hard threshold by ${formatCount(-toHard)} tokens`
}

/** A row of a table with its share of the total. */
export type Share = Breakdown & { readonly label: string; readonly share: number }

/** Rows with their share of all tokens, in the given order. */
export function withShares(rows: readonly Breakdown[], label: (key: string) => string): readonly Share[] {
  const all = rows.reduce((sum, row) => sum + row.tokens, 0)
  return rows.map((row) => ({ ...row, label: label(row.key), share: all === 0 ? 0 : row.tokens / all }))
}

/** Depths from the top layer down to the leaves, as in the strata. */
export const byDepth = (rows: readonly Breakdown[]): readonly Breakdown[] =>
  rows.toSorted((a, b) => Number(b.key) - Number(a.key))

/** `depth 2`, `leaf`. A key that is not a number is returned unchanged. */
export const depthName = (key: string): string => (/^\d+$/.test(key) ? depthLabel(Number(key)) : key)

/** Returns source tokens ÷ own tokens, or null when either is not known. */
export function compressionOf({ tokens, sourceTokens }: Breakdown): number | null {
  return sourceTokens === null || tokens === 0 ? null : sourceTokens / tokens
}
