import type { GraphLayout } from './graph-layout.ts'

/** Returns the card before (−1) or after (1) another one in its level, or null at its end. */
export function besideInLevel({ cards }: Pick<GraphLayout, 'cards'>, id: string, step: -1 | 1): string | null {
  const at = cards.findIndex(({ card }) => card.id === id)
  const beside = cards[at + step]
  return at >= 0 && beside !== undefined && beside.level === cards[at]?.level ? beside.card.id : null
}
