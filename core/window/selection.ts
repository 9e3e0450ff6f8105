import type { ItemReason } from '../contract/context.ts'
import type { Pairing } from './tool-pairs.ts'
import type { WindowItem } from './window.ts'

/** Whether an item goes to the model, and why. */
type Verdict = { readonly included: boolean; readonly code: ItemReason; readonly reason: string }

/** What is decided about. */
export type Candidate = Pick<WindowItem, 'id' | 'kind' | 'role' | 'tokens'>

export type SelectionInput = {
  readonly items: readonly Candidate[]
  readonly pairs: Pairing
  readonly budgetTokens: number
  readonly freshTailCount: number
  /** Messages that a summary stands for. */
  readonly standsFor: (index: number) => number
  /** By item, 0 for no match; absent without a query. */
  readonly relevance?: readonly number[]
  /** Calls, by id, that exist in the conversation outside the window. */
  readonly callsOutside: ReadonlySet<string>
}

export type Selection = {
  readonly verdicts: readonly Verdict[]
  /** Of the included items. */
  readonly tokens: number
  readonly overBudget: boolean
}

/** How much of a perfect match being the newest item is worth when there is a query. */
const RECENCY_SHARE = 0.25

/**
 * Decides about every item: system messages and the fresh tail are in whatever they cost, with what they are paired
 * to; then older items while they fit, newest first or best match first. What does not fit is passed over, so that one
 * large message never hides the older summaries.
 */
export function selectItems(input: SelectionInput): Selection {
  const { items, budgetTokens } = input
  const verdicts = new Array<Verdict | undefined>(items.length)
  ruleOut(input, verdicts)
  requireSystemAndTail(input, verdicts)
  let tokens = 0
  items.forEach((item, index) => {
    if (verdicts[index]?.included) tokens += item.tokens
  })
  const overBudget = tokens > budgetTokens
  for (const unit of olderUnits(input, verdicts)) {
    const left = Math.max(0, budgetTokens - tokens)
    let needs = 0
    for (const index of unit.members) needs += items[index]?.tokens ?? 0
    const fits = needs <= left
    if (fits) tokens += needs
    for (const index of unit.members) {
      verdicts[index] = fits ? fitting(input, index, unit.match) : lacking(input, index, unit.members, left, needs)
    }
  }
  return { verdicts: verdicts.map((verdict) => verdict ?? DANGLING), tokens, overBudget }
}

const DANGLING: Verdict = {
  included: false,
  code: 'dangling',
  reason: 'out: the window names it, but it is not in the file',
}

function ruleOut({ items, pairs, callsOutside }: SelectionInput, verdicts: (Verdict | undefined)[]): void {
  items.forEach((item, index) => {
    if (item.kind === 'missing') verdicts[index] = DANGLING
  })
  for (const [index, callId] of pairs.orphans) {
    const why = callsOutside.has(callId) ? 'its call was compacted' : 'its call is not in this conversation'
    verdicts[index] = { included: false, code: 'orphan_result', reason: `out: ${why}` }
  }
}

function requireSystemAndTail(input: SelectionInput, verdicts: (Verdict | undefined)[]): void {
  const { items, pairs, freshTailCount } = input
  items.forEach((item, index) => {
    if (item.role === 'system') verdicts[index] ??= { included: true, code: 'always_in', reason: 'always in' }
  })
  let left = freshTailCount
  for (let index = items.length - 1; index >= 0 && left > 0; index -= 1) {
    if (items[index]?.kind !== 'message') continue
    left -= 1
    verdicts[index] ??= { included: true, code: 'fresh_tail', reason: 'fresh tail' }
  }
  for (const members of pairs.groups) {
    const required = members.findLast((index) => verdicts[index]?.included)
    if (required === undefined) continue
    const partner = items[required]?.id ?? ''
    for (const index of members) {
      const reason = `${verdicts[required]?.reason} · pair of ${partner}`
      verdicts[index] ??= { included: true, code: 'pair_of_included', reason }
    }
  }
}

type Unit = { readonly members: readonly number[]; readonly match: Match | null }
type Match = { readonly rank: number; readonly matches: number }

/** What is still undecided, a pair as one, in the order in which it may claim what is left of the budget. */
function olderUnits(input: SelectionInput, verdicts: readonly (Verdict | undefined)[]): Unit[] {
  const { items, pairs, relevance } = input
  const units: { readonly members: readonly number[]; readonly newest: number; readonly match: null }[] = []
  const isSeen = new Uint8Array(pairs.groups.length)
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const group = pairs.groupOf[index] ?? -1
    if (verdicts[index] !== undefined || isSeen[group] === 1) continue
    if (group >= 0) isSeen[group] = 1
    units.push({ members: (group >= 0 && pairs.groups[group]) || [index], newest: index, match: null })
  }
  if (!relevance) return units

  const matching = units.map((unit) => ({
    ...unit,
    relevance: unit.members.reduce((most, member) => Math.max(most, relevance[member] ?? 0), 0),
  }))
  const best = matching.reduce((most, unit) => Math.max(most, unit.relevance), 0) || 1
  const score = (unit: { newest: number; relevance: number }): number =>
    unit.relevance / best + (RECENCY_SHARE * (unit.newest + 1)) / items.length
  const matches = matching.filter((unit) => unit.relevance > 0).length
  const ranked = matching.toSorted((a, b) => score(b) - score(a) || b.newest - a.newest)
  let rank = 0
  return ranked.map(({ members, relevance: own }) => {
    if (own > 0) rank += 1
    return { members, match: own > 0 ? { rank, matches } : null }
  })
}

function fitting({ items, standsFor, relevance }: SelectionInput, index: number, match: Match | null): Verdict {
  if (match) {
    const reason = `fits, match ${number(match.rank)} of ${number(match.matches)}`
    return { included: true, code: 'fits_relevance', reason }
  }
  const kind = items[index]?.kind
  const isSummary = kind === 'leaf' || kind === 'condensed'
  const messages = standsFor(index)
  const reason =
    isSummary && !relevance
      ? `stands for ${number(messages)} ${messages === 1 ? 'message' : 'messages'}`
      : 'fits, newest first'
  return { included: true, code: 'fits_recency', reason }
}

function lacking(
  { items }: SelectionInput,
  index: number,
  members: readonly number[],
  left: number,
  needs: number,
): Verdict {
  const partner = members.find((member) => member !== index)
  if (partner === undefined) {
    const reason = `out: ${number(left)} tokens left, needs ${number(needs)}`
    return { included: false, code: 'out_of_budget', reason }
  }
  const others = members.length > 2 ? ` and ${number(members.length - 2)} more` : ''
  return {
    included: false,
    code: 'pair_out_of_budget',
    reason: `out: ${number(left)} tokens left, with ${items[partner]?.id}${others} needs ${number(needs)}`,
  }
}

// Made once: what `toLocaleString` sets up for every number takes longer than the rest of a selection.
const format = new Intl.NumberFormat('en-US')
const number = (value: number): string => (value < 1_000 ? String(value) : format.format(value))
