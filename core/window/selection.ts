import { ItemReason } from '../contract/context.ts'
import { ROLES } from '../contract/ids.ts'
import { once } from '../keeping.ts'
import { fallenOut, stepOf, type Unit } from './fall-out.ts'
import type { Pairing } from './tool-pairs.ts'
import { MESSAGE, MISSING, SUMMARY, UNSENT, type WindowColumns } from './window.ts'

export type SelectionInput = {
  readonly columns: WindowColumns
  readonly pairs: Pairing
  readonly budgetTokens: number
  readonly freshTailCount: number
  /** By item, 0 for no match. Absent without a query. */
  readonly relevance?: readonly number[] | undefined
}

/** Facts that only the text of a reason needs. */
export type Wording = {
  readonly idAt: (index: number) => string
  /** The number of messages that a summary covers. */
  readonly standsFor: (index: number) => number
  /** True when the call that an orphan answers exists in the conversation outside the window. */
  readonly hasCallOutside: (index: number) => boolean
  /** Why the agent does not send a message. */
  readonly whyUnsent: (index: number) => string
}

/** The decision about an item as a number: 0 while it is open, otherwise the index of its reason in the list plus 1. */
const UNDECIDED = 0
const codeOf = (reason: ItemReason): number => ItemReason.options.indexOf(reason) + 1
const ALWAYS_IN = codeOf('always_in')
const FRESH_TAIL = codeOf('fresh_tail')
const PAIR_OF_INCLUDED = codeOf('pair_of_included')
const FITS_RECENCY = codeOf('fits_recency')
const FITS_RELEVANCE = codeOf('fits_relevance')
const OUT_OF_BUDGET = codeOf('out_of_budget')
const PAIR_OUT_OF_BUDGET = codeOf('pair_out_of_budget')
const ORPHAN_RESULT = codeOf('orphan_result')
const NOT_SENT = codeOf('not_sent')
const DANGLING = codeOf('dangling')

/** The first reasons of the list include an item. */
const LAST_INCLUDED = FITS_RELEVANCE
const isIn = (code: number | undefined): boolean => code !== undefined && code !== UNDECIDED && code <= LAST_INCLUDED

/** With a query, the newest item gets this share of the score of a perfect match. */
const RECENCY_SHARE = 0.25

/**
 * The items that go to the model, with reasons. Decisions are stored in columns, and the text of a reason is written
 * when it is asked for: plans and lists of conversations decide about windows of any length and read no reason.
 */
export class Selection {
  /** The tokens of the included items. */
  readonly tokens: number
  /** True when system messages and the fresh tail alone exceed the budget. */
  readonly overBudget: boolean
  readonly #input: SelectionInput
  readonly #decisions: Decisions
  readonly #matches: number
  readonly #outByStep: string

  constructor(input: SelectionInput, decisions: Decisions, claimed: Claimed) {
    this.#input = input
    this.#decisions = decisions
    this.tokens = claimed.tokens
    this.overBudget = claimed.overBudget
    this.#matches = claimed.matches
    const step = number(stepOf(input.budgetTokens))
    // Most items of a long window are left out for this reason, so its text is made once.
    this.#outByStep = `out: over the budget, the oldest leave first, ${step} tokens at a time`
  }

