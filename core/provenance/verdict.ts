import type { Role } from '../contract/ids.ts'
import type { Standing, Support } from '../contract/provenance.ts'
import { type Comparison, isShortNumber, NUMBERS, namedInstead } from './comparison.ts'
import type { Occurrence } from './passages.ts'
import { actorOf, isByAnother } from './relations.ts'
import type { Specific } from './specifics.ts'
import { SCORE, THRESHOLDS, VERDICT } from './thresholds.ts'
import type { Claim } from './vocabulary.ts'
import type { Candidate } from './window-comparison.ts'

export type JudgedSpecific = Specific & {
  readonly standing: Standing
  readonly place: Occurrence | null
  readonly instead: string | null
}

export type Verdict = {
  readonly support: Support
  readonly score: number
  readonly sourceScore: number | null
  readonly specifics: readonly JudgedSpecific[]
  readonly flip: string | null
  /** True when the passages contain most of the claim's words and not only its names. */
  readonly isSaid: boolean
  /** True when the claim denies something that no passage denies. */
  readonly isDenialMissing: boolean
  /** A sentence that names what the passage reverses: the order of two things, or the actor. */
  readonly objection: string | null
}

export type Evidence = {
  readonly claim: Claim
  readonly candidates: readonly Candidate[]
  readonly comparison: Comparison
  /** True when the summary has source summaries, which may say what no message says. */
  readonly isCondensed: boolean
  /** True when the summary stands for any messages. */
  readonly hasMessages: boolean
  /** Returns whether something is known of the sources besides their texts: times of writing and names of calls. */
  isInMetadata(kind: string, text: string): boolean
  /** Returns the role of a message, or null when the id is none of a message. */
  roleOf(id: string): Role | null
}

/** Judges a claim by what was found for it. */
export function judge(evidence: Evidence): Verdict {
  const { claim, candidates, comparison, isCondensed, hasMessages } = evidence
  const { index, scorer } = comparison
  const ofKind = (kind: 'message' | 'summary'): Candidate[] =>
    candidates.filter((candidate) => index.texts[candidate.text]?.kind === kind)
  const messages = together(evidence, ofKind('message'))
  const summaries = together(evidence, ofKind('summary'))
  const bearing = hasMessages ? [...messages.used, ...summaries.used] : summaries.used
  const specifics = claim.specifics.map((specific) => judgeSpecific(evidence, specific, bearing))
  const listed = isList(claim) ? VERDICT.list * matchedShare(specifics) : 0
  const [score, sourceScore] = [Math.max(messages.score, listed), isCondensed ? summaries.score : null]
  const isLacking = specifics.some(
    ({ kind, standing }) => standing !== 'matched' && !(kind === 'name' && standing === 'elsewhere'),
  )
  const best = hasMessages ? messages : summaries
  const flip = best.used[0]?.flip ?? null
  let support = supportOf(score, sourceScore, hasMessages)
  const isSaid =
    isList(claim) || saidShare(evidence, bearing) >= (isInPairs(claim) ? VERDICT.leastSaidInPairs : VERDICT.leastSaid)
  const isDenialMissing = scorer.denies(claim) && !bearing.some((passage) => passage.agreesInDenial)
  const objection = objectionOf(evidence, best.used[0], candidates)
  const isOpposed = flip !== null || objection !== null
  if (support === 'supported' && (isLacking || isOpposed || !isSaid || isDenialMissing)) support = 'weak'
  // None of the specifics that can be checked to the letter was found, and the words alone do not support the claim.
  const checkable = specifics.filter(({ kind }) => kind !== 'name')
  if (support === 'weak' && checkable.length > 0 && checkable.every(({ standing }) => standing === 'nowhere')) {
    if (Math.max(score, sourceScore ?? 0) < THRESHOLDS.supported * 0.8) support = 'none'
  }
  return { support, score, sourceScore, specifics, flip, isSaid, isDenialMissing, objection }
}

