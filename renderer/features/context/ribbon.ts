import type { AssembledContext, ContextItem } from '#core/contract/context.ts'
import { type Category, categoryOf } from './category.ts'

/** A segment of the ribbon: one item, or several that are each narrower than a pixel. */
export type Segment = {
  /** Left and right edge in CSS pixels. */
  readonly x0: number
  readonly x1: number
  /** The category of the largest item in it. */
  readonly category: Category
  /** Indexes into the items, and the largest item of the segment. */
  readonly main: number
  readonly first: number
  readonly last: number
  readonly items: number
  readonly tokens: number
}

type ItemRun = { first: number; last: number; main: number; mainTokens: number; items: number; tokens: number }

/**
 * The number of tokens at the right edge of the ribbon: the hard threshold, the budget or the size of the window,
 * whichever is largest.
 */
export function ribbonScale(window: Pick<AssembledContext, 'tokens' | 'budget' | 'hardThreshold'>): number {
  return Math.max(1, window.tokens, window.budget, window.budget * window.hardThreshold)
}

/**
 * Lays out the included items side by side, to scale. Items narrower than a pixel are merged with their neighbours and
 * never dropped, so the segments contain every token and every included item, in order.
 */
export function segmentsOf(items: readonly ContextItem[], widthPx: number, scaleTokens: number): readonly Segment[] {
  const perToken = widthPx / scaleTokens
  const runs: ItemRun[] = []
  let open: ItemRun | null = null
  for (const [index, item] of items.entries()) {
    if (!item.included) continue
    // A segment that is wide enough ends here, unless the next item is too narrow for one of its own.
    if (open !== null && open.tokens * perToken >= 1) {
      runs.push(open)
      open = null
    }
    open = open === null ? runOf(index, item.tokens) : joined(open, runOf(index, item.tokens))
  }
  if (open !== null) {
    const before = runs.at(-1)
    if (before !== undefined && open.tokens * perToken < 1) runs[runs.length - 1] = joined(before, open)
    else runs.push(open)
  }
  return placed(runs, items, perToken)
}

function runOf(index: number, tokens: number): ItemRun {
  return { first: index, last: index, main: index, mainTokens: tokens, items: 1, tokens }
}

function joined(a: ItemRun, b: ItemRun): ItemRun {
  const main = b.mainTokens > a.mainTokens ? b : a
  return {
    first: a.first,
    last: b.last,
    main: main.main,
    mainTokens: main.mainTokens,
    items: a.items + b.items,
    tokens: a.tokens + b.tokens,
  }
}

function placed(runs: readonly ItemRun[], items: readonly ContextItem[], perToken: number): readonly Segment[] {
  const segments: Segment[] = []
  let before = 0
  for (const { first, last, main, items: count, tokens } of runs) {
    const item = items[main]
    if (item === undefined) continue
    const x0 = before * perToken
    before += tokens
    segments.push({ x0, x1: before * perToken, category: categoryOf(item), main, first, last, items: count, tokens })
  }
  return segments
}

/** The segment under a point of the ribbon, by binary search; null past its end. */
export function segmentAt(segments: readonly Segment[], x: number): Segment | null {
  let low = 0
  let high = segments.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const segment = segments[middle]
    if (segment === undefined) return null
    if (x < segment.x0) high = middle - 1
    else if (x >= segment.x1) low = middle + 1
    else return segment
  }
  return null
}

/** Segments of one category as one SVG path of boxes, so that a thousand segments are a handful of elements. */
export function pathsByCategory(segments: readonly Segment[], heightPx: number): ReadonlyMap<Category, string> {
  const paths = new Map<Category, string>()
  for (const { x0, x1, category } of segments) {
    // A one-pixel gap between neighbours that are wide enough.
    const gap = x1 - x0 >= 3 ? 1 : 0
    const box = `M${round(x0)} 0H${round(x1 - gap)}V${heightPx}H${round(x0)}Z`
    paths.set(category, (paths.get(category) ?? '') + box)
  }
  return paths
}

function round(x: number): number {
  return Math.round(x * 100) / 100
}

/** When a window fills less than this share of the ribbon, its items cannot be distinguished. */
const READABLE_SHARE = 0.3

/** Tells whether the items have to be magnified. */
export function isTooSmallToRead(tokens: number, scaleTokens: number): boolean {
  return tokens > 0 && tokens / scaleTokens < READABLE_SHARE
}
