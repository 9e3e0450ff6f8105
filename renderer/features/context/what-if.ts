import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { AssembleInput } from '#core/contract/context.ts'
import type { Preset, PresetName } from '#core/contract/settings.ts'

/** The values that the user tries out. Null stands for the value of the preset, or the configured one. */
export type WhatIf = {
  readonly preset: PresetName | null
  readonly budgetTokens: number | null
  readonly softThreshold: number | null
  readonly freshTailCount: number | null
  readonly query: string
}

export const AS_CONFIGURED: WhatIf = {
  preset: null,
  budgetTokens: null,
  softThreshold: null,
  freshTailCount: null,
  query: '',
}

export const MIN_BUDGET = 1_000
export const MAX_BUDGET = 2_000_000
const SLIDER_STEPS = 1_000
/** The value at the right end of the slider. A larger one can be typed. */
export const MAX_SLIDER_TAIL = 512

export function isAsConfigured(whatIf: WhatIf): boolean {
  return !changesSettings(whatIf) && whatIf.query.trim() === ''
}

export const changesSettings = ({ preset, budgetTokens, softThreshold, freshTailCount }: WhatIf): boolean =>
  preset !== null || budgetTokens !== null || softThreshold !== null || freshTailCount !== null

/** Returns the compaction settings that are tried out: those of the preset, overridden by those set by hand. */
export function triedSettings(whatIf: WhatIf, presets: readonly Preset[]): Partial<CompactionSettings> {
  const { preset, budgetTokens, softThreshold, freshTailCount } = whatIf
  return {
    ...presets.find(({ name }) => name === preset)?.settings,
    ...(budgetTokens === null ? {} : { budgetTokens }),
    ...(softThreshold === null ? {} : { softThreshold }),
    ...(freshTailCount === null ? {} : { freshTailCount }),
  }
}

/** Applies another preset, or none. Its values replace those set by hand. */
export function withPreset(whatIf: WhatIf, preset: Preset | null): WhatIf {
  const settings = preset?.settings ?? {}
  return {
    ...whatIf,
    preset: preset?.name ?? null,
    budgetTokens: settings.budgetTokens === undefined ? whatIf.budgetTokens : null,
    softThreshold: settings.softThreshold === undefined ? whatIf.softThreshold : null,
    freshTailCount: settings.freshTailCount === undefined ? whatIf.freshTailCount : null,
  }
}

/** Returns the request for the window under the tried settings. */
export function assembleInput(
  conversationId: number,
  { budgetTokens, freshTailCount }: Partial<CompactionSettings>,
  query: string,
): AssembleInput {
  const words = query.trim()
  return {
    conversationId,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    ...(freshTailCount === undefined ? {} : { freshTailCount }),
    ...(words === '' ? {} : { query: words }),
  }
}

/** Parses what the address tries out. Missing and invalid values stand for the configured ones. */
export function parseWhatIf(texts: Readonly<Record<string, string | null>>): WhatIf {
  const { preset, budget, threshold, tail, rank } = texts
  return {
    preset: PRESET_ORDER.find((name) => name === preset) ?? null,
    budgetTokens: parseTokens(budget ?? ''),
    softThreshold: parseThreshold(threshold ?? ''),
    freshTailCount: parseCount(tail ?? ''),
    query: (rank ?? '').slice(0, 10_000),
  }
}

/** Presets in the order in which they are offered. */
export const PRESET_ORDER: readonly PresetName[] = ['spec', 'lossless-claw', 'argentos', 'pi-lcm', 'hermes-lcm']

/** Parses `128000`, `128,000`, `128k` or `1.5M`. Returns null when it is no count between 1 and a hundred million. */
export function parseTokens(text: string): number | null {
  const match = /^\s*(\d[\d\s,_]*(?:\.\d+)?)\s*([km])?\s*$/i.exec(text)
  if (match === null) return null
  const factor = match[2] === undefined ? 1 : match[2].toLowerCase() === 'k' ? 1_000 : 1_000_000
  const tokens = Math.round(Number((match[1] ?? '').replaceAll(/[\s,_]/g, '')) * factor)
  return Number.isFinite(tokens) && tokens >= 1 && tokens <= 100_000_000 ? tokens : null
}

/**
 * Returns the position of a budget on the slider, 0 to 1000. The scale is logarithmic, because budgets differ by
 * factors.
 */
export function budgetToSlider(tokens: number): number {
  const share = Math.log(Math.max(MIN_BUDGET, tokens) / MIN_BUDGET) / Math.log(MAX_BUDGET / MIN_BUDGET)
  return Math.round(Math.min(1, share) * SLIDER_STEPS)
}

/** Returns the budget at a position of the slider, rounded to two significant digits. */
export function sliderToBudget(position: number): number {
  const tokens = MIN_BUDGET * (MAX_BUDGET / MIN_BUDGET) ** (position / SLIDER_STEPS)
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(tokens)) - 1)
  return Math.round(tokens / unit) * unit
}

/**
 * Returns the value when a slider is moved from one position to another. Neighbouring positions may round to the same
 * value, so that an arrow key moves on to the next value in its direction.
 */
export function movedOnSlider(
  before: { readonly position: number; readonly value: number },
  position: number,
  fromSlider: (position: number) => number,
): number {
  const step = Math.sign(position - before.position)
  const isBeyond = (value: number) => (value - before.value) * step > 0
  let at = position
  while (!isBeyond(fromSlider(at)) && at + step >= 0 && at + step <= SLIDER_STEPS && step !== 0) at += step
  return isBeyond(fromSlider(at)) ? fromSlider(at) : before.value
}

/** Parses a number of messages from 0 to a million. Returns null when it is none. */
export function parseCount(text: string): number | null {
  const digits = text.replaceAll(/[\s,_]/g, '')
  return /^\d{1,7}$/.test(digits) && Number(digits) <= 1_000_000 ? Number(digits) : null
}

/** Parses a share of the budget, such as `0.75` or `75 %`. Returns null when it is none. */
export function parseThreshold(text: string): number | null {
  const match = /^\s*(\d*\.?\d+)\s*(%)?\s*$/.exec(text)
  if (match === null) return null
  const share = Number(match[1]) / (match[2] === undefined ? 1 : 100)
  return share >= 0.01 && share <= 1 ? share : null
}

/** `0.75`, `0.875` */
export const formatThreshold = (share: number): string => String(Math.round(share * 1000) / 1000)

/** Returns the position of a fresh tail on its slider, 0 to 1000. The scale is finer for short tails. */
export const tailToSlider = (count: number): number =>
  Math.round(Math.sqrt(Math.min(1, count / MAX_SLIDER_TAIL)) * SLIDER_STEPS)

/** Returns the fresh tail at a position of the slider. */
export const sliderToTail = (position: number): number => Math.round((position / SLIDER_STEPS) ** 2 * MAX_SLIDER_TAIL)
