import type { Hit, ReadUnit } from './passages.ts'
import type { WeighedClaim } from './weighed-claim.ts'

/**
 * Returns two terms in which a claim and a passage contradict each other: one denies what the other asserts (then both
 * terms are the same), or they are opposites. Returns null when nothing shows a contradiction.
 * @param units the units of the passage, with the hits of this claim only
 */
export function contradictionOf(weighed: WeighedClaim, units: readonly ReadUnit[]): readonly [number, number] | null {
  const { denied, asserted, soft, weights, turnable } = weighed
  const hits = units.flatMap((unit) => unit.hits)
  const sourceDenied = new Set(hits.filter((hit) => hit.isDenied).map((hit) => hit.term))
  const sourceAsserted = new Set(hits.filter((hit) => !hit.isDenied).map((hit) => hit.term))
  const isSoft = (term: number): boolean => soft.has(term) || hits.some((hit) => hit.term === term && hit.isSoft)
  if (denied.size > 0) {
    // The denied terms have to differ as a whole, because a single word may just stand elsewhere in the sentence.
    const shared = [...denied].filter((term) => sourceDenied.has(term) || sourceAsserted.has(term))
    const saidIn = bearing(units, weights).filter((unit) => unit.hits.some((hit) => shared.includes(hit.term)))
    const [lost] = shared
    if (lost !== undefined && !saidIn.some((unit) => deniesClaim(unit, weights)) && !shared.some(isSoft)) {
      return [lost, lost]
    }
    // One side denies exactly what the other asserts.
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
export function agreesInDenial({ denied, soft, weights }: WeighedClaim, units: readonly ReadUnit[]): boolean {
  if (denied.size === 0) return false
  const isDenied = (hit: Hit, unit: ReadUnit): boolean =>
    denied.has(hit.term) && (deniesClaim(unit, weights) || hit.isSoft || soft.has(hit.term))
  return bearing(units, weights).some((unit) => unit.hits.some((hit) => isDenied(hit, unit)))
}

/** Returns whether a unit denies a word of the claim, whatever else it denies. */
const deniesClaim = (unit: ReadUnit, weights: ReadonlyMap<number, number>): boolean =>
  unit.denies && unit.hits.some((hit) => hit.isDenied && weights.has(hit.term))

/** Returns those units of a passage that support the claim. A word of the claim may stand in a neighbour by chance. */
function bearing(units: readonly ReadUnit[], weights: ReadonlyMap<number, number>): ReadUnit[] {
  const shares = units.map(({ hits }) => new Set(hits.flatMap(({ term }) => (weights.has(term) ? [term] : []))).size)
  const most = Math.max(...shares)
  return units.filter((_, place) => (shares[place] ?? 0) * 2 >= most)
}
