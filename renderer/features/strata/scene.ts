import type { Strata, StrataMessages } from '../../../core/contract/strata.ts'
import type { AgeRange, ColorBy } from './bar-color.ts'
import type { Palette } from './palette.ts'
import type { PlacedFinding } from './place-findings.ts'
import type { PlanOverlay } from './planned-bars.ts'
import type { RowLayout } from './row-layout.ts'
import type { SummaryIndex } from './summary-index.ts'
import type { Scale, Viewport } from './viewport.ts'

/** Messages of a stretch, as fetched. */
export type Buckets = Viewport & {
  readonly columns: StrataMessages
  /** 0, 1, 2 …: every column, for what walks through a list of places. */
  readonly places: readonly number[]
}

/** What is selected, where it can be shown on x. */
export type SelectedStretch = {
  readonly x0: number
  readonly x1: number
  /** Place of the summary in the columns; null for a message. */
  readonly place: number | null
  /** −1 for a message. */
  readonly depth: number
}

/** What stays the same while the view is panned and zoomed. */
export type SceneContent = {
  readonly strata: Strata
  readonly index: SummaryIndex
  readonly age: AgeRange
  /** The whole history, coarse. */
  readonly overview: Buckets | null
  /** What is in sight and a little around it, fine. */
  readonly detail: Buckets | null
  /** Tokens of the largest message: the full height of the histogram at every zoom. */
  readonly largestTokens: number
  readonly selected: SelectedStretch | null
  /** Nodes that a plan would make, where one is shown. */
  readonly plan?: PlanOverlay | undefined
  /** What the last scan says of single nodes, from left to right. */
  readonly findings?: readonly PlacedFinding[] | undefined
  readonly colorBy: ColorBy
  readonly palette: Palette
  readonly nowMs: number
}

/** Everything that a drawing depends on. */
export type Scene = SceneContent & { readonly rows: RowLayout; readonly scale: Scale }

export const toBuckets = (columns: StrataMessages, stretch: Viewport): Buckets => ({
  x0: stretch.x0,
  x1: stretch.x1,
  columns,
  places: columns.x0.map((_, place) => place),
})

/** A message of this many tokens is no small one: where all are smaller, none reaches the full height. */
const LEAST_FULL_TOKENS = 400

export const largestOf = (buckets: readonly (Buckets | null)[]): number =>
  buckets.reduce(
    (most, each) => each?.columns.maxTokens.reduce((a, b) => Math.max(a, b), most) ?? most,
    LEAST_FULL_TOKENS,
  )

/** Opacity of what the model no longer sees itself, of what belongs to the selection, and of the rest. */
export const DIMMED = 0.4
export const OF_SELECTION = 0.85

/** Whether a stretch lies within the selected one. */
export function isWithin(selected: SelectedStretch | null, x0: number, x1: number): boolean {
  if (selected === null) return false
  const slack = (selected.x1 - selected.x0) * 1e-6
  return x0 >= selected.x0 - slack && x1 <= selected.x1 + slack
}
