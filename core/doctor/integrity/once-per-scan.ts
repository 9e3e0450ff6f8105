import type { CheckContext } from './check.ts'

/** What is worked out once for each scan. */
export function oncePerScan<T>(work: (context: CheckContext) => T): (context: CheckContext) => T {
  const done = new WeakMap<object, { readonly value: T }>()
  return (context) => {
    const known = done.get(context.facts) ?? { value: work(context) }
    done.set(context.facts, known)
    return known.value
  }
}