  isIncluded(index: number): boolean {
    return isIn(this.#decisions.codes[index])
  }

  codeAt(index: number): ItemReason {
    return ItemReason.options[(this.#decisions.codes[index] ?? UNDECIDED) - 1] ?? 'dangling'
  }

  reasonAt(index: number, wording: Wording): string {
    const detail = this.#decisions.details[index] ?? 0
    switch (this.codeAt(index)) {
      case 'always_in':
        return 'always in'
      case 'fresh_tail':
        return 'among the newest messages'
      case 'pair_of_included':
        return `${this.reasonAt(detail, wording)} · pair of ${wording.idAt(detail)}`
      case 'fits_recency':
        return this.#fitting(index, wording)
      case 'fits_relevance':
        return `fits, match ${number(detail)} of ${number(this.#matches)}`
      case 'out_of_budget':
      case 'pair_out_of_budget':
        return this.#input.relevance ? this.#lacking(index, detail, wording) : this.#fallenOut(index, wording)
      case 'orphan_result':
        return wording.hasCallOutside(index)
          ? 'out: its call was compacted'
          : 'out: its call is not in this conversation'
      case 'not_sent':
        return wording.whyUnsent(index)
      case 'dangling':
        return 'out: the window names it, but it is not in the file'
    }
  }

  #fitting(index: number, { standsFor }: Wording): string {
    const { columns, relevance } = this.#input
    if (columns.kinds[index] !== SUMMARY || relevance) return 'fits, newest first'
    const messages = standsFor(index)
    return `stands for ${number(messages)} ${messages === 1 ? 'message' : 'messages'}`
  }

  #fallenOut(index: number, { idAt }: Wording): string {
    const members = membersOf(this.#input, index)
    const needs = tokensOf(this.#input, members)
    if (needs < stepOf(this.#input.budgetTokens)) return this.#outByStep
    const partner = members.find((member) => member !== index)
    const together = partner === undefined ? '' : ` with ${idAt(partner)}`
    return `out: over the budget, and ${number(needs)} tokens${together} are as much as leaves at a time`
  }

  #lacking(index: number, left: number, { idAt }: Wording): string {
    const members = membersOf(this.#input, index)
    const needs = tokensOf(this.#input, members)
    const partner = members.find((member) => member !== index)
    if (partner === undefined) return `out: ${number(left)} tokens left, needs ${number(needs)}`
    const others = members.length > 2 ? ` and ${number(members.length - 2)} more` : ''
    return `out: ${number(left)} tokens left, with ${idAt(partner)}${others} needs ${number(needs)}`
  }
}

/** By item: the code of the decision, and the number in the text of its reason. */
type Decisions = { readonly codes: Uint8Array; readonly details: Float64Array }

type Claimed = { readonly tokens: number; readonly overBudget: boolean; readonly matches: number }

/**
 * Decides about every item. System messages and the fresh tail are always included, with the items that are paired with
 * them; then older items while they fit. With a query the best matches come first, and an item that does not fit is
 * skipped. Without one the oldest fall out in large steps, so that between two steps the payload only grows at its end.
 */
export function selectItems(input: SelectionInput): Selection {
  const { length } = input.columns
  const decisions: Decisions = { codes: new Uint8Array(length), details: new Float64Array(length) }
  ruleOut(input, decisions)
  requireSystemAndTail(input, decisions)
  const { relevance } = input
  const claimed = relevance ? includeBest(input, decisions, relevance) : includeNewest(input, decisions)
  return new Selection(input, decisions, claimed)
}

function ruleOut({ columns, pairs }: SelectionInput, { codes }: Decisions): void {
  const { length, kinds } = columns
  for (let index = 0; index < length; index += 1) {
    if (kinds[index] === MISSING) codes[index] = DANGLING
    else if (kinds[index] === UNSENT) codes[index] = NOT_SENT
  }
  for (const index of pairs.orphans) codes[index] = ORPHAN_RESULT
}

const SYSTEM = ROLES.indexOf('system')

function requireSystemAndTail({ columns, pairs, freshTailCount }: SelectionInput, { codes, details }: Decisions): void {
  const { length, kinds, roles } = columns
  const require = (index: number, code: number): void => {
    if (codes[index] === UNDECIDED) codes[index] = code
  }
  for (let index = 0; index < length; index += 1) if (roles[index] === SYSTEM) require(index, ALWAYS_IN)
  let left = freshTailCount
  for (let index = length - 1; index >= 0 && left > 0; index -= 1) {
    if (kinds[index] !== MESSAGE) continue
    left -= 1
    require(index, FRESH_TAIL)
  }
  for (const members of pairs.groups) {
    const required = members.findLast((index) => isIn(codes[index]))
    if (required === undefined) continue
    for (const index of members) {
      if (codes[index] !== UNDECIDED) continue
      codes[index] = PAIR_OF_INCLUDED
      details[index] = required
    }
  }
}

/** Includes what is still undecided, except for what is over the budget. */
function includeNewest(input: SelectionInput, { codes }: Decisions): Claimed {
  const { columns, budgetTokens } = input
  const units = undecidedUnits(input, codes)
  const requiredTokens = includedTokens(input, codes)
  const step = stepOf(budgetTokens)
  const counts = (index: number): boolean =>
    columns.roles[index] !== SYSTEM &&
    codes[index] !== DANGLING &&
    codes[index] !== NOT_SENT &&
    codes[index] !== ORPHAN_RESULT &&
    tokensOf(input, membersOf(input, index)) < step
  const out = fallenOut({ units, requiredTokens, budgetTokens, tokens: columns.tokens, counts })
  let tokens = requiredTokens
  for (const unit of units) {
    const isOut = out.has(unit)
    if (!isOut) tokens += unit.tokens
    for (const index of unit.members) codes[index] = isOut ? outCode(unit) : FITS_RECENCY
  }
  return { tokens, overBudget: requiredTokens > budgetTokens, matches: 0 }
}

/** Includes undecided items while they fit into the rest of the budget, the best match first. */
function includeBest(input: SelectionInput, { codes, details }: Decisions, relevance: readonly number[]): Claimed {
  const { budgetTokens } = input
  let tokens = includedTokens(input, codes)
  const overBudget = tokens > budgetTokens
  let matches = 0
  for (const { unit, isMatch } of bestFirst(input, undecidedUnits(input, codes), relevance)) {
    if (isMatch) matches += 1
    const left = Math.max(0, budgetTokens - tokens)
    const fits = unit.tokens <= left
    if (fits) tokens += unit.tokens
    for (const index of unit.members) {
      codes[index] = fits ? (isMatch ? FITS_RELEVANCE : FITS_RECENCY) : outCode(unit)
      details[index] = fits ? matches : left
    }
  }
  return { tokens, overBudget, matches }
}

const outCode = ({ members }: Unit): number => (members.length > 1 ? PAIR_OUT_OF_BUDGET : OUT_OF_BUDGET)

function includedTokens({ columns }: SelectionInput, codes: Uint8Array): number {
  let tokens = 0
  for (let index = 0; index < columns.length; index += 1) {
    if (isIn(codes[index])) tokens += columns.tokens[index] as number
  }
  return tokens
}

/** Returns what is still undecided, the oldest first. */
function undecidedUnits(input: SelectionInput, codes: Uint8Array): Unit[] {
  const units: Unit[] = []
  for (let index = 0; index < input.columns.length; index += 1) {
    if (codes[index] !== UNDECIDED) continue
    const members = membersOf(input, index)
    if (members[0] === index) units.push({ first: index, members, tokens: tokensOf(input, members) })
  }
  return units
}

/** The place of a unit is that of its newest item. */
function bestFirst({ columns }: SelectionInput, units: readonly Unit[], relevance: readonly number[]) {
  const scored = units.map((unit) => ({
    unit,
    relevance: unit.members.reduce((most, member) => Math.max(most, relevance[member] ?? 0), 0),
    last: unit.members.at(-1) ?? unit.first,
  }))
  const best = scored.reduce((most, one) => Math.max(most, one.relevance), 0) || 1
  const score = (one: (typeof scored)[number]): number =>
    one.relevance / best + (RECENCY_SHARE * (one.last + 1)) / columns.length
  return scored
    .toSorted((a, b) => score(b) - score(a) || b.last - a.last)
    .map((one) => ({ unit: one.unit, isMatch: one.relevance > 0 }))
}

/** Returns the items that belong together with one, which are that one alone when nothing does. */
function membersOf({ pairs }: SelectionInput, index: number): readonly number[] {
  return pairs.groups[pairs.groupOf[index] ?? -1] ?? [index]
}

function tokensOf({ columns }: SelectionInput, members: readonly number[]): number {
  let tokens = 0
  for (const member of members) tokens += columns.tokens[member] as number
  return tokens
}

// Created once, because `toLocaleString` would set up a formatter for every number, which takes longer than the rest of
// a selection.
const format = once(() => new Intl.NumberFormat('en-US'))
const number = (value: number): string => (value < 1_000 ? String(value) : format().format(value))
