import type { Token } from './tokens.ts'
import { NEGATIONS, SOFT_NEGATIONS } from './word-lists.ts'

/** How many words after a negation are denied by it. */
const REACH = 3
/** How many pairs of characters a negation denies in scripts without word breaks. */
const REACH_PAIRS = 4

/** How many tokens before and after a soft negation may be denied by it. */
const SOFT_REACH = { before: 2, after: 4 } as const

/** The indexes of the tokens that a negation denies, and of those near a word that denies without a negation. */
export type Polarity = { readonly denied: ReadonlySet<number>; readonly soft: ReadonlySet<number> }

/**
 * Finds negations in the tokens of a text.
 * @param tokens all tokens, including stop words
 * @param isTelling returns whether the token with an index counts for the reach of a negation
 */
export function polarityOf(text: string, tokens: readonly Token[], isTelling: (place: number) => boolean): Polarity {
  const denied = new Set<number>()
  const soft = new Set<number>()
  let left = 0
  let lastEnd = 0
  let clause = 0
  tokens.forEach((token, place) => {
    // The reach of a negation ends with its part of the sentence.
    if (/[.,;:!?。，、！？\n–—]/.test(text.slice(lastEnd, token.start))) {
      left = 0
      clause = place
    }
    lastEnd = Math.max(lastEnd, token.end)
    const negates = negation(text, token)
    if (negates > 0) {
      left = negates
      return
    }
    if (token.kind === 'word' && SOFT_NEGATIONS.has(token.key)) {
      for (let near = clause; near <= place + SOFT_REACH.after; near += 1) {
        if (near >= place - SOFT_REACH.before) soft.add(near)
      }
    }
    if (left > 0 && isTelling(place)) {
      denied.add(place)
      left -= 1
    }
  })
  return { denied, soft }
}

const CJK_NEGATION = /[不没沒未无無非别勿]|ない|ません|なかった|ずに|않|못|없/

const MAY_DENY = new RegExp(`(?<![a-z])(?:${[...NEGATIONS].join('|')})(?![a-z])|n['’]t|${CJK_NEGATION.source}`, 'i')

/** Returns false for most texts without a negation, at the cost of one pattern. */
export const mayDeny = (text: string): boolean => MAY_DENY.test(text)

/** Returns how many tokens a negation denies, or 0 when the token is no negation. */
function negation(text: string, { kind, start, end }: Token): number {
  if (kind === 'pair') return CJK_NEGATION.test(text.slice(start, end)) ? REACH_PAIRS : 0
  if (kind !== 'word') return 0
  const word = text.slice(start, end).toLowerCase()
  if (NEGATIONS.has(word)) return REACH
  // In don't and isn’t, the t is a token of its own after the apostrophe.
  return word === 't' && /[nN]['’]$/.test(text.slice(Math.max(0, start - 2), start)) ? REACH : 0
}
