import { z } from 'zod'

/**
 * Returns a schema that is made at its first use. Making all schemas of the contract takes longer than most answers, and
 * an answer needs few of them, so the build writes the schemas of this folder like this (`scripts/schemas-when-asked.ts`).
 */
export function whenAsked<T extends z.ZodType>(make: () => T): T {
  const become = (): T => {
    const made = make()
    const { constr, def, parent } = made._zod
    Object.setPrototypeOf(schema, constr.prototype)
    // The library itself makes a copy of a schema like this, as an object of its own.
    constr.call(schema, def)
    if (parent) schema._zod.parent = parent
    const meta = z.globalRegistry.get(made)
    if (meta) z.globalRegistry.add(schema, meta)
    return schema
  }
  const schema = Object.create(
    new Proxy({}, { get: (_, key) => Reflect.get(become(), key), has: (_, key) => Reflect.has(become(), key) }),
  ) as T
  return schema
}
