import { isWide } from './wide-characters.ts'

/**
 * How this app estimated tokens at first: ⌈Σ weight⌉ over the code points, where one of a script without word breaks
 * (han, kana, hangul, full-width forms) weighs 1.5, one beyond the basic plane (emoji) 2 and every other one ¼; lone
 * surrogates weigh ¼. Memories that were counted in this way go on with it.
 */
// Weights in quarters of a token, so that the sum stays an integer.
const QUARTERS_WIDE = 6
const QUARTERS_ASTRAL = 8

export function estimateTokensAtFirst(text: string): number {
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
