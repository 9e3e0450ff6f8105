export type Timing = { readonly p50: number; readonly p95: number; readonly max: number; readonly runs: number }

/** Milliseconds of several runs. */
export function timingOf(milliseconds: readonly number[]): Timing {
  const sorted = milliseconds.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: at(1), runs: sorted.length }
}

/** How long the action takes, in milliseconds. */
export async function timed(action: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await action()
  return performance.now() - startedMs
}

export const megabytes = (bytes: number): number => bytes / 1_000_000
