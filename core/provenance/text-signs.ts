/**
 * Signs that a text may have something that is right or wrong to the letter. A rule that finds such things is only tried
 * on texts with the signs that each of its matches has.
 */
export const SIGNS = {
  digit: 1,
  slash: 2,
  at: 4,
  colon: 8,
  dash: 16,
  /** A point before a small letter. */
  extension: 32,
  /** What some part of an identifier has, see `isInIdentifier`. */
  identifier: 64,
  /** Two capitals, one after the other. */
  capitals: 128,
  /** A capital, or any character that is not ASCII. */
  capital: 256,
  quote: 512,
  /** At least this many digits or letters up to f, as a hash has. */
  hex: 1024,
} as const

/** Returns the signs that a text has, in one pass. */
export function signsIn(text: string): number {
  let signs = 0
  let before = 0
  let run = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    signs |= signOf(unit) | signsOfPair(before, unit)
    before = unit
    run = isHex(unit) ? run + 1 : 0
    if (run === SHORTEST_HASH) signs |= SIGNS.hex
  }
  return signs
}

function signOf(unit: number): number {
  if (isSmall(unit) || unit === SPACE) return 0
  if (isDigit(unit)) return SIGNS.digit
  if (isCapital(unit)) return SIGNS.capital
  switch (unit) {
    case 0x2f: // A slash.
    case BACKSLASH:
      return SIGNS.slash
    case 0x40: // An at sign.
      return SIGNS.at
    case COLON:
      return SIGNS.colon
    case DASH:
      return SIGNS.dash
    case UNDERSCORE:
    case HASH_SIGN:
      return SIGNS.identifier
    case 0x22: // A straight quotation mark.
    case 0x60: // A backtick.
      return SIGNS.quote
    default:
      return unit < 128 ? 0 : SIGNS.capital | SIGNS.quote
  }
}

function signsOfPair(before: number, unit: number): number {
  if (isSmall(unit))
    return before === POINT ? SIGNS.extension | SIGNS.identifier : before === DASH ? SIGNS.identifier : 0
  if (isCapital(unit) && isCapital(before)) return SIGNS.capitals
  return isInIdentifier(before, unit) ? SIGNS.identifier : 0
}

/** Whether two neighbours, the second of them no small letter, are what some kind of identifier has. */
function isInIdentifier(before: number, unit: number): boolean {
  if (isCapital(unit)) return isSmall(before) || isDigit(before) || before === POINT
  if (isDigit(unit)) return isSmall(before) || isCapital(before) || before === DASH
  switch (unit) {
    case 0x24: // A dollar sign after a point.
      return before === POINT
    case 0x28: // A bracket after a name.
      return isSmall(before) || isCapital(before) || isDigit(before) || before === UNDERSCORE || before === 0x24
    case COLON:
      return before === COLON
    case 0x3e: // An arrow.
      return before === DASH
    case 0x2b: // Two plus signs.
      return before === 0x2b
    default:
      return false
  }
}

const SHORTEST_HASH = 7
const SPACE = 0x20
const HASH_SIGN = 0x23
const DASH = 0x2d
const POINT = 0x2e
const COLON = 0x3a
const BACKSLASH = 0x5c
const UNDERSCORE = 0x5f

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39
const isCapital = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a
const isHex = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x61 && unit <= 0x66) || (unit >= 0x41 && unit <= 0x46)
const isSmall = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a
