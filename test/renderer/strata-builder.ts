import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import { ageRange } from '#renderer/features/strata/bar-color.ts'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { overviewLayers } from '#renderer/features/strata/overview-layers.ts'
import { paletteFrom } from '#renderer/features/strata/palette.ts'
import { layoutRows } from '#renderer/features/strata/row-layout.ts'
import type { Scene } from '#renderer/features/strata/scene.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { type Viewport, wholeOf } from '#renderer/features/strata/viewport.ts'

/** A summary as far as a test cares. */
export type Bar = { readonly depth?: number; readonly x0: number; readonly x1: number; readonly inWindow?: boolean }

export const idAt = (entry: number): string => `sum_${String(entry).padStart(4, '0')}`

/** Columns out of bars, ordered as the core orders them. */
function summariesOf(bars: readonly Bar[]): Strata['summaries'] {
  const sorted = [...bars].sort((a, b) => (a.depth ?? 0) - (b.depth ?? 0) || a.x0 - b.x0)
  return {
    id: sorted.map((_, entry) => idAt(entry)),
    depth: sorted.map(({ depth = 0 }) => depth),
    x0: sorted.map(({ x0 }) => x0),
    x1: sorted.map(({ x1 }) => x1),
    tokens: sorted.map(() => 100),
    sourceTokens: sorted.map(() => 2500),
    messages: sorted.map(({ x0, x1 }) => Math.max(1, Math.round(x1 - x0))),
    createdAtMs: sorted.map((_, entry) => entry * 1000),
    level: sorted.map(() => 0),
    inWindow: sorted.map(({ inWindow = false }) => (inWindow ? 1 : 0)),
  }
}

/** A conversation of `extent` messages with nothing remarkable about it. */
export function strataOf(bars: readonly Bar[], rest: Partial<Strata> = {}): Strata {
  const extent = rest.extent ?? Math.max(1, ...bars.map(({ x1 }) => x1))
  return {
    conversationId: 1,
    axis: 'messages',
    extent,
    originMs: 0,
    totalMessages: extent,
    totalTokens: extent * 100,
    maxDepth: Math.max(-1, ...bars.map(({ depth = 0 }) => depth)),
    summaries: summariesOf(bars),
    window: [],
    freshTailX: extent,
    marks: [],
    runs: [],
    ticks: [],
    ...rest,
  }
}

/** A column for every message from `first` to `last`, the last of them not included. */
export function messageColumns(first: number, last: number, tokensOf = (_place: number) => 100): StrataMessages {
  const entries = Array.from({ length: last - first }, (_, i) => first + i)
  return {
    x0: entries,
    x1: entries.map((entry) => entry + 1),
    count: entries.map(() => 1),
    tokens: entries.map(tokensOf),
    maxTokens: entries.map(tokensOf),
    role: entries.map((entry) => entry % 4),
    inWindow: entries.map(() => 0),
    firstMessage: entries.map((entry) => entry + 1),
  }
}

/** A scene of the strata. By default its plot is 1000 pixels wide. */
export function sceneOf(strata: Strata, rest: Partial<Scene> & { readonly viewport?: Viewport } = {}): Scene {
  const { viewport = wholeOf({ extent: strata.extent, minWidth: 1 }), ...given } = rest
  const index = indexSummaries(strata)
  const rows = layoutRows({
    width: 1076,
    height: 380,
    depths: index.rows.map(({ depth }) => depth),
    hasMarks: strata.marks.length > 0,
    hasRuns: strata.runs.length > 0,
  })
  return {
    strata,
    index,
    age: ageRange(strata.summaries),
    layers: () => overviewLayers(strata, index, rows.plot.left, rows.plot.width),
    overview: toBuckets(messageColumns(0, Math.min(strata.extent, 2000)), { x0: 0, x1: strata.extent }),
    detail: null,
    largestTokens: 100,
    selected: null,
    colorBy: 'depth',
    palette: paletteFrom((token) => COLORS[token] ?? '#808080'),
    nowMs: Date.UTC(2026, 1, 18, 12),
    rows,
    scale: { ...viewport, ...rows.plot },
    ...given,
  }
}

const COLORS: Readonly<Record<string, string>> = {
  lit: '#f2b84b',
  leaf: '#41b8a6',
  d1: '#5c93ee',
  d2: '#9b82ee',
  d3: '#d672b4',
  error: '#f0705a',
  warning: '#eaa94a',
  text: '#d9dfe7',
}
