import { createRequire } from 'node:module'
import { assertNever, LcmError } from '../errors.ts'

/** Counts what a text costs a model. Never negative, never less than 1 for text that is not empty, never throws. */
export interface TokenEstimator {
  /** Recorded with the memory, so that a reader knows what the stored counts mean. */
  readonly name: TokenEstimatorName
  count(text: string): number
}

export const TOKEN_ESTIMATORS = ['heuristic', 'o200k_base', 'cl100k_base'] as const
export type TokenEstimatorName = (typeof TOKEN_ESTIMATORS)[number]

/**
 * Builds an estimator by name.
 *
 * `heuristic` (the default) needs no vocabulary: tokens = ⌈Σ weight⌉ over the code points, where a code point of a
 * script without word breaks (han, kana, hangul, full-width forms) weighs 1.5, one beyond the basic plane (emoji) 2
 * and every other one ¼; lone surrogates weigh ¼. The others count exactly with the published vocabularies, which are
 * loaded on first use (1 to 2 MB of JavaScript, about 100 ms).
 */
export function createTokenEstimator(name: TokenEstimatorName = 'heuristic'): TokenEstimator {
  switch (name) {
    case 'heuristic':
      return { name, count: estimateTokens }
    case 'o200k_base':
    case 'cl100k_base':
      return exactEstimator(name)
    default:
      return assertNever(name)
  }
}

// Weights in quarters of a token, so that the sum stays an integer.
const QUARTERS_WIDE = 6
const QUARTERS_ASTRAL = 8

function estimateTokens(text: string): number {
  const length = text.length
  let quarters = length
  // UTF-8 is as long as UTF-16 only for ASCII, and that comparison runs at the speed of memory.
  if (length < 64 || Buffer.byteLength(text) !== length) {
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index)
      if (unit < 0x1100) continue
      if (isWide(unit)) quarters += QUARTERS_WIDE - 1
      else if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
        quarters += QUARTERS_ASTRAL - 2
        index += 1
      }
    }
  }
  return Math.ceil(quarters / 4)
}

/** Han, kana, bopomofo, hangul, yi and full-width forms of the basic plane. */
export function isWide(unit: number): boolean {
  if (unit < 0x2e80) return unit >= 0x1100 && unit <= 0x11ff
  if (unit <= 0xa4cf) return true
  if (unit < 0xac00) return unit >= 0xa960 && unit <= 0xa97f
  if (unit <= 0xd7ff) return true
  return (unit >= 0xf900 && unit <= 0xfaff) || (unit >= 0xfe30 && unit <= 0xfe4f) || (unit >= 0xff00 && unit <= 0xffef)
}

type Tokenizer = { countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number }

function exactEstimator(name: TokenEstimatorName): TokenEstimator {
  let tokenizer: Tokenizer | undefined
  // Control markers in a conversation are text like any other: none is allowed to act, none is refused.
  const options = { disallowedSpecial: new Set<string>() }
  const count = (text: string): number => {
    tokenizer ??= loadTokenizer(name)
    let tokens = 0
    for (const piece of boundedPieces(text)) tokens += tokenizer.countTokens(piece, options)
    return tokens
  }
  return { name, count }
}

/** Required, not imported: who counts by the heuristic never pays for a vocabulary, and opening a file stays synchronous. */
function loadTokenizer(name: TokenEstimatorName): Tokenizer {
  try {
    return createRequire(import.meta.url)(`gpt-tokenizer/cjs/encoding/${name}`) as Tokenizer
  } catch (error) {
    throw new LcmError(
      'unsupported',
      `The vocabulary ${name} cannot be loaded: install the package gpt-tokenizer, or set LCM_TOKEN_ESTIMATOR=heuristic.`,
      { estimator: name },
      { cause: error },
    )
  }
}

/**
 * A tokenizer merges within a word in time quadratic in its length, so a run of one kind of character longer than
 * this is counted in pieces. It costs at most one token a cut; ordinary text has no such run and is counted whole.
 */
const LONGEST_RUN = 1024

function* boundedPieces(text: string): Generator<string> {
  let from = 0
  let runStart = 0
  let runKind = -1
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const kind = unit > 127 ? runKind : asciiKind(unit)
    if (kind !== runKind) {
      runKind = kind
      runStart = index
    } else if (index - runStart >= LONGEST_RUN && (unit & 0xfc00) !== 0xdc00) {
      yield text.slice(from, index)
      from = index
      runStart = index
    }
  }
  yield text.slice(from)
}

function asciiKind(unit: number): number {
  const lower = unit | 0x20
  if (lower >= 97 && lower <= 122) return 0
  if (unit >= 48 && unit <= 57) return 1
  return unit === 32 || (unit >= 9 && unit <= 13) ? 2 : 3
}
