import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { groupMarks, markText } from './mark-groups.ts'
import type { Scene } from './scene.ts'
import { FONT_SIZE, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

const RADIUS = 5
const TEXT_GAP = 6
/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_WIDTH = FONT_SIZE * 0.56

/** Draws gaps and double coverage under the leaves: their position and extent, with words where they fit. */
export function drawMarks({ strata, rows, scale, palette }: Scene): Shape[] {
  const groups = groupMarks(strata.marks, scale)
  const y = rows.marks.y + rows.marks.h / 2
  const right = rows.plot.left + rows.plot.width
  return groups.flatMap((group, order): Shape[] => {
    const tone = group.uncovered > 0 ? 'error' : 'warning'
    const fill = palette[tone]
    const shapes: Shape[] = [
      {
        kind: 'rect',
        x: toPx(scale, group.x0),
        y: rows.marks.y,
        w: Math.max(toPx(scale, group.x1) - toPx(scale, group.x0), 1),
        h: 2,
        fill,
      },
      { kind: 'dot', form: 'diamond', x: group.px, y, radius: RADIUS, fill },
    ]
    const text = markText(group)
    const room = (groups[order + 1]?.px ?? right + RADIUS) - group.px - RADIUS * 2 - TEXT_GAP
    if (text.length * CHAR_WIDTH <= room)
      shapes.push({
        kind: 'text',
        x: group.px + RADIUS + TEXT_GAP,
        y,
        text,
        fill: palette[tone === 'error' ? 'error-text' : 'warning-text'],
        align: 'left',
      })
    return shapes
  })
}

const RUN_DOT = 2.5
const RUN_GAP = 7

/**
 * Draws a dot for each compaction run, and one dot for runs that would touch, with as many words as there is room for
 * until the next one. The nearest runs out of sight are named at the edges.
 */
export function drawCompactions({ strata, rows, scale, palette, runFacts, nowMs, replay }: Scene): Shape[] {
  const y = rows.runs.y + rows.runs.h / 2
  const { left, width } = rows.plot
  const right = left + width
  const runs = strata.runs
    .filter(({ x }) => replay == null || x <= replay.x)
    .sort((a, b) => a.x - b.x)
    .map((run, order) => ({ ...run, number: order + 1, px: toPx(scale, run.x) }))
  const shown: typeof runs = []
  for (const run of runs) {
    if (run.px < left - RUN_DOT || run.px > right + RUN_DOT) continue
    if (run.px - (shown.at(-1)?.px ?? Number.NEGATIVE_INFINITY) >= 3) shown.push(run)
  }
  const before = runs.findLast(({ px }) => px < left - RUN_DOT)
  const after = runs.find(({ px }) => px > right + RUN_DOT)
  const edge = (text: string, align: 'left' | 'right'): Shape => ({
    kind: 'text',
    x: align === 'left' ? left : right,
    y,
    text,
    fill: palette.dim,
    align,
  })
  const roomOf = (text: string): number => text.length * CHAR_WIDTH + RUN_GAP
  // A run in sight comes before a name at the edge.
  const named = (text: string, isFree: (room: number) => boolean) => (isFree(roomOf(text) + RUN_GAP) ? text : undefined)
  const atLeft = before && named(`‹ compaction ${before.number}`, (room) => (shown[0]?.px ?? right) >= left + room)
  const atRight = after && named(`compaction ${after.number} ›`, (room) => (shown.at(-1)?.px ?? left) <= right - room)
  return [
    ...(atLeft ? [edge(atLeft, 'left')] : []),
    ...(atRight ? [edge(atRight, 'right')] : []),
    ...shown.flatMap((run, order): readonly Shape[] => {
      const dot: Shape = { kind: 'dot', form: 'circle', x: run.px, y, radius: RUN_DOT, fill: palette.lit }
      const end = Math.min((shown[order + 1]?.px ?? right) - RUN_GAP, right - (atRight ? roomOf(atRight) : 0))
      const room = end - run.px - RUN_GAP
      const text = wordsOfRun(run, runFacts?.get(run.runId), nowMs).find((words) => words.length * CHAR_WIDTH <= room)
      return text === undefined
        ? [dot]
        : [dot, { kind: 'text', x: run.px + RUN_GAP, y, text, fill: palette.dim, align: 'left' }]
    }),
  ]
}

/** What can be said of a run, the longest first. */
function wordsOfRun(
  { number, atMs }: { readonly number: number; readonly atMs: number },
  facts: { readonly name: string | null; readonly text: string } | undefined,
  nowMs: number,
): readonly string[] {
  const name = facts?.name ?? `compaction ${number}`
  const when = `${name} · ${formatShort(atMs, nowMs)}`
  return [...(facts === undefined ? [] : [`${when} · ${facts.text}`]), when, name]
}
