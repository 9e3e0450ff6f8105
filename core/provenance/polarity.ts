import { SCRIPTS_WITHOUT_BREAKS, type Token } from './tokens.ts'
import { NEGATIONS, NOT_A_DENIAL, REFUSALS, SOFT_NEGATIONS, UNSPACED_NEGATIONS, WITHOUT_WEIGHT } from './word-lists.ts'

/** How many words after a negation are denied by it. */
const REACH = 3
/** How many pairs of characters a negation denies in scripts without word breaks. */
const REACH_PAIRS = 4

/** How many tokens before and after a soft negation may be denied by it. */
const SOFT_REACH = { before: 2, after: 4 } as const

export type Polarity = {
  /** The indexes of the tokens that a negation denies. */
  readonly denied: ReadonlySet<number>
  /** The same for each negation by itself, the nearest token first: that is most often the verb. */
  readonly scopes: readonly (readonly number[])[]
  /** The indexes of the tokens near a word that denies without a negation. The word itself is none of them. */
  readonly soft: ReadonlySet<number>
}

/** One negation in a text. A plain one before a refusal is undone by it: what never fails to start does start. */
type Marker = {
  readonly start: number
  readonly end: number
  readonly kind: 'plain' | 'refusal' | 'after'
}

const NOTHING: Polarity = { denied: new Set(), scopes: [], soft: new Set() }

/**
 * Finds negations in the tokens of a text.
 * @param tokens all tokens, including stop words
 * @param isTelling returns whether the token with an index counts for the reach of a negation
 */
export function polarityOf(text: string, tokens: readonly Token[], isTelling: (place: number) => boolean): Polarity {
  const markers = markersIn(text, tokens)
  const soft = softIn(text, tokens, markers)
  if (markers.length === 0) return soft.size === 0 ? NOTHING : { ...NOTHING, soft }
  const clauses = clausesOf(text, tokens)
  const scopes: number[][] = []
  let undone = -1
  for (const [number, { start, end, kind }] of markers.entries()) {
    const reach = (place: number): boolean =>
      isTelling(place) && !WITHOUT_WEIGHT.has(text.slice(tokens[place]?.start, tokens[place]?.end).toLowerCase())
    const next = markers[number + 1]
    const after = tokens.findIndex((token) => token.start >= end)
    const clause = clauses[Math.max(0, after < 0 ? tokens.length - 1 : after - 1)]
    const most = tokens[after]?.kind === 'pair' ? REACH_PAIRS : REACH
    const scope: number[] = []
    if (kind !== 'after') {
      for (let place = after; place >= 0 && place < tokens.length && scope.length < most; place += 1) {
        if (clauses[place] !== clause || (next && (tokens[place]?.start ?? 0) >= next.start)) break
        if (reach(place)) scope.push(place)
      }
    }
    if (kind === 'refusal' && undone === number) continue
    // A refusal directly after a negation, with at most a word between the two, undoes it.
    if (kind === 'plain' && next?.kind === 'refusal' && scope.length <= 1 && isSameClause(clauses, tokens, end, next)) {
      undone = number + 1
      continue
    }
    if (scope.length === 0) {
      const before = tokens.findLastIndex((token) => token.start < start)
      for (let place = before; place >= 0 && scope.length < REACH_PAIRS; place -= 1) {
        if (clauses[place] !== clauses[before]) break
        if (reach(place)) scope.push(place)
      }
    }
    if (scope.length > 0) scopes.push(scope)
  }
  return { denied: new Set(scopes.flat()), scopes, soft }
}

const isSameClause = (clauses: readonly number[], tokens: readonly Token[], from: number, next: Marker): boolean => {
  const one = tokens.findLastIndex((token) => token.start < from)
  const other = tokens.findIndex((token) => token.start >= next.start)
  return clauses[one] === clauses[other]
}

