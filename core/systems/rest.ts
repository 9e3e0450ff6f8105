/** While nothing says that rows changed in their place, they are looked at again at most a tenth of the time. */
const REST_SHARE = 10
/** What takes no longer than this is looked at again whenever the file changed. */
const SHORT_MS = 5
const LONGEST_REST_MS = 5000

/**
 * Until when what was read of a file need not be looked at again, on the clock of `performance.now`.
 * @param startedMs when the reading began
 */
export function restUntil(startedMs: number): number {
  const nowMs = performance.now()
  const tookMs = nowMs - startedMs
  return tookMs > SHORT_MS ? nowMs + Math.min(LONGEST_REST_MS, REST_SHARE * tookMs) : 0
}

/**
 * The same where the number of rows proves that nothing came or went between them: only what another program changed in
 * its place is noticed late.
 */
export function restUntilProven(startedMs: number): number {
  const nowMs = performance.now()
  return nowMs - startedMs > SHORT_MS ? nowMs + LONGEST_REST_MS : 0
}
