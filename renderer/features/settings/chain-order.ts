/** The chain with the name at this place moved one up (−1) or down (1); as it was where it cannot move. */
export function moveInChain(chain: readonly string[], at: number, by: -1 | 1): string[] {
  const name = chain[at]
  const to = at + by
  if (name === undefined || to < 0 || to >= chain.length) return [...chain]
  const others = chain.filter((_, place) => place !== at)
  return [...others.slice(0, to), name, ...others.slice(to)]
}

/** The chain after a provider got another name, or went (null). */
export const chainAfter = (chain: readonly string[], name: string, next: string | null): string[] =>
  chain.flatMap((each) => (each !== name ? [each] : next === null ? [] : [next]))
