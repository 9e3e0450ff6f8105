import type { NodeCard } from '#core/contract/lineage.ts'
import { formatTokens, plural } from '#renderer/ui/texts/format.ts'
import type { MoreUnit } from './block.ts'

/** What is said beside the id of a card: `17 messages`, `user · 40 tokens`. */
export function cardFacts(card: NodeCard): string {
  if (card.kind === 'missing') return 'not in this file'
  if (card.kind === 'message') return `${card.role ?? 'message'} · ${formatTokens(card.tokens)}`
  return plural(card.messages, 'message')
}

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
