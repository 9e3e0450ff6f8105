import { ROLES } from '#core/contract/lists.ts'
import type { StrataMessages } from '#core/contract/strata.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { survivalFill } from './bar-color.ts'
import type { Buckets } from './buckets.ts'
import { mergeNarrow, type Run } from './merge-narrow.ts'
import { hasMessageWords } from './named-nodes.ts'
import { roleFill } from './palette.ts'
import type { Replay } from './replay.ts'
import { DIMMED, isWithin, OF_SELECTION, type Scene } from './scene.ts'
import type { Rect, Shape } from './shapes.ts'
import { FILTERED_OUT, isColumnShown } from './strata-filter.ts'
import { toPx, type Viewport } from './viewport.ts'

const COLUMN_PX = 1.5
/** The opacity of the part above the mean. */
const PALE = 0.45

/** Draws the histogram of the messages: fine where it has been fetched, coarse elsewhere. */
export function drawMessages(scene: Scene): Shape[] {
  const { detail, overview } = scene
  const isOutside = (x0: number, x1: number) => detail === null || x1 <= detail.x0 || x0 >= detail.x1
  const around = overview ? drawBuckets(scene, overview, isOutside) : []
  const columns = detail ? [...around, ...drawBuckets(scene, detail, () => true)] : around
  return hasWords(scene) ? [...columns, ...drawWords(scene, detail ?? overview)] : columns
}

/** The height of the line of words below the histogram. */
const WORDS_HEIGHT = 16

/** True when the view is so near that every message has room for words. */
const hasWords = ({ names, wordsFromPx, scale, strata, replay }: Scene): boolean =>
  replay == null && names !== undefined && wordsFromPx !== undefined && hasMessageWords(scale, strata.axis, wordsFromPx)

/** Whether the last of some merged messages stood in the window itself. */
function isRawAt({ window, x }: Replay, { x1 }: Viewport): boolean {
  const end = Math.min(x1, x)
  return window[firstIndex(window.length, (part) => (window[part]?.x1 ?? 0) >= end)]?.isRaw ?? false
}

/** Draws what each message in sight says, up to the next one. */
function drawWords({ names, scale, rows, palette }: Scene, buckets: Buckets | null): Shape[] {
  if (buckets === null) return []
  const { x0, x1, role, firstMessage } = buckets.columns
  const right = scale.left + scale.width
  const y = rows.messages.y + rows.messages.h - WORDS_HEIGHT / 2 + 2
  return buckets.entries.flatMap((entry): readonly Shape[] => {
    const [start = 0, end = 0] = [x0[entry], x1[entry]]
    const text = names?.get(`msg_${firstMessage[entry]}`)
    if (text === undefined || end <= scale.x0 || start >= scale.x1) return []
    const x = Math.max(toPx(scale, start), scale.left) + 3
    const fill = ROLES[role[entry] ?? 0] === 'tool' ? palette.dim : palette.text
    const maxWidth = Math.min(toPx(scale, end), right) - x - 4
    return [{ kind: 'text', x, y, text: withSigns(text), fill, align: 'left', maxWidth }]
  })
}

function drawBuckets(
  scene: Scene,
  { columns, entries, survival }: Buckets,
  isWanted: (x0: number, x1: number) => boolean,
): Rect[] {
  const rects: Rect[] = []
  const { replay } = scene
  for (const run of mergeNarrow({ x0: columns.x0, x1: columns.x1, entries }, scene.scale, COLUMN_PX)) {
    const x0 = columns.x0[run.first] ?? 0
    const x1 = columns.x1[run.last] ?? 0
    if (replay != null && x0 >= replay.x) break
    if (isWanted(x0, x1)) rects.push(...drawColumn(scene, { columns, survival }, run, { x0, x1 }))
  }
  return rects
}

/**
 * Draws a column as high as its largest message. A column with several messages is full up to their mean and paler
 * above.
 */
function drawColumn(scene: Scene, { columns, survival }: Columns, run: Run, range: Viewport): readonly Rect[] {
  const { y: top, h } = scene.rows.messages
  const full = hasWords(scene) ? h - WORDS_HEIGHT : h
  const merged = mergeColumns(columns, run)
  const width = run.px1 - run.px0
  const gap = width >= 6 ? 1.5 : width >= 2 ? 0.75 : 0
  // Pale colours of a scale could not be told from each other.
  const isInWindow = scene.replay == null ? merged.inWindow > 0 : isRawAt(scene.replay, range)
  const isPlain = isInWindow || scene.colorBy === 'survival'
  const opacity = isPlain ? 1 : isWithin(scene.selected, range.x0, range.x1) ? OF_SELECTION : DIMMED
  const look = columnLook(scene, { columns, survival }, run, merged)
  const shown = isColumnShown(scene, columns, run) ? 1 : FILTERED_OUT
  const upTo = (tokens: number, share: number): Rect => {
    const height = Math.max(1, columnHeight(tokens, scene.largestTokens) * full)
    const box = { x: run.px0 + gap / 2, y: top + full - height, w: Math.max(width - gap, 1), h: height }
    const faded = opacity * share * shown
    if ('fill' in look) return { kind: 'rect', ...box, fill: look.fill, opacity: faded }
    // A column that is too narrow to be hollow is pale.
    if (box.w < LEAST_HOLLOW_PX) return { kind: 'rect', ...box, fill: look.stroke, opacity: faded * 0.35 }
    const inner = { x: box.x + 0.5, y: box.y + 0.5, w: box.w - 1, h: Math.max(box.h - 1, 0.5) }
    return { kind: 'rect', ...inner, stroke: look.stroke, opacity: faded }
  }
  if (merged.count <= 1) return [upTo(merged.largest, 1)]
  return [upTo(merged.largest, PALE), upTo(merged.tokens / merged.count, 1 - PALE)]
}

type Columns = Pick<Buckets, 'columns' | 'survival'>

const LEAST_HOLLOW_PX = 4

/** By role, or by what is left of the details in the window. What is in the window itself has all of them. */
function columnLook(
  { colorBy, palette }: Scene,
  { columns, survival }: Columns,
  { first, last }: Run,
  { loudest, count, inWindow }: ReturnType<typeof mergeColumns>,
): { fill: string } | { stroke: string } {
  if (colorBy !== 'survival') return { fill: roleFill(palette, columns.role[loudest] ?? 0) }
  if (count > 0 && inWindow === count) return { fill: palette.lit }
  let [details, kept] = [0, 0]
  for (let entry = first; entry <= last; entry++) {
    details += survival?.details[entry] ?? 0
    kept += survival?.kept[entry] ?? 0
  }
  return survivalFill(kept, details, palette)
}

function mergeColumns(columns: StrataMessages, { first, last }: Run) {
  const merged = { count: 0, tokens: 0, largest: 0, inWindow: 0, loudest: first }
  for (let entry = first; entry <= last; entry++) {
    merged.count += columns.count[entry] ?? 0
    merged.tokens += columns.tokens[entry] ?? 0
    merged.largest = Math.max(merged.largest, columns.maxTokens[entry] ?? 0)
    merged.inWindow += columns.inWindow[entry] ?? 0
    if ((columns.tokens[entry] ?? 0) > (columns.tokens[merged.loudest] ?? 0)) merged.loudest = entry
  }
  return merged
}

/**
 * Returns the share of the row's height. It is logarithmic, because one tool result may be as large as a thousand
 * questions.
 */
const columnHeight = (tokens: number, largestTokens: number): number =>
  Math.log1p(tokens / 24) / Math.log1p(Math.max(largestTokens, 1) / 24)
