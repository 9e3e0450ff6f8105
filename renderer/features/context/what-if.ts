import type { AssembleInput } from '../../../core/contract/context.ts'

/** What the user tries out. Null: as configured. */
export type WhatIf = {
  readonly budgetTokens: number | null
  readonly freshTailCount: number | null
  readonly query: string
}

export const AS_CONFIGURED: WhatIf = { budgetTokens: null, freshTailCount: null, query: '' }

export const MIN_BUDGET = 1_000
export const MAX_BUDGET = 2_000_000
const SLIDER_STEPS = 1_000

export function isAsConfigured(whatIf: WhatIf): boolean {
  return whatIf.budgetTokens === null && whatIf.freshTailCount === null && whatIf.query.trim() === ''
}

/** The request that answers a what-if. */
export function assembleInput(conversationId: number, whatIf: WhatIf): AssembleInput {
  const query = whatIf.query.trim()
  return {
    conversationId,
    ...(whatIf.budgetTokens === null ? {} : { budgetTokens: whatIf.budgetTokens }),
    ...(whatIf.freshTailCount === null ? {} : { freshTailCount: whatIf.freshTailCount }),
    ...(query === '' ? {} : { query }),
  }
}

/** Read `128000`, `128,000`, `128k` or `1.5M`; null when it is no count between 1 and a hundred million. */
export function parseTokens(text: string): number | null {
  const match = /^\s*(\d[\d\s,_]*(?:\.\d+)?)\s*([km])?\s*$/i.exec(text)
  if (match === null) return null
  const factor = match[2] === undefined ? 1 : match[2].toLowerCase() === 'k' ? 1_000 : 1_000_000
  const tokens = Math.round(Number((match[1] ?? '').replaceAll(/[\s,_]/g, '')) * factor)
  return Number.isFinite(tokens) && tokens >= 1 && tokens <= 100_000_000 ? tokens : null
}

/** Place of a budget on the slider, 0 to 1000. Logarithmic, since budgets differ by factors. */
export function budgetToSlider(tokens: number): number {
  const share = Math.log(Math.max(MIN_BUDGET, tokens) / MIN_BUDGET) / Math.log(MAX_BUDGET / MIN_BUDGET)
  return Math.round(Math.min(1, share) * SLIDER_STEPS)
}

/** Budget at a place of the slider, rounded to two figures so that it reads well. */
export function sliderToBudget(place: number): number {
  const tokens = MIN_BUDGET * (MAX_BUDGET / MIN_BUDGET) ** (place / SLIDER_STEPS)
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(tokens)) - 1)
  return Math.round(tokens / unit) * unit
}

/** Read a whole number of messages, 0 to a million; null when it is none. */
export function parseCount(text: string): number | null {
  const digits = text.replaceAll(/[\s,_]/g, '')
  return /^\d{1,7}$/.test(digits) && Number(digits) <= 1_000_000 ? Number(digits) : null
}
