import type { Expansion } from '#core/contract/retrieval.ts'

/** Joins pages: each node and message once, in the order of the pages. */
export function joinExpansion(pages: readonly Expansion[]): Omit<Expansion, 'truncated' | 'next'> {
  return {
    nodes: distinct(pages.flatMap((page) => page.nodes)),
    messages: distinct(pages.flatMap((page) => page.messages)),
    tokens: pages.reduce((sum, page) => sum + page.tokens, 0),
    tooLarge: [...new Set(pages.flatMap((page) => page.tooLarge))],
  }
}

const distinct = <T extends { readonly id: string }>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
]