/** Returns a sentence about what the best passage reverses: the order of two things, or the actor. */
function objectionOf(
  { claim, comparison, roleOf }: Evidence,
  best: Candidate | undefined,
  candidates: readonly Candidate[],
): string | null {
  if (!best) return null
  const said = (candidate: Candidate): string => comparison.textOf(candidate)
  const swapped = comparison.swappedIn(claim, best)
  if (swapped) return `The passage has the two the other way round (${swapped.join(', ')}).`
  const actor = actorOf(claim.text)
  if (actor === null) return null
  const role = ({ text }: Candidate): Role | null => roleOf(comparison.index.texts[text]?.id ?? '')
  if (!isByAnother(actor, role(best), said(best))) return null
  const isToldElsewhere = candidates.some(
    (other) =>
      other.score >= VERDICT.asGood * best.score &&
      role(other) !== null &&
      !isByAnother(actor, role(other), said(other)),
  )
  return isToldElsewhere ? null : `The passage was written by the ${role(best)}, not by the ${actor}.`
}

/**
 * Returns which share of the claim's words about its names and numbers the passages contain, or 1 when it has no such
 * words. Every word counts the same, because a word that is common in the sources may still be what was never said
 * here.
 */
function saidShare({ claim, comparison }: Evidence, bearing: readonly Candidate[]): number {
  const held = new Set(bearing.flatMap(({ matches }) => matches.map(({ term }) => term)))
  const words = new Set(claim.terms.filter(({ isSpecific }) => !isSpecific).map(({ term }) => term))
  const telling = [...words].filter((term) => held.has(term) || !comparison.index.vocabulary.isReporting[term])
  return telling.length === 0 ? 1 : telling.filter((term) => held.has(term)).length / telling.length
}

/** Returns whether a claim is a list of names and paths, each of which may come from another place. */
function isList({ terms, specifics }: Claim): boolean {
  const said = new Set(terms.filter(({ isSpecific }) => !isSpecific).map(({ term }) => term))
  return said.size === 0 || (specifics.length >= 3 && said.size < specifics.length)
}

const matchedShare = (specifics: readonly JudgedSpecific[]): number =>
  specifics.filter(({ standing }) => standing === 'matched').length / Math.max(1, specifics.length)

/** Returns whether most words of a claim are pairs of characters. */
function isInPairs({ terms }: Claim): boolean {
  const said = terms.filter(({ isSpecific }) => !isSpecific)
  return said.filter(({ isPair }) => isPair).length * 2 > said.length
}

function supportOf(score: number, sourceScore: number | null, hasMessages: boolean): Support {
  const { supported, weak } = THRESHOLDS
  const source = sourceScore ?? 0
  if (!hasMessages) return source >= supported ? 'supported' : source >= weak ? 'weak' : 'none'
  // A source summary supports a claim only when the messages support it, too, at least weakly.
  if (score >= supported || (source >= supported && score >= weak)) return 'supported'
  return score >= weak || source >= weak ? 'weak' : 'none'
}

/**
 * Returns the best passage, together with others that cover what it does not. A sentence may merge what was said in two
 * places.
 */
function together(
  { claim, comparison }: Evidence,
  candidates: readonly Candidate[],
): { score: number; used: Candidate[] } {
  const [best] = candidates
  if (!best) return { score: 0, used: [] }
  const used = [best]
  let score = best.score
  if (best.flip !== null) return { score, used }
  const terms = new Map<number, number>()
  for (const { term, share } of claim.terms) {
    terms.set(term, Math.max(terms.get(term) ?? 0, comparison.scorer.weightOf(term) * share))
  }
  let total = 0
  for (const weight of terms.values()) total += weight
  const held = new Set(best.matches.map(({ term }) => term))
  const specifics = new Set(best.specifics.keys())
  for (const next of candidates.slice(1, 3)) {
    if (next.score < VERDICT.leastPartner || next.flip !== null) continue
    let gain = 0
    for (const { term } of next.matches) {
      if (held.has(term)) continue
      held.add(term)
      gain += terms.get(term) ?? 0
    }
    const before = specifics.size
    for (const specific of next.specifics.keys()) specifics.add(specific)
    const gained =
      SCORE.words * (total > 0 ? gain / total : 0) +
      (claim.specifics.length > 0 ? (SCORE.specifics * (specifics.size - before)) / claim.specifics.length : 0)
    if (gained <= VERDICT.partnerCost) continue
    score = Math.min(1, score + gained - VERDICT.partnerCost)
    used.push(next)
  }
  return { score, used }
}

