/** Milliseconds of many tries. */
export type Tries = { readonly p50: number; readonly p95: number; readonly max: number; readonly tries: number }

export function triesOf(taken: readonly number[]): Tries {
  const sorted = [...taken].sort((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p95: at(0.95), max: at(1), tries: taken.length }
}
