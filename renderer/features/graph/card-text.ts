import type { NodeCard } from '../../../core/contract/lineage.ts'
import { nodeLabel } from '../../ui/depth-color.ts'
import { formatCompact, formatCompression, formatCount, formatTokens, plural, shortenId } from '../../ui/format.ts'
import { formatClock } from '../../ui/format-time.ts'
import type { MoreUnit } from './block.ts'

/** The two lines of a card. */
export type CardText = { readonly title: string; readonly facts: string }

/** `isWide` cards stand alone and show numbers. The others show what they cover. */
export function cardText(card: NodeCard, isWide: boolean): CardText {
  if (card.kind === 'missing') return { title: shortenId(card.id, isWide ? 22 : 14), facts: 'not in this file' }
  if (card.kind === 'message') {
    const time = card.createdAtMs === null ? '' : ` ${formatClock(card.createdAtMs)}`
    return { title: `${card.role ?? 'message'}${time}`, facts: card.excerpt || formatTokens(card.tokens) }
  }
  const title = shortenId(card.id, isWide ? 22 : 14)
  if (!isWide)
    return { title, facts: `${shortLabel(card)} · ${short(card.messages)} ${card.messages === 1 ? 'msg' : 'msgs'}` }
  const compression = card.sourceTokens && card.tokens > 0 ? [formatCompression(card.sourceTokens / card.tokens)] : []
  const tokens = card.tokens < 100_000 ? formatTokens(card.tokens) : `${formatCompact(card.tokens)} tokens`
  return { title, facts: [nodeLabel(card), tokens, ...compression].join(' · ') }
}

/** `depth 2`, or `d2` beside a number that needs the room. */
const shortLabel = (card: NodeCard): string =>
  card.depth >= 10 || (card.depth > 0 && card.messages >= 1000) ? `d${card.depth}` : nodeLabel(card)

const short = (count: number): string => (count < 1000 ? formatCount(count) : formatCompact(count))

/** The numbers of a node in the words of the header: `9 sources · 1 dependent · 789 messages`. */
export function countsText(card: NodeCard): string {
  if (card.kind === 'missing') return 'named as a source or dependent, but not in this file'
  const dependents = plural(card.dependents, 'dependent')
  if (card.kind === 'message') return `${card.role ?? 'message'} · ${dependents}`
  const sources = card.kind === 'leaf' ? [] : [plural(card.sources, 'source')]
  return [...sources, dependents, plural(card.messages, 'message')].join(' · ')
}

const UNITS: Readonly<Record<MoreUnit, string>> = { messages: 'message', sources: 'source', dependents: 'dependent' }

export const moreText = (count: number, unit: MoreUnit): string => `+ ${plural(count, UNITS[unit])}`
