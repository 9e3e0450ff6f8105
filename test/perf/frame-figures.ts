/** What a run of frames came to. */
export type FrameFigures = {
  readonly frames: number
  readonly framesPerSecond: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly worstMs: number
}

/** Out of the times at which frames began. */
export function frameFigures(atMs: readonly number[]): FrameFigures {
  const gaps = atMs.slice(1).map((at, order) => at - (atMs[order] ?? at))
  const sorted = [...gaps].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const tookMs = (atMs.at(-1) ?? 0) - (atMs[0] ?? 0)
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    frames: gaps.length,
    framesPerSecond: tookMs > 0 ? round((gaps.length * 1000) / tookMs) : 0,
    medianMs: round(at(0.5)),
    p95Ms: round(at(0.95)),
    worstMs: round(at(1)),
  }
}
