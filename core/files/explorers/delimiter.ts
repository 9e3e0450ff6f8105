const DELIMITERS = ['\t', ',', ';', '|'] as const
const LINES_LOOKED_AT = 30
const LINE_ENDING = /\r\n|\n|\r/
/** A quotation mark opens a quoted value only at its start. */
const QUOTED = /(^|[\t,;|\n\r])"(?:[^"]|""){0,10000}"/g

/**
 * Finds the character that cuts most lines into the same number of columns, outside of quotation marks. Null when there
 * is none.
 */
export function delimiterOf(head: string): string | null {
  const lines = head
    .replaceAll(QUOTED, '$1q')
    .split(LINE_ENDING, LINES_LOOKED_AT + 1)
    .slice(0, LINES_LOOKED_AT)
    .filter((line) => line.trim() !== '')
  let best: { delimiter: string; score: number } | null = null
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const most = mostFrequent(counts.filter((count) => count > 0))
    const same = counts.filter((count) => count === most).length
    const score = same / Math.max(1, lines.length)
    if (most > 0 && score > (best?.score ?? 0.5)) best = { delimiter, score }
  }
  return best?.delimiter ?? null
}

/** Says whether lines look like a table although no name says so: nearly all have the same three columns or more. */
export function isLikelyTable(head: string): boolean {
  const delimiter = delimiterOf(head)
  if (delimiter === null) return false
  const lines = head.split(LINE_ENDING, LINES_LOOKED_AT).filter((line) => line.trim() !== '')
  const counts = lines.slice(0, -1).map((line) => line.replaceAll(/"[^"]*"/g, 'q').split(delimiter).length)
  const most = mostFrequent(counts)
  return counts.length >= 3 && most >= 3 && counts.filter((count) => count === most).length >= counts.length * 0.9
}

function mostFrequent(numbers: readonly number[]): number {
  const times = new Map<number, number>()
  for (const number of numbers) times.set(number, (times.get(number) ?? 0) + 1)
  return [...times].sort(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? 0
}
