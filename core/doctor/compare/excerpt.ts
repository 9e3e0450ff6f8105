import { singleLine } from '../../text.ts'

const LONGEST = 200
const BEFORE = 40

/** Returns the beginning of a text as one line. */
export const excerptOf = (text: string): string => cut(text, 0)

/** Returns excerpts of two texts from shortly before their first difference. */
export function excerptsAround(a: string, b: string): [string, string] {
  const left = singleLine(a)
  const right = singleLine(b)
  const most = Math.min(left.length, right.length)
  let same = 0
  while (same < most && left[same] === right[same]) same += 1
  const from = same <= LONGEST / 2 ? 0 : same - BEFORE
  return [cut(left, from), cut(right, from)]
}

function cut(text: string, from: number): string {
  const line = singleLine(text.slice(from, from + 8 * LONGEST))
  const characters = [...line.slice(0, 2 * LONGEST)]
  const shown = characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join('')}…`
  return (from > 0 ? `…${shown}` : shown).toWellFormed()
}
