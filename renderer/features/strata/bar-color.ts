import { SUMMARY_LEVELS } from '#core/contract/lists.ts'
import type { Strata } from '#core/contract/strata.ts'
import { depthFill, mixThrough, type Palette } from './palette.ts'

export const COLOR_BY = ['depth', 'kind', 'compression', 'age', 'level', 'survival'] as const
export type ColorBy = (typeof COLOR_BY)[number]

/** The facts that determine the colour of a bar, or of several merged into one. */
export type BarFacts = {
  readonly depth: number
  readonly tokens: number
  readonly sourceTokens: number
  /** The newest time among the merged bars, or null when the file has none. */
  readonly createdAtMs: number | null
  /** The worst level among the merged bars, as an index of SUMMARY_LEVELS. */
  readonly level: number
}

/** Oldest and newest summary of the conversation. */
export type AgeRange = { readonly oldestMs: number; readonly newestMs: number }

/** The end of the scale is a summary that is a hundred times smaller than its sources. */
const LOG_FULL_COMPRESSION = Math.log(100)
const UNKNOWN_LEVEL = SUMMARY_LEVELS.indexOf('unknown')

/**
 * A ramp from little to much. Colour-blind users can distinguish its colours, and none of them is the colour of the
 * window.
 */
const ramp = ({ d3, d2, d1, leaf }: Palette): readonly string[] => [d3, d2, d1, leaf]

/** The colours of the levels, in the order of SUMMARY_LEVELS. */
const levelFills = ({ leaf, d1, d3, dim }: Palette): readonly string[] => [leaf, d1, d3, dim]

/** Returns the colour of a bar. A summary larger than its sources has the colour of an error. */
export function barFill(by: ColorBy, bar: BarFacts, palette: Palette, age: AgeRange): string {
  switch (by) {
    case 'depth':
    // What survived is written below the bar, which keeps its colour.
    case 'survival':
      return depthFill(palette, bar.depth)
    case 'kind':
      return kindFill(bar.depth, palette)
    case 'compression': {
      if (bar.sourceTokens <= 0 || bar.tokens <= 0) return palette.dim
      const ratio = bar.sourceTokens / bar.tokens
      return ratio < 1 ? palette.error : mixThrough(ramp(palette), Math.log(ratio) / LOG_FULL_COMPRESSION)
    }
    case 'age': {
      if (bar.createdAtMs === null) return palette.dim
      const range = age.newestMs - age.oldestMs
      return mixThrough(ramp(palette), range > 0 ? (bar.createdAtMs - age.oldestMs) / range : 1)
    }
    case 'level':
      return levelFills(palette)[bar.level] ?? palette.dim
  }
}

const kindFill = (depth: number, { leaf, d2 }: Palette): string => (depth <= 0 ? leaf : d2)

/** The steps of survival: up to which share of the details, how strong the colour of the window is, and its label. */
const SURVIVAL_STEPS = [
  { upTo: 0.2, strength: 0.4, label: '< 20 %' },
  { upTo: 0.45, strength: 0.58, label: '< 45 %' },
  { upTo: 0.75, strength: 0.76, label: '< 75 %' },
  { upTo: 1, strength: 0.9, label: '< all' },
] as const

/**
 * Returns the colour of messages by the share of their details that still stand in the window. Those with nothing left
 * are drawn hollow.
 */
export function survivalFill(kept: number, details: number, palette: Palette): { fill: string } | { stroke: string } {
  if (details === 0) return { fill: palette['line-strong'] }
  if (kept === 0) return { stroke: palette.dim }
  const step = SURVIVAL_STEPS.find(({ upTo }) => kept / details < upTo)
  return { fill: step === undefined ? palette.lit : litBy(step.strength, palette) }
}

const litBy = (strength: number, { ground, lit }: Palette): string => mixThrough([ground, lit], strength)

/** Returns the facts of the summaries in a part of a lane, merged. */
export function mergedFacts(
  summaries: Strata['summaries'],
  lane: readonly number[],
  { first, last }: { readonly first: number; readonly last: number },
): BarFacts {
  let tokens = 0
  let sourceTokens = 0
  let createdAtMs: number | null = null
  let level = -1
  for (let order = first; order <= last; order++) {
    const entry = lane[order] ?? 0
    tokens += summaries.tokens[entry] ?? 0
    sourceTokens += summaries.sourceTokens[entry] ?? 0
    const created = summaries.createdAtMs[entry] ?? null
    if (created !== null && (createdAtMs === null || created > createdAtMs)) createdAtMs = created
    const own = summaries.level[entry] ?? UNKNOWN_LEVEL
    if (own !== UNKNOWN_LEVEL) level = Math.max(level, own)
  }
  return {
    depth: summaries.depth[lane[first] ?? 0] ?? 0,
    tokens,
    sourceTokens,
    createdAtMs,
    level: level < 0 ? UNKNOWN_LEVEL : level,
  }
}

export function ageRange({ createdAtMs }: Strata['summaries']): AgeRange {
  let oldestMs = Number.POSITIVE_INFINITY
  let newestMs = Number.NEGATIVE_INFINITY
  for (const at of createdAtMs) {
    if (at === null) continue
    oldestMs = Math.min(oldestMs, at)
    newestMs = Math.max(newestMs, at)
  }
  return newestMs < oldestMs ? { oldestMs: 0, newestMs: 0 } : { oldestMs, newestMs }
}

type LegendEntry = { readonly color: string; readonly label: string; readonly isHollow?: boolean }

/** The meaning of the colours: named colours, and what they say of what, or a scale between two ends. */
export type Legend =
  | { readonly kind: 'names'; readonly of?: string; readonly entries: readonly LegendEntry[] }
  | { readonly kind: 'scale'; readonly stops: readonly string[]; readonly from: string; readonly to: string }

/** `formats` write a time, the shortest form first. The ends of a scale of ages differ in the chosen form. */
export function legendOf(
  by: ColorBy,
  palette: Palette,
  { oldestMs, newestMs }: AgeRange,
  formats: readonly ((atMs: number) => string)[],
): Legend {
  switch (by) {
    case 'depth':
      return { kind: 'names', entries: [] }
    case 'compression':
      return { kind: 'scale', stops: ramp(palette), from: '1×', to: '100×' }
    case 'survival':
      return {
        kind: 'names',
        of: 'details in the window',
        entries: [
          { color: palette.dim, label: 'none', isHollow: true },
          ...SURVIVAL_STEPS.map(({ strength, label }) => ({ color: litBy(strength, palette), label })),
          { color: palette.lit, label: 'all' },
          { color: palette['line-strong'], label: 'without details' },
        ],
      }
    case 'kind':
      return {
        kind: 'names',
        entries: [
          { color: kindFill(0, palette), label: 'first summary: made from messages' },
          { color: kindFill(1, palette), label: 'summary of summaries' },
        ],
      }
    case 'age': {
      const format = formats.find((each) => each(oldestMs) !== each(newestMs))
      if (format !== undefined)
        return { kind: 'scale', stops: ramp(palette), from: `made ${format(oldestMs)}`, to: format(newestMs) }
      const label = formats.at(-1)?.(oldestMs) ?? ''
      return { kind: 'names', entries: [{ color: ramp(palette).at(-1) ?? palette.dim, label: `all made ${label}` }] }
    }
    case 'level':
      return {
        kind: 'names',
        entries: SUMMARY_LEVELS.map((label, level) => ({
          color: levelFills(palette)[level] ?? palette.dim,
          label,
        })),
      }
  }
}