function judgeSpecific(evidence: Evidence, specific: number, bearing: readonly Candidate[]): JudgedSpecific {
  const { claim, comparison, isCondensed, hasMessages } = evidence
  const { index } = comparison
  const sought = comparison.specific(specific)
  const inMessages = (place: Occurrence): boolean => index.texts[place.text]?.kind === 'message'
  const all = index.occurrencesOf(specific)
  const real = hasMessages ? all.filter(inMessages) : all
  const judged = (standing: Standing, place: Occurrence | null): JudgedSpecific => ({
    ...sought,
    standing,
    place,
    instead: standing === 'matched' ? null : insteadOf(evidence, sought, bearing),
  })
  const [first] = real
  if (!first) {
    if (evidence.isInMetadata(sought.kind, sought.text)) return judged('matched', null)
    return isCondensed && all[0] ? judged('source_only', all[0]) : judged('nowhere', null)
  }
  let isInSummary = false
  for (const { text, specifics } of bearing) {
    const found = specifics.get(specific)
    if (!found) continue
    const place = { text, unit: -1, start: found[0], end: found[1] }
    if (!hasMessages || inMessages(place) || !isShortNumber(sought)) return judged('matched', place)
    // A source summary says this number here. The messages may have it about something else.
    isInSummary = true
  }
  // In a list every name is a claim of its own.
  if (isList(claim) && !NUMBERS.has(sought.kind)) return judged('matched', first)
  // The passage has another number where the claim has this one.
  if (NUMBERS.has(sought.kind) && !isInSummary && insteadOf(evidence, sought, bearing) !== null)
    return judged('elsewhere', first)
  // Whatever else stands in the same text is about the same thing. This does not hold for numbers, of which a text has
  // many.
  const beside = real.find((place) => bearing.some((passage) => passage.text === place.text))
  if (beside && !NUMBERS.has(sought.kind)) return judged('matched', beside)
  const isSameMatter = (place: Occurrence): boolean =>
    comparison.shareAround(claim, sought, place) >= VERDICT.sameMatter
  const related = real.slice(0, 200).find(isSameMatter)
  return related ? judged('matched', related) : judged('elsewhere', first)
}

/**
 * Returns what the best passage has in place of a specific: another one of the same kind that the claim lacks, beside
 * words that both have.
 */
function insteadOf({ claim, comparison }: Evidence, sought: Specific, bearing: readonly Candidate[]): string | null {
  for (const passage of bearing) {
    const near = passage.matches
      .toSorted((a, b) => distance(a.claimStart, sought.start) - distance(b.claimStart, sought.start))
      .slice(0, 2)
      .map((match) => match.start - passage.start)
    const others = comparison.othersIn(claim, sought, passage)
    const best = others.toSorted((a, b) => nearest(a.start, near) - nearest(b.start, near))[0]
    if (best && nearest(best.start, near) <= FAR) return namedInstead(best, sought)
  }
  return null
}

/** Two things within this many characters may belong together. */
const FAR = 120
const distance = (a: number, b: number): number => Math.abs(a - b)
const nearest = (at: number, places: readonly number[]): number =>
  places.reduce(
    (least, place) => Math.min(least, distance(at, place)),
    places.length === 0 ? 0 : Number.POSITIVE_INFINITY,
  )
