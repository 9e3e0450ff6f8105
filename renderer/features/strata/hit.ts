import type { Strata } from '#core/contract/strata.ts'
import type { Buckets } from './buckets.ts'
import { NARROW_PX, summaryBox } from './draw-summaries.ts'
import { groupMarks, type MarkGroup } from './mark-groups.ts'
import { firstNotBelow } from './merge-narrow.ts'
import type { Band } from './row-layout.ts'
import type { Scene } from './scene.ts'
import { toPx, toX } from './viewport.ts'

/** The thing under a point of the drawing. */
export type Hit =
  | { readonly kind: 'summary'; readonly entry: number }
  | {
      readonly kind: 'summaries'
      readonly depth: number
      readonly count: number
      readonly x0: number
      readonly x1: number
    }
  | MessagesHit
  | { readonly kind: 'window'; readonly run: Strata['window'][number] }
  | { readonly kind: 'mark'; readonly mark: MarkGroup }
  | { readonly kind: 'planned'; readonly step: number }
  | { readonly kind: 'compaction'; readonly run: Strata['runs'][number] }

/** One message, or several merged into one column. */
type MessagesHit = {
  readonly kind: 'messages'
  readonly x0: number
  readonly x1: number
  readonly count: number
  readonly tokens: number
  readonly largestTokens: number
  /** Index into ROLES. */
  readonly role: number
  readonly inWindow: number
  /** The number of the first message. */
  readonly firstMessage: number
}

/** A point within this many CSS pixels of something thin hits it. */
const NEAR_PX = 4

const isIn = (band: Band, y: number, slack = 0): boolean => y >= band.y - slack && y <= band.y + band.h + slack

/** Returns what is drawn at a point, or null. */
export function hitStrata(scene: Scene, px: number, py: number): Hit | null {
  const { rows, strata } = scene
  if (px < rows.plot.left - NEAR_PX || px > rows.plot.left + rows.plot.width + NEAR_PX) return null
  const order = rows.depths.findIndex((band) => isIn(band, py))
  if (order >= 0) return hitSummary(scene, order, px, py) ?? hitPlanned(scene, order, px)
  if (py > rows.messages.y - 4 && py < rows.axisY) return hitMessages(scene, px)
  if (isIn(rows.window, py, 6)) return hitWindow(scene, px)
  if (isIn(rows.marks, py) && strata.marks.length > 0) return hitMark(scene, px)
  if (isIn(rows.runs, py) && strata.runs.length > 0) return hitCompaction(scene, px)
  return null
}

function hitSummary(scene: Scene, order: number, px: number, py: number): Hit | null {
  const { summaries } = scene.strata
  const x = toX(scene.scale, px)
  for (const lane of scene.index.rows[order]?.lanes ?? []) {
    const at = nearestIn(summaries.x0, summaries.x1, lane, x, scene, NEAR_PX / 2)
    const entry = at === null ? undefined : lane[at]
    if (at === null || entry === undefined) continue
    const box = summaryBox(scene, entry)
    if (box === null || py < box.y - 1 || py > box.y + box.h + 1) continue
    return narrowGroup(scene, lane, at) ?? { kind: 'summary', entry }
  }
  return null
}

/** Returns the planned node at a point. Among several narrow ones, it is the nearest. */
function hitPlanned(scene: Scene, order: number, px: number): Hit | null {
  const depth = scene.rows.depths[order]?.depth
  const entries = depth === undefined ? undefined : scene.plan?.bars.rows.get(depth)
  if (scene.plan === undefined || entries === undefined) return null
  const { x0, x1, step } = scene.plan.bars
  const at = nearestIn(x0, x1, entries, toX(scene.scale, px), scene, NEAR_PX / 2)
  const found = at === null ? undefined : step[entries[at] ?? 0]
  return found === undefined ? null : { kind: 'planned', step: found }
}

