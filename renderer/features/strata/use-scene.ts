import { skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Overview } from '#core/contract/memory.ts'
import type { Strata } from '#core/contract/strata.ts'
import { api, client } from '#renderer/api.ts'
import type { Size } from '#renderer/ui/charts/use-size.ts'
import { useColours } from '#renderer/ui/controls/theme.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import { useNames } from '#renderer/ui/nodes/use-names.ts'
import { useNotes } from '#renderer/ui/nodes/use-notes.ts'
import { formatCompact, plural } from '#renderer/ui/texts/format.ts'
import { ageRange, type ColorBy } from './bar-color.ts'
import { type Buckets, largestOf } from './buckets.ts'
import { type Core, coreOf } from './core-drill.ts'
import { namedNodes, wordsFrom } from './named-nodes.ts'
import { overviewLayers } from './overview-layers.ts'
import { readPalette } from './palette.ts'
import { placeFindings, placeNotes } from './place-nodes.ts'
import { type PlannedStep, placePlan, withPlannedDepths } from './planned-bars.ts'
import type { Replay } from './replay.ts'
import { layoutRows } from './row-layout.ts'
import type { RunFacts, Scene } from './scene.ts'
import { rangeOfMessage, rangeOfSummary, type SelectedRange } from './selected-range.ts'
import { NO_FILTER, type StrataFilter } from './strata-filter.ts'
import { indexSummaries, type SummaryIndex } from './summary-index.ts'
import { detailTile, overviewTile } from './tiles.ts'
import { useRange } from './use-range.ts'
import { useBuckets } from './use-strata-queries.ts'
import type { Viewport } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

type Input = {
  readonly strata: Strata
  readonly colorBy: ColorBy
  readonly selection: string | null
  readonly size: Size | null
  readonly motion: ViewportMotion
  readonly nowMs: number
  /** Steps of a plan to show among the summaries. */
  readonly planned?: readonly PlannedStep[]
  readonly focusedStep?: number | null
  /** A moment of the past, in place of the present. */
  readonly replay?: Replay | null
  /** What is shown in full. */
  readonly filter?: StrataFilter
  /** The range that is being dragged, null for the marked one. Without it no range is shown. */
  readonly draft?: Viewport | null
}

const NO_STEPS: readonly PlannedStep[] = []
/** While ages give no colours. */
const NO_AGES = { oldestMs: 0, newestMs: 0 }

/**
 * Gathers what a drawing depends on. The answer makes the scene of this very moment, since the viewport moves without
 * rendering; it changes when anything but the viewport does. Null before there is room to draw in.
 */
export function useScene({
  strata,
  colorBy,
  selection,
  size,
  motion,
  nowMs,
  planned = NO_STEPS,
  focusedStep = null,
  filter = NO_FILTER,
  replay = null,
  draft,
}: Input): (() => Scene) | null {
  const colours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page knows them
  const palette = useMemo(readPalette, [colours])
  const index = useMemo(() => withPlannedDepths(indexSummaries(strata), planned), [strata, planned])
  const found = useFindings()
  const hasFindings = useMemo(
    () => [...found.keys()].some((id) => index.entryOf(id) !== undefined || messageNumber(id) !== null),
    [found, index],
  )
  const age = useMemo(() => (colorBy === 'age' ? ageRange(strata.summaries) : NO_AGES), [strata, colorBy])
  const rows = useMemo(
    () =>
      size &&
      layoutRows({
        ...size,
        depths: index.rows.map(({ depth }) => depth),
        hasMarks: strata.marks.length > 0 || hasFindings,
        hasRuns: strata.runs.length > 0,
      }),
    [size, index, strata, hasFindings],
  )
  const layers = useCallback(
    () => (rows === null ? [] : overviewLayers(strata, index, rows.plot.left, rows.plot.width)),
    [strata, index, rows],
  )
  const settled = useSyncExternalStore(motion.subscribeSettled, motion.settled)
  const plotWidth = rows?.plot.width
  const overview = useBuckets(strata, plotWidth === undefined ? null : overviewTile(motion.limits, plotWidth), colorBy)
  const detail = useBuckets(
    strata,
    plotWidth === undefined ? null : detailTile(settled, motion.limits, plotWidth),
    colorBy,
  )
  const largestTokens = useMemo(() => largestOf([overview, detail]), [overview, detail])
  const selected = useSelectedRange(strata, index, selection, detail ?? overview)

  const bars = useMemo(() => placePlan(planned, strata, index, overview), [planned, strata, index, overview])
  const plan = useMemo(() => ({ bars, focused: focusedStep }), [bars, focusedStep])

  const findings = useMemo(
    () => placeFindings(found, strata, index, [detail, overview]),
    [found, strata, index, detail, overview],
  )

  const noted = useNotes()
  const notes = useMemo(
    () => placeNotes(noted.values(), strata, index, [detail, overview]),
    [noted, strata, index, detail, overview],
  )

  const runFacts = useRunFacts(strata)
  const core = useCore(draft === undefined || replay !== null ? null : selection, selected, index)
  const range = useRange({ strata, draft, detail, overview, findings })

  const fromPx = wordsFrom(innerWidth)
  const named = useMemo(
    () => (rows === null ? [] : namedNodes(strata, index, detail ?? overview, { ...settled, ...rows.plot }, fromPx)),
    [rows, strata, index, detail, overview, settled, fromPx],
  )
  const names = useNames(named)

  const facts = useWhileSame({
    strata,
    index,
    age,
    layers,
    overview,
    detail,
    largestTokens,
    selected,
    plan,
    findings,
    foundIds: found,
    notes,
    filter,
    runFacts,
    core,
    replay,
    range,
    names,
    wordsFromPx: fromPx,
    colorBy,
    palette,
    nowMs,
  })
  return useMemo(
    () => rows && (() => ({ ...facts, rows, scale: { ...motion.current, ...rows.plot } })),
    [facts, rows, motion],
  )
}

