import type { Hit, ReadUnit } from './unit-reader.ts'
import type { WeighedClaim } from './weighed-claim.ts'

/**
 * Two terms by which a claim and a passage part: one denies what the other asserts (then both are the same), or says the
 * contrary. Null when they agree, or nothing speaks for a difference.
 * @param units of the passage, with the hits of this claim only
 */
export function contradictionOf(weighed: WeighedClaim, units: readonly ReadUnit[]): readonly [number, number] | null {
  const { denied, asserted, soft, weights, turnable } = weighed
  const hits = units.flatMap((unit) => unit.hits)
  const sourceDenied = new Set(hits.filter((hit) => hit.isDenied).map((hit) => hit.term))
  const sourceAsserted = new Set(hits.filter((hit) => !hit.isDenied).map((hit) => hit.term))
  const isSoft = (term: number): boolean => soft.has(term) || hits.some((hit) => hit.term === term && hit.isSoft)
  if (denied.size > 0) {
    // The whole reach of a negation differs: one word alone may just stand elsewhere in the sentence.
    const shared = [...denied].filter((term) => sourceDenied.has(term) || sourceAsserted.has(term))
    const saidIn = bearing(units, weights).filter((unit) => unit.hits.some((hit) => shared.includes(hit.term)))
    const [lost] = shared
    if (lost !== undefined && !saidIn.some((unit) => deniesClaim(unit, weights)) && !shared.some(isSoft)) {
      return [lost, lost]
    }
    // The one denies just what the other asserts.
    const [turned] = [...sourceDenied].filter(
      (term) => asserted.has(term) && !denied.has(term) && !sourceAsserted.has(term),
    )
    const isApart = lost !== undefined && !shared.some((term) => sourceDenied.has(term) || isSoft(term))
    if (isApart && turned !== undefined && !isSoft(turned)) return [turned, turned]
  } else {
    const overlooked = [...sourceDenied].filter((term) => asserted.has(term) && !sourceAsserted.has(term))
    const [first] = overlooked
    if (first !== undefined && !overlooked.some(isSoft)) return [first, first]
  }
  for (const { term, alike, contrary, around } of turnable) {
    const isSaid = [term, ...alike].some((same) => sourceDenied.has(same) || sourceAsserted.has(same))
    if (isSaid || denied.has(term)) continue
    const other = contrary.find((opposite) => sourceAsserted.has(opposite) && standsNear(units, opposite, around))
    if (other !== undefined) return [term, other]
  }
  return null
}

/** Words between a verb and what it is said of. */
const NEAR = 8

const standsNear = (units: readonly ReadUnit[], term: number, around: ReadonlySet<number>): boolean =>
  around.size === 0 ||
  units.some(({ hits }) =>
    hits.some(
      (hit) =>
        hit.term === term && hits.some((other) => around.has(other.term) && Math.abs(other.place - hit.place) <= NEAR),
    ),
  )

/** The claim denies something, and the passage denies it too. */
export function agreesInDenial({ denied, soft, weights }: WeighedClaim, units: readonly ReadUnit[]): boolean {
  if (denied.size === 0) return false
  const isDenied = (hit: Hit, unit: ReadUnit): boolean =>
    denied.has(hit.term) && (deniesClaim(unit, weights) || hit.isSoft || soft.has(hit.term))
  return bearing(units, weights).some((unit) => unit.hits.some((hit) => isDenied(hit, unit)))
}

/** Something in the unit denies a word of the claim; what else it denies is no matter. */
const deniesClaim = (unit: ReadUnit, weights: ReadonlyMap<number, number>): boolean =>
  unit.denies && unit.hits.some((hit) => hit.isDenied && weights.has(hit.term))

/** Of the units of a passage those that carry the claim; a word of it may stand in a neighbour by chance. */
function bearing(units: readonly ReadUnit[], weights: ReadonlyMap<number, number>): ReadUnit[] {
  const shares = units.map(({ hits }) => new Set(hits.flatMap(({ term }) => (weights.has(term) ? [term] : []))).size)
  const most = Math.max(...shares)
  return units.filter((_, place) => (shares[place] ?? 0) * 2 >= most)
}
