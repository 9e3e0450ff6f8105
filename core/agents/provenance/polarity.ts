import type { Token } from './tokens.ts'
import { NEGATIONS, SOFT_NEGATIONS } from './word-lists.ts'

/** Words after a negation that it denies. */
const REACH = 3
/** The same for scripts without word breaks, in pairs of characters. */
const REACH_PAIRS = 4

/** Tokens from a word that denies in its own way to what it may deny, before and after it. */
const SOFT_REACH = { before: 2, after: 4 } as const

/** Which tokens (by place) a negation denies, and near which ones something is denied in other words. */
export type Polarity = { readonly denied: ReadonlySet<number>; readonly soft: ReadonlySet<number> }

/**
 * Looks for negations in the tokens of a text.
 * @param tokens all of them, stop words too
 * @param isTelling by place in `tokens`: it counts for how far a negation reaches
 */
export function polarityOf(text: string, tokens: readonly Token[], isTelling: (place: number) => boolean): Polarity {
  const denied = new Set<number>()
  const soft = new Set<number>()
  let left = 0
  let lastEnd = 0
  let clause = 0
  tokens.forEach((token, place) => {
    // A negation ends with its part of the sentence.
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

/** How far it reaches; 0 for what is no negation. */
function negation(text: string, { kind, start, end }: Token): number {
  if (kind === 'pair') return CJK_NEGATION.test(text.slice(start, end)) ? REACH_PAIRS : 0
  if (kind !== 'word') return 0
  const word = text.slice(start, end).toLowerCase()
  if (NEGATIONS.has(word)) return REACH
  // don't, isn’t: the t stands alone behind the apostrophe.
  return word === 't' && /[nN]['’]$/.test(text.slice(Math.max(0, start - 2), start)) ? REACH : 0
}
