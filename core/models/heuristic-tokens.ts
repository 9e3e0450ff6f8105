/**
 * Estimates tokens without a vocabulary, in one pass of an automaton that follows how tokenizers of the GPT family first
 * cut a text: into words with a space or mark before them, at capitals within a word, into groups of three digits, runs
 * of marks, and white space. What each piece costs was fitted to the counts of `o200k_base` over real transcripts of
 * agents (docs/decisions/0006-models.md).
 */

import { once } from '../keeping.ts'

/** All weights are in tokens. */
const WEIGHTS = {
  word: 0.97,
  /** The weight of a word after a single mark, which is a part of it: `.name`, `(value`. */
  wordAfterMark: 0.64,
  /** Each letter of a word after the 6th has this weight, and more after the 10th, because long words are split. */
  letterAfter6: 0.076,
  letterAfter10: 0.137,
  /** The weight of each letter after the 2nd of a word in capitals. */
  capital: 0.142,
  /** The weight of up to three digits. */
  digits: 1.17,
  digitsAfterLetter: 1.25,
  /** A number does not include the space before it. */
  digitsAfterSpace: 2.03,
  mark: 0.99,
  /** The weight of each mark up to the 4th of a run. More of them are mostly equal, and one token with it. */
  markInRun: 0.15,
  spaces: 1.32,
  tab: 1.32,
  /** White space with a line break is one token, and none after a mark. */
  lineBreak: 1.36,
  moreAfterLineBreak: 0.61,
  /** The weight of each accented letter in addition to its word, because words of other languages are split more. */
  accent: 1.4,
  /** The weight of a letter of another alphabet. */
  otherLetter: 0.42,
  symbol: 1.63,
  symbolAgain: 0.16,
  /** The weight of han, kana, hangul and full-width forms. */
  wide: 1.5,
  /** The weight of half of a character beyond the basic plane, such as an emoji. */
  surrogate: 1,
} as const

type Weight = keyof typeof WEIGHTS

const KINDS = [
  'lower',
  'upper',
  'digit',
  'space',
  'tab',
  'lineBreak',
  'mark',
  'accented',
  'otherLetter',
  'symbol',
  'wide',
  'surrogate',
] as const
type Kind = (typeof KINDS)[number]

const STATES = [
  'start',
  // These states count the letters of a word.
  ...(['word1', 'word2', 'word3', 'word4', 'word5', 'word6', 'word7', 'word8', 'word9', 'word10', 'word11'] as const),
  'capital1',
  'capital2',
  'capitalWord',
  'digits1',
  'digits2',
  'digits3',
  'space',
  'spaces',
  'lineBreak',
  'moreAfterLineBreak',
  'mark1',
  'mark2',
  'mark3',
  'mark4',
  'mark5',
  'lineBreakAfterMark',
  'symbol',
  'other',
] as const
type State = (typeof STATES)[number]

type Step = readonly [next: State, ...costs: Weight[]]

/** Says what a character of this kind costs in this state, and which state follows. */
function step(state: State, kind: Kind): Step {
  switch (kind) {
    case 'lower':
      return letter(state)
    case 'accented': {
      const [next, ...costs] = letter(state)
      return [next, ...costs, 'accent']
    }
    case 'upper':
      if (state === 'capital1') return ['capital2']
      if (state === 'capital2') return ['capital2', 'capital']
      return ['capital1', wordAfter(state)]
    case 'digit':
      if (state === 'digits1') return ['digits2']
      if (state === 'digits2') return ['digits3']
      if (isLetters(state)) return ['digits1', 'digitsAfterLetter']
      return ['digits1', state === 'space' || state === 'spaces' ? 'digitsAfterSpace' : 'digits']
    case 'space':
    case 'tab':
      return blank(state, kind)
    case 'lineBreak':
      if (isMarks(state)) return ['lineBreakAfterMark']
      if (state === 'lineBreak' || state === 'lineBreakAfterMark') return ['moreAfterLineBreak', 'moreAfterLineBreak']
      if (state === 'moreAfterLineBreak' || state === 'spaces') return ['moreAfterLineBreak']
      return ['lineBreak', 'lineBreak']
    case 'mark':
      return mark(state)
    case 'symbol':
      return ['symbol', state === 'symbol' ? 'symbolAgain' : 'symbol']
    default:
      return ['other', kind]
  }
}

const isLetters = (state: State): boolean => /^(?:word|capital)/.test(state)
const isMarks = (state: State): boolean => /^mark/.test(state)
const wordAfter = (state: State): Weight => (state === 'mark1' ? 'wordAfterMark' : 'word')

function letter(state: State): Step {
  if (state === 'capital1') return ['word2']
  if (state === 'capital2' || state === 'capitalWord') return ['capitalWord', 'capital']
  const before = /^word(\d+)$/.exec(state)
  if (!before) return ['word1', wordAfter(state)]
  const letters = Number(before[1]) + 1
  if (letters > 10) return ['word11', 'letterAfter10']
  const next = `word${letters}` as State
  return letters > 6 ? [next, 'letterAfter6'] : [next]
}