/** Returns for each token the number of its part of the sentence, with which the reach of a negation ends. */
function clausesOf(text: string, tokens: readonly Token[]): number[] {
  let clause = 0
  let lastEnd = 0
  return tokens.map(({ kind, start, end }, place) => {
    const between = text.slice(lastEnd, start)
    // The point after a number may belong to a date, as in "4. April".
    const isDate = tokens[place - 1]?.kind === 'number' && /^\.\s$/.test(between)
    if (!isDate && /[.,;:!?。，、！？\n–—()]/.test(between)) clause += 1
    else if (kind === 'word' && CONJUNCTION.test(text.slice(start, end))) clause += 1
    lastEnd = Math.max(lastEnd, end)
    return clause
  })
}

const CONJUNCTION =
  /^(?:and|but|although|though|because|while|whereas|however|und|aber|sondern|obwohl|weil|mais|et|pero|sino|aunque|но)$/i

function softIn(text: string, tokens: readonly Token[], markers: readonly Marker[]): ReadonlySet<number> {
  const soft = new Set<number>()
  if (!tokens.some(isSoftNegation)) return soft
  let clause = 0
  let lastEnd = 0
  tokens.forEach((token, place) => {
    if (/[.,;:!?。，、！？\n–—]/.test(text.slice(lastEnd, token.start))) clause = place
    lastEnd = Math.max(lastEnd, token.end)
    if (!isSoftNegation(token)) return
    if (markers.some(({ start, end }) => start <= token.start && end >= token.end)) return
    for (let near = clause; near <= place + SOFT_REACH.after; near += 1)
      if (near >= place - SOFT_REACH.before && near !== place) soft.add(near)
  })
  return soft
}

const isSoftNegation = ({ kind, key }: Token): boolean => kind === 'word' && SOFT_NEGATIONS.has(key)

const CJK = /[不没沒未无無非别勿]|ない|ません|なかった|ずに|않|못|없/

/**
 * A word begins after anything but a letter: after a digit, a character of a script without word breaks, or white space
 * that JSON escaped. It does not end before a digit.
 */
const BEGINNING = `(?:(?<![[\\p{L}_]--[${SCRIPTS_WITHOUT_BREAKS}]])|(?<=\\\\[nrt]))`
const END = `(?![[\\p{L}\\p{Nd}_]--[${SCRIPTS_WITHOUT_BREAKS}]])`
const MAY_DENY = new RegExp(
  `${BEGINNING}(?:${[...NEGATIONS].join('|')})${END}|n['’]|${REFUSALS.source}|${CJK.source}`,
  'iv',
)

/** Returns false for most texts without a negation, and for none with one, at the cost of one pattern. */
export const mayDeny = (text: string): boolean => MAY_DENY.test(text)

function markersIn(text: string, tokens: readonly Token[]): Marker[] {
  const found: Marker[] = []
  let isUnspaced = false
  for (const { kind, start, end } of tokens) {
    if (kind === 'pair') isUnspaced = true
    else if (kind === 'word' && isNegation(text, start, end)) found.push({ kind: 'plain', start, end })
  }
  if (REFUSALS.test(text)) {
    for (const match of text.matchAll(ALL_REFUSALS))
      found.push({ kind: 'refusal', start: match.index, end: match.index + match[0].length })
  }
  for (const { pattern, kind } of isUnspaced ? UNSPACED_NEGATIONS : [])
    for (const match of text.matchAll(pattern))
      found.push({ kind, start: match.index, end: match.index + match[0].length })
  if (found.length === 0) return found
  const none = [...text.matchAll(NOT_A_DENIAL)].map((match) => [match.index, match.index + match[0].length] as const)
  return found
    .filter(({ start, end }) => !none.some(([from, to]) => from <= start && to >= end))
    .sort((a, b) => a.start - b.start)
}

const LONGEST_NEGATION = Math.max(...Array.from(NEGATIONS, ({ length }) => length))

const ALL_REFUSALS = new RegExp(REFUSALS, 'giu')

function isNegation(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_NEGATION) return false
  const word = text.slice(start, end).toLowerCase()
  if (NEGATIONS.has(word)) return true
  // In don't and isn’t, the t is a token of its own after the apostrophe; so is the n in the French n’est pas.
  if (word === 't') return /[nN]['’]$/.test(text.slice(Math.max(0, start - 2), start))
  return word === 'n' && /^['’]/.test(text.slice(end, end + 1))
}
