import type { AssembledContext, ContextItem } from '#core/contract/context.ts'

/** A context item about which only what the test states matters. */
export function contextItem(item: Partial<ContextItem>): ContextItem {
  return {
    ordinal: 0,
    id: 'msg_1',
    kind: 'message',
    role: 'user',
    depth: null,
    seq: 1,
    tokens: 10,
    included: true,
    reasonCode: 'fits_recency',
    reason: 'fits, newest first',
    messages: 1,
    createdAtMs: null,
    excerpt: '',
    ...item,
  }
}

/** A window about which only what the test states matters. */
export function contextOf(window: Partial<AssembledContext>): AssembledContext {
  return {
    conversationId: 1,
    tokens: 0,
    activeTokens: 0,
    leftOutTokens: 0,
    budget: 200_000,
    pressure: 0,
    softThreshold: 0.75,
    hardThreshold: 1,
    freshTailCount: 8,
    overBudget: false,
    items: [],
    reconstructed: false,
    ...window,
  }
}
