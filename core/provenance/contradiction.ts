import type { Hit, ReadUnit } from './passages.ts'
import { SCORE } from './thresholds.ts'
import type { WeighedClaim } from './weighed-claim.ts'

/**
 * Returns two terms in which a claim and a passage contradict each other: one denies what the other asserts (then both
 * terms are the same), or they are opposites. Returns null when nothing shows a contradiction.
 * @param units the units of the passage, with the hits of this claim only
 * @param coverage which share of the claim's words the passage has
 */
export function contradictionOf(
  weighed: WeighedClaim,
  units: readonly ReadUnit[],
  coverage: number,
): readonly [number, number] | null {
  const { scopes, turnable, denied } = weighed
  if (scopes.length === 0 && turnable.length === 0 && !units.some((unit) => unit.scopes.length > 0)) return null
  const sides = sidesOf(weighed, units)
  const supporting = bearing(units, weighed.places)
  const judge = (scope: readonly number[], other: Side, doesDeny: boolean): readonly [number, number] | null => {
    const all = scope.map((term) => other.find(term))
    // Both deny a part of it: "writes no header" and "does not write a header".
    if (all.some((found) => found?.sign === 'denied')) return null
    const place = all.findIndex((found) => found !== null)
    const [term, found] = [scope[place], all[place]]
    if (term === undefined || !found) return null
    // Where the verb is missing on the other side, a denial there may be the same one in other words.
    const isCertain = place === 0 || (coverage >= SCORE.saysTheRest && !doesDeny)
    return found.sign === 'asserted' && isCertain && !sides.isSoft(term) ? [term, found.term] : null
  }
  const doesSourceDeny = supporting.some(({ denies }) => denies)
  for (const scope of scopes) {
    const conflict = judge(scope, sides.source, doesSourceDeny)
    if (conflict) return conflict
  }
  for (const unit of supporting) {
    for (const scope of unit.scopes) {
      const conflict = judge(scope, sides.claim, scopes.length > 0)
      if (conflict) return conflict
    }
  }
  for (const { term, alike, contrary, around } of turnable) {
    if (denied.has(term) || [term, ...alike].some((same) => sides.source.find(same, 'itself') !== null)) continue
    const other = contrary.find(
      (opposite) => sides.source.find(opposite, 'itself')?.sign === 'asserted' && standsNear(units, opposite, around),
    )
    if (other !== undefined) return [term, other]
  }
  return null
}

/** What one side says of a term: that it is so, or not, or both in several places. */
type Sign = 'asserted' | 'denied' | 'both'
type Side = {
  /** @param how `itself` does not look for words with the same or the opposite meaning */
  readonly find: (term: number, how?: 'itself') => { readonly term: number; readonly sign: Sign } | null
}

function sidesOf(
  { denied, asserted, soft, turnable }: WeighedClaim,
  units: readonly ReadUnit[],
): { readonly claim: Side; readonly source: Side; readonly isSoft: (term: number) => boolean } {
  const hits = units.flatMap((unit) => unit.hits)
  const saidIn = (term: number): Sign | null => {
    const own = hits.filter((hit) => hit.term === term)
    const not = own.filter((hit) => hit.isDenied).length
    return own.length === 0 ? null : not === 0 ? 'asserted' : not === own.length ? 'denied' : 'both'
  }
  const claimed = (term: number): Sign | null =>
    denied.has(term) ? (asserted.has(term) ? 'both' : 'denied') : asserted.has(term) ? 'asserted' : null
  const sideOf = (signOf: (term: number) => Sign | null): Side => ({
    find: (term, how) => {
      const own = signOf(term)
      if (own !== null || how === 'itself') return own && { term, sign: own }
      for (const { alike, contrary } of related(turnable, term)) {
        for (const other of alike) {
          const sign = signOf(other)
          if (sign !== null) return { term: other, sign }
        }
        for (const other of contrary) {
          const sign = signOf(other)
          if (sign !== null) return { term: other, sign: turned(sign) }
        }
      }
      return null
    },
  })
  return {
    claim: sideOf(claimed),
    source: sideOf(saidIn),
    isSoft: (term) => soft.has(term) || hits.some((hit) => hit.term === term && hit.isSoft),
  }
}

const turned = (sign: Sign): Sign => (sign === 'asserted' ? 'denied' : sign === 'denied' ? 'asserted' : 'both')

/** Returns what has the same or the opposite meaning as a term, on whichever side the term stands. */
const related = (turnable: WeighedClaim['turnable'], term: number) =>
  turnable.flatMap(({ term: own, alike, contrary }) => {
    if (own === term) return [{ alike, contrary }]
    if (alike.includes(term)) return [{ alike: [own], contrary: [] }]
    return contrary.includes(term) ? [{ alike: [], contrary: [own] }] : []
  })

/** How many words may stand between a verb and its object. */
const NEAR = 8

const standsNear = (units: readonly ReadUnit[], term: number, around: ReadonlySet<number>): boolean =>
  around.size === 0 ||
  units.some(({ hits }) =>
    hits.some(
      (hit) =>
        hit.term === term && hits.some((other) => around.has(other.term) && Math.abs(other.place - hit.place) <= NEAR),
    ),
  )

/** Returns whether the claim denies something that the passage denies, too. */
export function agreesInDenial(weighed: WeighedClaim, units: readonly ReadUnit[]): boolean {
  const { denied, soft, places, scopes } = weighed
  if (denied.size === 0) return false
  const isDenied = (hit: Hit, unit: ReadUnit): boolean =>
    denied.has(hit.term) && (deniesClaim(unit, places) || hit.isSoft || soft.has(hit.term))
  if (bearing(units, places).some((unit) => unit.hits.some((hit) => isDenied(hit, unit)))) return true
  const { source } = sidesOf(weighed, units)
  return scopes.some((scope) => scope.some((term) => source.find(term)?.sign === 'denied'))
}

/** Returns whether a unit denies a word of the claim, whatever else it denies. */
const deniesClaim = (unit: ReadUnit, places: Int32Array): boolean =>
  unit.denies && unit.hits.some((hit) => hit.isDenied && isOfClaim(hit, places))

const isOfClaim = ({ term }: Hit, places: Int32Array): boolean => (places[term] as number) >= 0

/** Returns those units of a passage that support the claim. A word of the claim may stand in a neighbour by chance. */
function bearing(units: readonly ReadUnit[], places: Int32Array): readonly ReadUnit[] {
  if (units.length === 1) return units
  const shares = units.map(
    ({ hits }) => new Set(hits.filter((hit) => isOfClaim(hit, places)).map(({ term }) => term)).size,
  )
  const most = Math.max(...shares)
  return units.filter((_, place) => (shares[place] ?? 0) * 2 >= most)
}
