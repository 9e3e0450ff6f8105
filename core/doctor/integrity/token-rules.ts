import type { SystemId } from '../../contract/memory.ts'
import { isWide } from '../../models/wide-characters.ts'

/** How a system counts the tokens of a text. */
export type TokenRule = (text: string) => number

const codePoints = (text: string): number => {
  let count = text.length
  for (let index = 0; index < text.length; index += 1) if ((text.charCodeAt(index) & 0xfc00) === 0xdc00) count -= 1
  return count
}

/** A quarter a code point, CJK 1.5, beyond the basic plane 2, rounded up over the sum. */
function weighted(text: string): number {
  let quarters = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const isPair = (unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    quarters += isPair ? 8 : isWide(unit) ? 6 : 1
    if (isPair) index += 1
  }
  return Math.ceil(quarters / 4)
}

/** By their own code; older releases of the first two counted four characters a token whatever the script. */
const RULES: Readonly<Record<SystemId, readonly TokenRule[]>> = {
  native: [],
  'lossless-claw': [weighted, (text) => Math.ceil(text.length / 4)],
  'lossless-claude': [(text) => Math.ceil(text.length / 4)],
  'hermes-lcm': [(text) => Math.floor(codePoints(text) / 4) + 1],
  argentos: [(text) => Math.ceil(text.length / 4)],
  'pi-lcm': [(text) => Math.ceil(text.length / 3.5)],
  decapod: [(text) => Math.floor((Buffer.byteLength(text) + 3) / 4)],
}

export const tokenRulesOf = (system: SystemId): readonly TokenRule[] => RULES[system]
