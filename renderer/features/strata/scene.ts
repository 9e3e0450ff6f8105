import type { Strata } from '#core/contract/strata.ts'
import type { NameMap } from '#renderer/ui/nodes/use-names.ts'
import type { AgeRange, ColorBy } from './bar-color.ts'
import type { Buckets } from './buckets.ts'
import type { Core } from './core-drill.ts'
import type { OverviewBar } from './overview-layers.ts'
import type { Palette } from './palette.ts'
import type { PlacedFinding, PlacedNote } from './place-nodes.ts'
import type { PlanOverlay } from './planned-bars.ts'
import type { Replay } from './replay.ts'
import type { RowLayout } from './row-layout.ts'
import type { SelectedRange } from './selected-range.ts'
import type { StrataFilter } from './strata-filter.ts'
import type { SummaryIndex } from './summary-index.ts'
import type { ShownRange } from './use-range.ts'
import type { Scale } from './viewport.ts'

/** What is known of runs besides their moment, by their ids: `threshold · 8 summaries · 16.2 k → 2.4 k tokens`. */
export type RunFacts = ReadonlyMap<string, { readonly name: string | null; readonly text: string }>

/** The part of a scene that stays the same while the view is panned and zoomed. */
type SceneContent = {
  readonly strata: Strata
  readonly index: SummaryIndex
  readonly age: AgeRange
  /** The layers of the whole conversation, as the overview draws them: found when they are first painted. */
  readonly layers: () => readonly OverviewBar[]
  /** The messages of the whole conversation, in coarse columns. */
  readonly overview: Buckets | null
  /** The messages in sight and around it, in fine columns. */
  readonly detail: Buckets | null
  /** The tokens of the largest message, which has the full height of the histogram at every zoom. */
  readonly largestTokens: number
  readonly selected: SelectedRange | null
  /** The nodes of a plan, if one is shown. */
  readonly plan?: PlanOverlay | undefined
  /** Findings of the last scan by node, from left to right. */
  readonly findings?: readonly PlacedFinding[] | undefined
  /** What is pinned or noted, from left to right. */
  readonly notes?: readonly PlacedNote[] | undefined
  /** What is known of compaction runs, by their ids. */
  readonly runFacts?: RunFacts | undefined
  /** What survives of the selected message in the layers above it. */
  readonly core?: Core | null | undefined
  /** A moment of the past, in place of the present. */
  readonly replay?: Replay | null | undefined
  /** What is shown in full; the rest is faint. */
  readonly filter?: StrataFilter | undefined
  /** The ids of the nodes with findings. */
  readonly foundIds?: Pick<ReadonlySet<string>, 'has'> | undefined
  /** The range that is marked or being dragged. */
  readonly range?: ShownRange | null | undefined
  /** What nodes are called, by their ids, as far as it is known. */
  readonly names?: NameMap | undefined
  /** From this width on, in CSS pixels, messages have room for words. */
  readonly wordsFromPx?: number | undefined
  readonly colorBy: ColorBy
  readonly palette: Palette
  readonly nowMs: number
}

/** Everything that a drawing depends on. */
export type Scene = SceneContent & { readonly rows: RowLayout; readonly scale: Scale }

/** The opacity of what the model no longer sees itself, of the selection, and of the rest. */
export const DIMMED = 0.4
export const OF_SELECTION = 0.85

/** True when a range is within the selected one. */
export function isWithin(selected: SelectedRange | null, x0: number, x1: number): boolean {
  if (selected === null) return false
  const slack = (selected.x1 - selected.x0) * 1e-6
  return x0 >= selected.x0 - slack && x1 <= selected.x1 + slack
}
