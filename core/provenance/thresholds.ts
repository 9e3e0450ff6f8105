// All thresholds of provenance and trace. They were chosen on generated memories, hand-made pairs and planted facts, and
// measured on sets that were written later: see "Measured" in docs/provenance.md and docs/trace.md. `test/provenance`,
// `test/trace` and `npm run facts` measure them again.

/**
 * From which score on a passage supports a claim, or says a sentence that was followed; and from which on it does so
 * weakly, or may say it in other words.
 */
export const THRESHOLDS = { supported: 0.55, weak: 0.35 } as const

/** How a verdict on a claim of a summary is reached from its passages. */
export const VERDICT = {
  /** The score of a list whose names all stand in the sources. */
  list: 0.9,
  /** A second passage has to cover this much on its own, and each further passage costs a little. */
  leastPartner: 0.4,
  partnerCost: 0.04,
  /** The share of a claim's words that must stand around a specific for both to be about the same thing. */
  sameMatter: 0.5,
  /** The share of the words other than names, paths and numbers that the passages must contain for full support. */
  leastSaid: 0.7,
  /** The same share for pairs of characters. It is lower, because many pairs are endings that others write differently. */
  leastSaidInPairs: 0.5,
  /** Another passage with at least this share of the best score may name the actor. */
  asGood: 0.6,
} as const

/** How the fate of a sentence and its details is reached from the nearest passage of a text that was made from it. */
export const FATE = {
  /** The share of the words around a number that must stand around it in the other text, too. */
  sameMatter: 0.3,
  /** The share of a passage's words that a sentence must have for the passage to be a shorter form of it. */
  shorterForm: 0.6,
  /** The share of a sentence's other words beside which another value counts as a change: of numbers, and of names. */
  besideNumber: 0.34,
  besideName: 0.5,
  /** The share of a sentence's other words that a passage must have to say the same but for one value. */
  saysTheRest: 0.7,
  /** The share of a sentence's words that a passage must have to be its contrary, and not about something else. */
  swapped: 0.5,
  denied: 0.75,
  /** The share of a sentence's words in one passage from which on it may stand there in other words. */
  leastTrace: 0.2,
} as const

/** What the score of a passage is made of. */
export const SCORE = {
  words: 0.65,
  order: 0.15,
  specifics: 0.2,
  /** A passage with the words in another order counts as having this share of the order, times its share of the words. */
  leastOrder: 0.6,
  /** The factor of a score when the source denies what the claim says, or says the opposite. */
  flipped: 0.75,
  /** A wider passage has to score this much more for every further unit. */
  widthCost: 0.015,
  /** The highest score of a passage in which only one term is found. */
  lonely: 0.3,
  /** A word behind the first of those that a negation denies says what is denied only if so much of the rest is shared. */
  saysTheRest: 0.7,
} as const
