import { isWide } from './wide-characters.ts'

/**
 * Splits a text into the terms that it is compared by: lower-case words, and pairs of neighbouring characters where a
 * script has no word breaks (han, kana, hangul, Thai, Lao, Burmese, Khmer). Punctuation and emoji separate.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  let wordStart = -1
  let previousUnspaced = -1
  const length = text.length
  for (let index = 0; index <= length; index += 1) {
    const unit = index < length ? text.charCodeAt(index) : 32
    const isWord = unit < 128 ? ASCII_WORD[unit] === 1 : isLetterBeyondAscii(unit)
    if (isWord && wordStart < 0) wordStart = index
    if (!isWord && wordStart >= 0) {
      terms.push(text.slice(wordStart, index).toLowerCase())
      wordStart = -1
    }
    if (unit >= 0x0e00 && isUnspaced(unit)) {
      if (previousUnspaced === index - 1) terms.push(text.slice(index - 1, index + 1))
      previousUnspaced = index
    }
  }
  return terms
}

const ASCII_WORD = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_') {
  ASCII_WORD[character.charCodeAt(0)] = 1
}

/** Says whether a code unit belongs to a script without spaces between words. */
function isUnspaced(unit: number): boolean {
  if (unit < 0x1100) return unit <= 0x0eff || (unit >= 0x1000 && unit <= 0x109f)
  if (unit >= 0x1780 && unit <= 0x17ff) return true
  return isWide(unit) && !isWidePunctuation(unit)
}

function isLetterBeyondAscii(unit: number): boolean {
  if (unit < 0xaa || (unit >= 0x2000 && unit <= 0x2bff) || unit >= 0xd800) return false
  return !(unit >= 0x0e00 && isUnspaced(unit)) && !isWidePunctuation(unit)
}

function isWidePunctuation(unit: number): boolean {
  return (
    (unit >= 0x3000 && unit <= 0x303f && unit !== 0x3005) ||
    (unit >= 0xff00 && unit <= 0xff0f) ||
    (unit >= 0xff1a && unit <= 0xff20) ||
    unit === 0x30fb
  )
}
