import type { Role } from '#core/contract/ids.ts'
import type { Strata } from '#core/contract/strata.ts'
import type { MessageRange } from '#renderer/ui/data/range-address.ts'
import { depthCounts } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import type { Buckets } from './buckets.ts'
import type { PlacedFinding } from './place-nodes.ts'
import type { Viewport } from './viewport.ts'

/** What is in a range of the history. */
export type RangeFigures = {
  readonly messages: number
  readonly tokens: number
  /** How many messages of each role. Null until they are counted, and for more than can be. */
  readonly roles: readonly { readonly role: Role; readonly count: number }[] | null
  /** The summaries that reach into it: how many of each depth, the deepest first. */
  readonly summaries: readonly { readonly depth: number; readonly count: number }[]
  readonly findings: readonly PlacedFinding[]
  /** The details of its messages outside the window, and how many stand in the window. Null until they are counted. */
  readonly details: { readonly all: number; readonly kept: number } | null
}

type RangeContent = {
  readonly summaries: Strata['summaries']
  readonly findings: readonly PlacedFinding[]
  readonly detail: Buckets | null
  readonly overview: Buckets | null
}

/** Returns the figures of a range as far as the drawing has them: exact where each message has a column of its own. */
export function figuresOf(range: Viewport, { summaries, findings, detail, overview }: RangeContent): RangeFigures {
  const isCovered = detail !== null && detail.x0 <= range.x0 && detail.x1 >= range.x1
  const buckets = isCovered ? detail : overview
  let [messages, tokens] = [0, 0]
  for (const entry of buckets?.entries ?? []) {
    const [x0, x1] = [buckets?.columns.x0[entry] ?? 0, buckets?.columns.x1[entry] ?? 0]
    const middle = (x0 + x1) / 2
    if (middle < range.x0) continue
    if (middle >= range.x1) break
    messages += buckets?.columns.count[entry] ?? 0
    tokens += buckets?.columns.tokens[entry] ?? 0
  }
  return {
    messages,
    tokens,
    roles: null,
    summaries: summariesIn(range, summaries),
    findings: findings.filter((finding) => finding.x0 < range.x1 && finding.x1 > range.x0),
    details: null,
  }
}

function summariesIn({ x0, x1 }: Viewport, summaries: Strata['summaries']): RangeFigures['summaries'] {
  const counts = new Map<number, number>()
  for (let entry = 0; entry < summaries.id.length; entry++) {
    if ((summaries.x0[entry] ?? 0) >= x1 || (summaries.x1[entry] ?? 0) <= x0) continue
    const depth = summaries.depth[entry] ?? 0
    counts.set(depth, (counts.get(depth) ?? 0) + 1)
  }
  return [...counts].map(([depth, count]) => ({ depth, count })).sort((a, b) => b.depth - a.depth)
}

const summaryCount = ({ summaries }: RangeFigures): number => summaries.reduce((sum, { count }) => sum + count, 0)

/** `41 messages · 3,058 tokens · 5 summaries · 1 finding · 93 details lost`. What is not there is not named. */
export function figuresText(figures: RangeFigures): string {
  const { messages, tokens, findings, details } = figures
  return [
    plural(messages, 'message'),
    formatTokens(tokens),
    plural(summaryCount(figures), 'summary', 'summaries'),
    ...(findings.length > 0 ? [plural(findings.length, 'finding')] : []),
    ...(details === null ? [] : [`${plural(details.all - details.kept, 'detail')} lost`]),
  ].join(' · ')
}

/** `messages 40 – 60 of 377: 8 user · 13 assistant · 3,058 tokens of 84 k · 1 first summary · 93 of 122 details lost` */
export function sumsText(
  { messages, tokens, roles, summaries, details }: RangeFigures,
  range: MessageRange,
  strata: Pick<Strata, 'totalMessages' | 'totalTokens'>,
): string {
  return [
    `messages ${formatCount(range.first + 1)} – ${formatCount(range.last + 1)} of ${formatCount(strata.totalMessages)}`,
    roles === null
      ? plural(messages, 'message')
      : roles.map(({ role, count }) => `${formatCount(count)} ${role}`).join(', '),
    `${formatCount(tokens)} of ${formatTokens(strata.totalTokens)}`,
    ...(summaries.length > 0 ? [depthCounts(summaries)] : []),
    details === null
      ? 'details are being counted …'
      : details.all === 0
        ? 'no details outside the window'
        : `${formatCount(details.all - details.kept)} of ${plural(details.all, 'detail')} outside the window lost`,
  ].join(' · ')
}

/** Widens a dragged range to whole messages, where x counts messages. */
export function snapRange({ x0, x1 }: Viewport, { axis, extent }: Strata): Viewport {
  const [from, to] = axis === 'messages' ? [Math.floor(x0), Math.ceil(x1)] : [x0, x1]
  return { x0: Math.max(0, from), x1: Math.min(extent, to) }
}
