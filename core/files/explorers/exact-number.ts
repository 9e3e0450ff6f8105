/** A number of a file with the text that shows it. */
export type ExactNumber = {
  readonly value: number
  readonly shown: string
  /** The digits of the file, when `value` cannot hold them. */
  readonly decimal: Decimal | null
}

/** `digits` × 10 ^ `exponent`; the digits end with no zero. */
type Decimal = { readonly isNegative: boolean; readonly digits: string; readonly exponent: bigint }

/** A number with so few characters, and without an exponent, is held as it is written. */
const SURELY_EXACT_CHARS = 15
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/** A number that can be held is shown as JavaScript writes it, any other as it stands in the file. */
export function exactNumber(value: number, written: string): ExactNumber {
  const isPlain = written.length <= SURELY_EXACT_CHARS && Number.isFinite(value) && !/[eE]/.test(written)
  const decimal = isPlain ? null : decimalOf(written)
  const held = decimal === null ? null : decimalOf(String(value))
  if (decimal === null || (held !== null && compare(held, decimal) === 0))
    return { value, shown: String(value), decimal: null }
  return { value, shown: written, decimal }
}

export const isFraction = ({ value, decimal }: ExactNumber): boolean =>
  !Number.isInteger(value) || (decimal !== null && decimal.exponent < 0n)

export function isLess(a: ExactNumber, b: ExactNumber): boolean {
  if (a.value !== b.value) return a.value < b.value
  if (a.decimal === null && b.decimal === null) return false
  const [one, other] = [a, b].map(({ value, decimal }) => decimal ?? decimalOf(String(value)))
  return one && other ? compare(one, other) < 0 : false
}

function decimalOf(written: string): Decimal | null {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(written) ?? []
  if (whole === undefined) return null
  const all = `${whole}${fraction}`
  const digits = all.replace(/0+$/, '')
  const zeros = BigInt(all.length - digits.length - fraction.length)
  return { isNegative: sign === '-', digits: digits.replace(/^0+/, ''), exponent: BigInt(exponent) + zeros }
}

/** Negative when `a` is less, 0 when both are the same. */
function compare(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return signOf(a) - signOf(b)
  if (a.isNegative !== b.isNegative) return signOf(a) - signOf(b)
  const [sizeA, sizeB] = [a, b].map(({ digits, exponent }) => BigInt(digits.length) + exponent) as [bigint, bigint]
  const direction = a.isNegative ? -1 : 1
  if (sizeA !== sizeB) return sizeA < sizeB ? -direction : direction
  // Texts of digits of one size are in the order of their characters.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -direction : direction
}

const signOf = ({ isNegative, digits }: Decimal): number => (digits === '' ? 0 : isNegative ? -1 : 1)
