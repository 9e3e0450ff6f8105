import { assertNever } from '../errors.ts'
import { loadTokenizer, type Tokenizer } from './exact-tokenizer.ts'
import { estimateTokens } from './heuristic-tokens.ts'
import { isWide } from './wide-characters.ts'

/**
 * Counts what a text costs a model. The count is never negative and at least 1 for a non-empty text. It never throws.
 */
export interface TokenEstimator {
  /** The name is recorded with the memory, so that a reader knows what the stored counts mean. */
  readonly name: CountedBy
  count(text: string): number
}

/** The estimators that can be configured. `heuristic` is the newest one. */
export const TOKEN_ESTIMATORS = ['heuristic', 'o200k_base', 'cl100k_base'] as const
export type TokenEstimatorName = (typeof TOKEN_ESTIMATORS)[number]

/**
 * The estimators that a memory may be counted by. `heuristic` is the first one, because a name never changes its
 * meaning.
 */
const COUNTED_BY = ['heuristic', 'heuristic-2', 'o200k_base', 'cl100k_base'] as const
type CountedBy = (typeof COUNTED_BY)[number]

/**
 * Builds a configured estimator. `heuristic` (the default) needs no vocabulary; the others count exactly with the
 * published ones, which are loaded on first use (1 to 2 MB of JavaScript, about 100 ms).
 */
export const createTokenEstimator = (name: TokenEstimatorName = 'heuristic'): TokenEstimator =>
  estimatorCalled(name === 'heuristic' ? 'heuristic-2' : name)

/**
 * Returns the estimator that a memory was counted by, so that all of its counts can be compared, or null for an unknown
 * name.
 * @param recorded the name that the memory states
 */
export function recordedEstimator(recorded: unknown): TokenEstimator | null {
  const name = COUNTED_BY.find((known) => known === recorded)
  return name === undefined ? null : estimatorCalled(name)
}

function estimatorCalled(name: CountedBy): TokenEstimator {
  switch (name) {
    case 'heuristic':
      return { name, count: estimateTokensAtFirst }
    case 'heuristic-2':
      return { name, count: estimateTokens }
    case 'o200k_base':
    case 'cl100k_base':
      return exactEstimator(name)
    default:
      return assertNever(name)
  }
}

// The weights are quarters of a token, so that the sum stays an integer.
const QUARTERS_WIDE = 6
const QUARTERS_ASTRAL = 8

/**
 * Estimates tokens as this app did at first: ⌈Σ weight⌉ over the code points. One of a script without word breaks (han,
 * kana, hangul, full-width forms) weighs 1.5, one beyond the basic plane (emoji) 2, and every other one, also a lone
 * surrogate, ¼. Memories that were counted in this way keep it.
 */
function estimateTokensAtFirst(text: string): number {
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

type Vocabulary = Extract<CountedBy, 'o200k_base' | 'cl100k_base'>

function exactEstimator(name: Vocabulary): TokenEstimator {
  let tokenizer: Tokenizer | undefined
  const count = (text: string): number => {
    tokenizer ??= loadTokenizer(name)
    let tokens = 0
    // Control markers in a conversation are plain text: none is special.
    for (const piece of boundedPieces(text)) tokens += tokenizer.countNative(piece, undefined)
    return tokens
  }
  return { name, count }
}

/**
 * A tokenizer merges within a word in time quadratic in its length, so a longer run of one kind of character is counted
 * in pieces. That costs at most one token a piece. Ordinary text has no such run and is counted as a whole.
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
