import type { ListedConversation, Overview } from '#core/contract/memory.ts'
import type { Strata } from '#core/contract/strata.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCompact, formatCount, plural } from '#renderer/ui/texts/format.ts'

/** One figure per role or depth. */
export type Breakdown = Overview['roles'][number]

/** A row of a table with its share of the total. */
export type Share = Breakdown & { readonly label: string; readonly share: number }

/** Rows with their share of all tokens, in the given order. */
export function withShares(rows: readonly Breakdown[], label: (key: string) => string): readonly Share[] {
  const all = rows.reduce((sum, row) => sum + row.tokens, 0)
  return rows.map((row) => ({ ...row, label: label(row.key), share: all === 0 ? 0 : row.tokens / all }))
}

/** Depths from the top layer down to the leaves, as in the strata. */
export const byDepth = (rows: readonly Breakdown[]): readonly Breakdown[] =>
  rows.toSorted((a, b) => Number(b.key) - Number(a.key))

/** `depth 2`, `leaf`. A key that is not a number is returned unchanged. */
export const depthName = (key: string): string => (/^\d+$/.test(key) ? depthLabel(Number(key)) : key)

/** Returns source tokens ÷ own tokens, or null when either is not known. */
export function compressionOf({ tokens, sourceTokens }: Breakdown): number | null {
  return sourceTokens === null || tokens === 0 ? null : sourceTokens / tokens
}

/**
 * What a layer stands for, as `342 k`. A system may summarise everything again each time: then its summaries together
 * stand for more than is stored, and the history is counted once.
 */
export function standsForText({ sourceTokens }: Breakdown, storedTokens: number): string {
  if (sourceTokens === null) return '–'
  return sourceTokens > storedTokens && storedTokens > 0
    ? `${formatCompact(storedTokens)}, counted once`
    : formatCompact(sourceTokens)
}

/** How many details of a conversation's compacted messages there are, and how many of them stand in its window. */
export type Loss = { readonly details: number; readonly kept: number }
export type Losses = ReadonlyMap<number, Loss | 'failed'>

/**
 * Returns the rows in the order of what they have lost, the most first; `isReversed` the least. Those that are not
 * counted yet come after all others, and last those that were never compacted.
 */
export function byLoss(
  rows: readonly ListedConversation[],
  losses: Losses,
  isReversed: boolean,
): readonly ListedConversation[] {
  const lost = ({ conversationId, summaries }: ListedConversation): number => {
    if (summaries === 0) return -2
    const loss = losses.get(conversationId)
    return loss === undefined || loss === 'failed' ? -1 : loss.details - loss.kept
  }
  return rows.toSorted((one, other) => {
    const [a, b] = [lost(one), lost(other)]
    return isReversed && a >= 0 && b >= 0 ? a - b : b - a
  })
}

/** Counts what the model sees: summaries, messages, and the tokens of each depth, deepest first; messages are depth −1. */
export function windowParts({ window }: Pick<Strata, 'window'>) {
  const seen = window.filter(({ isLeftOut }) => !isLeftOut)
  const sum = (runs: typeof seen, of: 'items' | 'tokens'): number => runs.reduce((all, run) => all + run[of], 0)
  const summaries = seen.filter(({ depth }) => depth >= 0)
  const messages = seen.filter(({ depth }) => depth < 0)
  const byDepth = [...Map.groupBy(seen, ({ depth }) => depth)]
    .map(([depth, runs]) => ({ depth, tokens: sum(runs, 'tokens') }))
    .sort((a, b) => b.depth - a.depth)
  return {
    summaries: sum(summaries, 'items'),
    messages: sum(messages, 'items'),
    summaryTokens: sum(summaries, 'tokens'),
    messageTokens: sum(messages, 'tokens'),
    byDepth,
  }
}

/** What the window of a fork begins with, which belongs to the conversation that it was forked from. */
export function inheritedPart(
  own: Pick<ReturnType<typeof windowParts>, 'summaries' | 'messages' | 'summaryTokens' | 'messageTokens'>,
  {
    contextItems,
    leftOutItems,
    contextTokens,
  }: Pick<ListedConversation, 'contextItems' | 'leftOutItems' | 'contextTokens'>,
): { readonly items: number; readonly tokens: number } | null {
  const items = contextItems - (leftOutItems ?? 0) - own.summaries - own.messages
  if (contextTokens === null || items <= 0) return null
  return { items, tokens: Math.max(0, contextTokens - own.summaryTokens - own.messageTokens) }
}

/** `377 messages → 28 first summaries → 7 → 1`: how many there are of each layer, from the messages up. */
export function layersText({ summaries, totalMessages }: Pick<Strata, 'summaries' | 'totalMessages'>): string {
  const counts = new Map<number, number>()
  for (const depth of summaries.depth) counts.set(depth, (counts.get(depth) ?? 0) + 1)
  const upwards = [...counts].sort(([a], [b]) => a - b)
  const layers = upwards.map(([depth, count]) =>
    depth === 0 ? plural(count, 'first summary', 'first summaries') : formatCount(count),
  )
  return [plural(totalMessages, 'message'), ...layers].join(' → ')
}

/**
 * `5 items with 840 tokens are left out`: what stands in the window and is not sent, although the budget has room for it.
 * Null where there is none, or where the budget is why: then the line about the next compaction says it.
 */
export function leftOutText(
  {
    activeTokens,
    leftOutItems,
    leftOutTokens,
  }: Pick<ListedConversation, 'activeTokens' | 'leftOutItems' | 'leftOutTokens'>,
  budgetTokens: number | null,
): string | null {
  if (activeTokens === null || !leftOutItems || leftOutTokens === null || budgetTokens === null) return null
  if (activeTokens > budgetTokens) return null
  return `${plural(leftOutItems, 'item')} with ${plural(leftOutTokens, 'token')} ${leftOutItems === 1 ? 'is' : 'are'} left out`
}
