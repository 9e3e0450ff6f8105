import { isAscii } from '../text.ts'
import { stem, tokensOf } from './tokens.ts'
import { isTelling, termKey } from './vocabulary.ts'

/** Two things whose order a sentence states: what is taken and what is left, old and new, first and second. */
export type Relation = {
  readonly kind: 'preference' | 'change' | 'time' | 'comparison'
  /** The word that states the order. Only relations with the same word can be compared. */
  readonly by: string
  readonly first: Side
  readonly second: Side
}

/** The informative words on one side of a connective. Words that are nearer count more. */
type Side = ReadonlyMap<string, number>

/** How many informative words on each side of a connective may be what it connects. */
const REACH = 4

const stems = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stem))
const PREFERRING = stems('prefer prefers preferred favor favour favored favoured choose chose chosen pick picked')
const CHANGING = stems(
  `rename renames renamed change changed changes move moved moves switch switched switches convert converted converts
  converting migrate migrated migrates go goes went turn turned raise raised lower lowered upgrade upgraded downgrade
  downgraded bump bumped hand handed give gave given send sent sends translate translated port ported grew grow dropped drop
  from`.replace(/\s+/g, ' '),
)
const REPLACING = stems('replace replaces replaced replacing supersede supersedes superseded')

const orOf = (stems: Iterable<string>): string => [...stems].join('|')

/** What every text has that states an order, if it is ASCII: with an accent, a word may be one of these and look different. */
const ORDERS = new RegExp(
  `instead|rather|before|after|than|${orOf(REPLACING)}|[-=]>|over|(?:${orOf(CHANGING)}).*to`,
  'is',
)

/**
 * Returns the two things whose order a claim reverses: it says "A instead of B" where a text says "B instead of A".
 * Returns null when it does not, or when nothing can be said.
 * @param own the relations of the claim
 * @param told the relations of the text
 */
export function swappedOrder(own: readonly Relation[], told: readonly Relation[]): readonly [string, string] | null {
  for (const mine of own) {
    const alike = told.filter(({ kind, by }) => kind === mine.kind && by === mine.by)
    if (alike.some((theirs) => shared(mine, theirs, 'same').isWhole && !isSwapped(mine, theirs))) continue
    const swapped = alike.find((theirs) => isSwapped(mine, theirs))
    if (swapped) return [common(mine.first, swapped.second), common(mine.second, swapped.first)]
  }
  return null
}

function isSwapped(a: Relation, b: Relation): boolean {
  const crossed = shared(a, b, 'crossed')
  return crossed.isWhole && crossed.weight > shared(a, b, 'same').weight
}

function shared(a: Relation, b: Relation, how: 'same' | 'crossed'): { isWhole: boolean; weight: number } {
  const [first, second] = how === 'same' ? [b.first, b.second] : [b.second, b.first]
  const [left, right] = [overlap(a.first, first), overlap(a.second, second)]
  return { isWhole: left > 0 && right > 0, weight: left + right }
}

function overlap(a: Side, b: Side): number {
  let sum = 0
  for (const [key, weight] of a) sum += weight * (b.get(key) ?? 0)
  return sum
}

const common = (a: Side, b: Side): string => a.keys().find((key) => b.has(key)) ?? ''

/** Returns the orders of two things that a text states. */
export function relationsOf(text: string): Relation[] {
  const relations: Relation[] = []
  if (isAscii(text) && !ORDERS.test(text)) return relations
  for (const clause of clausesOf(text)) {
    clause.forEach(({ word, key }, place) => {
      const before = (at = place): Side => sideOf(clause.slice(0, at).toReversed())
      const after = (at = place): Side => sideOf(clause.slice(at + 1))
      const add = (kind: Relation['kind'], first: Side, second: Side, by = ''): void => {
        if (first.size > 0 && second.size > 0) relations.push({ kind, by, first, second })
      }
      const next = clause[place + 1]?.word
      const previous = clause[place - 1]
      const has = (keys: ReadonlySet<string>): boolean => clause.slice(0, place).some((other) => keys.has(other.key))
      if (word === 'instead' && next === 'of') add('preference', before(), after(place + 1))
      else if (word === 'rather' && next === 'than') add('preference', before(), after(place + 1))
      else if (word === 'over' && has(PREFERRING)) add('preference', before(), after())
      else if ((word === 'to' || word === 'into' || word === 'onto') && has(CHANGING)) add('change', before(), after())
      else if (word === '→') add('change', before(), after())
      else if ((word === 'by' || word === 'with') && has(REPLACING)) add('change', before(), after())
      else if (
        REPLACING.has(key) &&
        !clause.slice(place + 1).some((other) => other.word === 'by' || other.word === 'with')
      )
        add('change', after(), before())
      else if (word === 'before') add('time', before(), after())
      else if (word === 'after') add('time', after(), before())
      else if (word === 'than' && previous && previous.word !== 'rather' && previous.word !== 'other')
        add('comparison', before(place - 1), after(), previous.key)
    })
  }
  return relations
}

type Word = { readonly word: string; readonly key: string; readonly isTelling: () => boolean }

/** Yields the words of each clause. Arrows are words of their own. */
function* clausesOf(given: string): Generator<Word[]> {
  for (const piece of given.split(/[.;!?](?=\s|$)|\n/)) {
    const text = piece.replace(/->|=>|→/g, ' → ')
    const words = tokensOf(text).map((token) => ({
      at: token.start,
      word: text.slice(token.start, token.end).toLowerCase(),
      key: termKey(token, text),
      isTelling: () => isTelling(token, text),
    }))
    const arrows = [...text.matchAll(/→/g)].map(({ index }) => ({
      at: index,
      word: '→',
      key: '→',
      isTelling: () => false,
    }))
    yield [...words, ...arrows].sort((a, b) => a.at - b.at)
  }
}

const sideOf = (words: readonly Word[]): Side =>
  new Map(
    words
      .filter((word) => word.isTelling() && ![PREFERRING, CHANGING, REPLACING].some((verbs) => verbs.has(word.key)))
      .slice(0, REACH)
      .map(({ key }, distance) => [key, 1 / (1 + distance)] as const),
  )

const ACTOR = /^(?:the\s+)?(user|human|person|customer|assistant|agent|model|ai)\b(?!['’]s\b)/i
const OTHERS: Readonly<Record<'user' | 'assistant', RegExp>> = {
  user: /\b(?:user|human|person|customer|you|your)\b/i,
  assistant: /\b(?:assistant|agent|model|you|your)\b/i,
}

/** Returns who did it according to a claim that begins with the actor and names nobody else; otherwise null. */
export function actorOf(claim: string): 'user' | 'assistant' | null {
  const name = ACTOR.exec(claim)?.[1]?.toLowerCase()
  if (name === undefined) return null
  const actor = /^(?:user|human|person|customer)$/.test(name) ? 'user' : 'assistant'
  return OTHERS[actor === 'user' ? 'assistant' : 'user'].test(claim.replace(/\byour?\b/gi, '')) ? null : actor
}

/** Returns whether a text by `role` cannot be what the actor said or did. It can when it mentions the actor. */
export const isByAnother = (actor: 'user' | 'assistant', role: string | null, text: string): boolean =>
  role === (actor === 'user' ? 'assistant' : 'user') && !OTHERS[actor].test(text)