/** Returns the object of the render before while its values are the same. */
function useWhileSame<T extends object>(made: T): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the object consists of its values
  return useMemo(() => made, Object.values(made))
}

/** Returns the position of the selection on x. In messages it is exact, otherwise as exact as the columns. */
function useSelectedRange(
  strata: Strata,
  index: SummaryIndex,
  selection: string | null,
  buckets: Buckets | null,
): SelectedRange | null {
  const number = selection === null ? null : messageNumber(selection)
  const isPosition = strata.axis === 'messages'
  const { data: located } = useQuery(
    api.transcript.locate.queryOptions({
      input: selection !== null && number !== null && isPosition ? { id: selection } : skipToken,
    }),
  )
  return useMemo(() => {
    if (selection === null) return null
    const summary = rangeOfSummary(strata, index, selection)
    if (summary || number === null) return summary
    if (!isPosition) return buckets && rangeOfMessage(buckets, number)
    if (located === undefined || located.conversationId !== strata.conversationId) return null
    return { x0: located.position, x1: located.position + 1, entry: null, depth: -1 }
  }, [selection, strata, index, number, isPosition, buckets, located])
}

/** Who goes through messages by keys does not wait for the trace of each. */
const SETTLE_MS = 400
const STALE_MS = 30_000

/** Returns what survives of the selected message in every layer above it. Null for anything else, and until it is known. */
function useCore(selection: string | null, selected: SelectedRange | null, index: SummaryIndex): Core | null {
  const settled = useDebounced(selection, SETTLE_MS)
  const id = settled === selection && settled !== null && messageNumber(settled) !== null ? settled : null
  const { data } = useQuery({
    queryKey: ['trace', 'layers', id],
    queryFn: id === null ? skipToken : ({ signal }) => client.trace.fact({ id, ladderOnly: true }, { signal }),
    staleTime: STALE_MS,
    retry: false,
  })
  return useMemo(
    () => (id === null || data === undefined || selected === null ? null : coreOf(data, index, selected)),
    [id, data, selected, index],
  )
}

/** Returns what is known of the runs of a conversation, once it is there. */
function useRunFacts({ conversationId, runs }: Pick<Strata, 'conversationId' | 'runs'>): RunFacts | undefined {
  const { data } = useQuery(
    api.conversations.overview.queryOptions({ input: runs.length === 0 ? skipToken : { conversationId } }),
  )
  return useMemo(
    () => data && new Map(data.runs.map((run) => [run.runId, { name: nameOf(run), text: factsOf(run) }])),
    [data],
  )
}

/** A run that only took texts out of the window made no summary: it is no compaction. */
const nameOf = ({ pruned }: Overview['runs'][number]): 'pruned' | null => (pruned === undefined ? null : 'pruned')

const factsOf = ({ reason, created, tokensBefore, tokensAfter }: Overview['runs'][number]): string =>
  [
    reason,
    ...(created > 0 ? [plural(created, 'summary', 'summaries')] : []),
    ...(tokensBefore === null || tokensAfter === null
      ? []
      : [`${formatCompact(tokensBefore)} → ${formatCompact(tokensAfter)} tokens`]),
  ].join(' · ')