function blank(state: State, kind: 'space' | 'tab'): Step {
  if (state === 'space') return ['spaces', 'spaces']
  if (state === 'spaces' || state === 'moreAfterLineBreak') return [state]
  if (state === 'lineBreak' || state === 'lineBreakAfterMark') return ['moreAfterLineBreak', 'moreAfterLineBreak']
  return kind === 'space' ? ['space'] : ['spaces', 'tab']
}

function mark(state: State): Step {
  const before = /^mark(\d)$/.exec(state)
  if (!before) return ['mark1', 'mark']
  const marks = Number(before[1]) + 1
  return marks >= 5 ? ['mark5'] : [`mark${marks}` as State, 'markInRun']
}

// Costs are whole numbers of 1/256 token, so that a sum does not depend on its order.
const UNITS = 256
const KIND_BITS = 4
const NO_KIND = KINDS.length
const COST_BITS = 12
const COST_MASK = (1 << COST_BITS) - 1

/**
 * Takes two steps at once, which needs half the time: the index is a state and two kinds, the value is the next state
 * above the cost of both. The last character of a text of odd length has no second one. Most programs that open a memory
 * estimate nothing.
 */
const steps = once((): Int32Array => {
  const singleSteps = STATES.map((state) =>
    KINDS.map((kind) => {
      const [next, ...costs] = step(state, kind)
      return {
        next: STATES.indexOf(next),
        cost: costs.reduce((sum, name) => sum + Math.round(WEIGHTS[name] * UNITS), 0),
      }
    }),
  )
  const all = new Int32Array(STATES.length << (2 * KIND_BITS))
  singleSteps.forEach((row, state) => {
    row.forEach((first, kind) => {
      const seconds = [...(singleSteps[first.next] ?? []), { next: first.next, cost: 0 }]
      seconds.forEach((second, secondKind) => {
        const index = (state << (2 * KIND_BITS)) | (kind << KIND_BITS) | secondKind
        all[index] = (second.next << (2 * KIND_BITS + COST_BITS)) | (first.cost + second.cost)
      })
    })
  })
  return all
})

/** Ranges of UTF-16 code units. Any other unit is a mark in ASCII and a symbol beyond. */
const RANGES: readonly (readonly [from: number, to: number, kind: Kind])[] = [
  [0x80, 0xffff, 'symbol'],
  [0xc0, 0x24f, 'accented'],
  [0x250, 0x1fff, 'otherLetter'],
  [0x1e00, 0x1eff, 'accented'],
  [0x1100, 0x11ff, 'wide'],
  // These are dashes, quotation marks and the ellipsis.
  [0x2010, 0x205e, 'mark'],
  [0x2e80, 0xa4cf, 'wide'],
  [0xa960, 0xa97f, 'wide'],
  [0xac00, 0xd7ff, 'wide'],
  [0xd800, 0xdfff, 'surrogate'],
  [0xf900, 0xfaff, 'wide'],
  [0xfe30, 0xfe4f, 'wide'],
  [0xff00, 0xffef, 'wide'],
  [0, 0x7f, 'mark'],
  [0x61, 0x7a, 'lower'],
  [0x41, 0x5a, 'upper'],
  [0x30, 0x39, 'digit'],
  [0x20, 0x20, 'space'],
  [0x09, 0x09, 'tab'],
  [0x0a, 0x0a, 'lineBreak'],
  [0x0d, 0x0d, 'lineBreak'],
]
const kindOf = once((): Uint8Array => {
  const kinds = new Uint8Array(0x10000)
  for (const [from, to, kind] of RANGES) kinds.fill(KINDS.indexOf(kind), from, to + 1)
  return kinds
})

// Reading characters one by one from a string takes twice as long. The length is even.
const units = new Uint16Array(8192)
const bytes = Buffer.from(units.buffer)

/** Returns at least 1 for a non-empty text, and at least as much as for any beginning of the text. */
export function estimateTokens(text: string): number {
  const { length } = text
  const [stepOf, kinds] = [steps(), kindOf()]
  let state = 0
  let cost = 0
  for (let from = 0; from < length; from += units.length) {
    const count = Math.min(units.length, length - from)
    bytes.write(length <= units.length ? text : text.slice(from, from + count), 'utf16le')
    const even = count & ~1
    for (let index = 0; index < even; index += 2) {
      const first = kinds[units[index] as number] as number
      const second = kinds[units[index + 1] as number] as number
      const entry = stepOf[state | (first << KIND_BITS) | second] as number
      state = entry >> COST_BITS
      cost += entry & COST_MASK
    }
    // Only the last piece of a text can have an odd length.
    if (even < count) {
      const last = kinds[units[even] as number] as number
      cost += (stepOf[state | (last << KIND_BITS) | NO_KIND] as number) & COST_MASK
    }
  }
  return Math.ceil(cost / UNITS)
}
