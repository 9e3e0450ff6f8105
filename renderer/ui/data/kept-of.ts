/** For each object this many answers are kept: one for the width before the first measuring, and one for each place. */
const MOST = 4

/**
 * Returns a function that answers as `make`, and keeps its last answers for each object that it is given first, for as
 * long as that is there. A view that is left and shown again does not work out anew what it shows of the same data.
 * Arguments are compared as React compares them.
 */
export function keptOf<Of extends object, Rest extends readonly unknown[], Made>(
  make: (of: Of, ...rest: Rest) => Made,
): (of: Of, ...rest: Rest) => Made {
  const kept = new WeakMap<Of, readonly { readonly rest: Rest; readonly made: Made }[]>()
  return (of, ...rest) => {
    const all = kept.get(of) ?? []
    const known = all.find((one) => isSame(one.rest, rest))
    if (known) return known.made
    const made = make(of, ...rest)
    kept.set(of, [{ rest, made }, ...all.slice(0, MOST - 1)])
    return made
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => Object.is(one, b[index]))
