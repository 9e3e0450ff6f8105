/** A horizontal band of the drawing, in CSS pixels. */
export type Band = { readonly y: number; readonly h: number }
export type DepthBand = Band & { readonly depth: number; readonly label: string }
/** What the rows are called in the gutter. */
type RowNames = {
  readonly window: string
  readonly messages: string
  readonly runs: string
  readonly overview: string
}

/** The positions of all rows. */
export type RowLayout = {
  readonly width: number
  /** The requested height, or more when the rows do not fit, so that the panel scrolls. */
  readonly height: number
  readonly plot: { readonly left: number; readonly width: number }
  readonly names: RowNames
  /** The middle of the line of text above the window's edge. */
  readonly captionY: number
  readonly window: Band
  /** Deepest first. Empty when there are no summaries. */
  readonly depths: readonly DepthBand[]
  readonly marks: Band
  readonly messages: Band
  readonly axisY: number
  readonly runs: Band
  readonly overview: Band
}

export type RowLayoutInput = {
  readonly width: number
  readonly height: number
  /** Depths that occur, deepest first. */
  readonly depths: readonly number[]
  readonly hasMarks: boolean
  readonly hasRuns: boolean
}

/** A wide drawing has room for the whole names. */
const WORDS_FROM = 900
const GUTTER = { words: 132, short: 78 } as const
const WORDS: RowNames = {
  window: 'the model sees',
  messages: 'messages',
  runs: 'compactions',
  overview: 'whole history',
}
const SHORT: RowNames = { window: 'window', messages: 'messages', runs: 'compacted', overview: 'history' }
const RIGHT = 18
const TOP = 48
const AXIS_HEIGHT = 26
/** The height of the overview without layers, of each of its layers, and of all of them at most. */
const OVERVIEW = { base: 13, layer: 4, most: 33 }
const BOTTOM = 12
const MIN_MESSAGES = 28
const MAX_MESSAGES = 168
const MIN_PITCH = 12
/** The height reserved for the note that there are no summaries. */
const NO_DEPTHS = 40
const MAX_PITCH = 44

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)

/** The name of a row of summaries in the gutter, in fewer words where the drawing is narrow. */
function rowLabel(depth: number, isInWords: boolean): string {
  if (isInWords) return depth === 0 ? 'first summaries' : `summaries, depth ${depth}`
  return depth === 0 ? 'first' : `depth ${depth}`
}

/** Divides the height among the rows: first what every row needs, then more for the depths, then for the histogram. */
export function layoutRows({ width, height, depths, hasMarks, hasRuns }: RowLayoutInput): RowLayout {
  const isInWords = width >= WORDS_FROM
  const gutter = isInWords ? GUTTER.words : GUTTER.short
  const marksHeight = hasMarks ? 24 : 10
  const runsHeight = hasRuns ? 22 : 4
  const overviewHeight = Math.min(OVERVIEW.most, OVERVIEW.base + OVERVIEW.layer * Math.max(0, depths.length - 1))
  const fixed = TOP + marksHeight + AXIS_HEIGHT + runsHeight + overviewHeight + BOTTOM
  const free = height - fixed
  const wanted = clamp(free * 0.2, MIN_MESSAGES, MAX_MESSAGES)
  const pitch = depths.length > 0 ? Math.floor(clamp((free - wanted) / depths.length, MIN_PITCH, MAX_PITCH)) : 0
  const depthsHeight = depths.length > 0 ? pitch * depths.length : NO_DEPTHS
  const messagesHeight = Math.floor(clamp(free - depthsHeight, MIN_MESSAGES, MAX_MESSAGES))
  const barHeight = Math.max(6, Math.round(pitch * 0.64))
  const bands = depths.map((depth, row) => ({
    depth,
    label: rowLabel(depth, isInWords),
    y: TOP + row * pitch + Math.round((pitch - barHeight) / 2),
    h: barHeight,
  }))
  const marksY = TOP + depthsHeight
  const messagesY = marksY + marksHeight
  const axisY = messagesY + messagesHeight + 6
  const runsY = axisY + AXIS_HEIGHT - 6
  return {
    width,
    height: Math.max(height, runsY + runsHeight + overviewHeight + BOTTOM),
    plot: { left: gutter, width: Math.max(1, width - gutter - RIGHT) },
    names: isInWords ? WORDS : SHORT,
    captionY: 13,
    window: { y: 27, h: 6 },
    depths: bands,
    marks: { y: marksY, h: marksHeight },
    messages: { y: messagesY, h: messagesHeight },
    axisY,
    runs: { y: runsY, h: runsHeight },
    overview: { y: runsY + runsHeight, h: overviewHeight },
  }
}