/** Returns the bars around one that is too narrow to be selected by itself. */
function narrowGroup(scene: Scene, lane: readonly number[], at: number): Hit | null {
  const { summaries } = scene.strata
  const middle = toPx(scene.scale, summaries.x0[lane[at] ?? 0] ?? 0)
  const belongs = (order: number) => {
    const entry = lane[order]
    if (entry === undefined) return false
    const px0 = toPx(scene.scale, summaries.x0[entry] ?? 0)
    return Math.abs(px0 - middle) < NARROW_PX && toPx(scene.scale, summaries.x1[entry] ?? 0) - px0 < NARROW_PX
  }
  if (!belongs(at)) return null
  let first = at
  let last = at
  while (belongs(first - 1)) first--
  while (belongs(last + 1)) last++
  if (first === last) return null
  return {
    kind: 'summaries',
    depth: summaries.depth[lane[at] ?? 0] ?? 0,
    count: last - first + 1,
    x0: summaries.x0[lane[first] ?? 0] ?? 0,
    x1: summaries.x1[lane[last] ?? 0] ?? 0,
  }
}

/** Returns the range at x, or the nearest one within `slackPx`. */
function nearestIn(
  x0: readonly number[],
  x1: readonly number[],
  entries: readonly number[],
  x: number,
  { scale }: Scene,
  slackPx: number,
): number | null {
  const slack = (slackPx * (scale.x1 - scale.x0)) / scale.width
  const after = firstNotBelow(x1, entries, x)
  const distance = (order: number) => {
    const entry = entries[order]
    if (entry === undefined) return Number.POSITIVE_INFINITY
    return Math.max((x0[entry] ?? 0) - x, x - (x1[entry] ?? 0), 0)
  }
  const nearest = distance(after) <= distance(after - 1) ? after : after - 1
  return distance(nearest) <= slack ? nearest : null
}

function hitMessages(scene: Scene, px: number): MessagesHit | null {
  const x = toX(scene.scale, px)
  const { detail, overview } = scene
  const buckets = detail && x >= detail.x0 && x <= detail.x1 ? detail : overview
  if (buckets === null) return null
  const { columns, entries } = buckets
  const at = nearestIn(columns.x0, columns.x1, entries, x, scene, NEAR_PX)
  return at === null ? null : mergedColumn(scene, buckets, at)
}

function mergedColumn(scene: Scene, { columns }: Buckets, at: number): MessagesHit {
  const middle = toPx(scene.scale, columns.x0[at] ?? 0)
  const isNear = (entry: number) => {
    const start = columns.x0[entry]
    return start !== undefined && Math.abs(toPx(scene.scale, start) - middle) < NARROW_PX / 2
  }
  let first = at
  let last = at
  while (isNear(first - 1)) first--
  while (isNear(last + 1)) last++
  const hit = {
    kind: 'messages' as const,
    x0: columns.x0[first] ?? 0,
    x1: columns.x1[last] ?? 0,
    count: 0,
    tokens: 0,
    largestTokens: 0,
    role: columns.role[at] ?? 0,
    inWindow: 0,
    firstMessage: columns.firstMessage[first] ?? 0,
  }
  for (let entry = first; entry <= last; entry++) {
    hit.count += columns.count[entry] ?? 0
    hit.tokens += columns.tokens[entry] ?? 0
    hit.largestTokens = Math.max(hit.largestTokens, columns.maxTokens[entry] ?? 0)
    hit.inWindow += columns.inWindow[entry] ?? 0
  }
  return hit
}

function hitWindow({ strata, scale }: Scene, px: number): Hit | null {
  const x = toX(scale, px)
  const run = strata.window.find(({ x0, x1 }) => x >= x0 && x <= x1)
  return run ? { kind: 'window', run } : null
}

function hitMark({ strata, scale }: Scene, px: number): Hit | null {
  const mark = groupMarks(strata.marks, scale).find((group) => Math.abs(group.px - px) <= NEAR_PX + 5)
  return mark ? { kind: 'mark', mark } : null
}

function hitCompaction({ strata, scale }: Scene, px: number): Hit | null {
  const run = strata.runs.find(({ x }) => Math.abs(toPx(scale, x) - px) <= NEAR_PX)
  return run ? { kind: 'compaction', run } : null
}
