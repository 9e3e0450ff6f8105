/** Moves a name of the chain up (−1) or down (1), if possible. */
export function moveInChain(chain: readonly string[], at: number, by: -1 | 1): string[] {
  const name = chain[at]
  const to = at + by
  if (name === undefined || to < 0 || to >= chain.length) return [...chain]
  const others = chain.filter((_, index) => index !== at)
  return [...others.slice(0, to), name, ...others.slice(to)]
}

/** Returns the chain after a provider was renamed, or removed (null). */
export const chainAfter = (chain: readonly string[], name: string, next: string | null): string[] =>
  chain.flatMap((each) => (each !== name ? [each] : next === null ? [] : [next]))
