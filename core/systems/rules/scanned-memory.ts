import type { Sample } from '#core/contract/integrity.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'

/** What a system may look at to say whether something is by its design. */
export type ScanContext = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  /** Tables and columns of the file itself, whatever its system calls them. */
  readonly probe: SchemaProbe
  /** Null scans every conversation. */
  readonly conversationId: number | null
  readonly memory: Memory
}

/** One thing that is not as it should be. */
export type Finding = Sample & {
  /** What it rests on beside its node, where that tells it from others of the same node: ids and figures, no words. */
  readonly mark?: string
}

/** Rows of a query that selects `id`, `conversationId` and `detail` are findings; `:conversation` narrows it. */
export function* findByQuery(context: ScanContext, sql: string): Iterable<Finding> {
  for (const row of context.db.iterate<Finding>(sql, { conversation: context.conversationId })) yield row
}

/** `findByQuery` on tables that the file may lack; without them nothing is found. */
export function* findIn(context: ScanContext, tables: readonly string[], sql: string): Iterable<Finding> {
  if (tables.every((table) => context.probe.has(table))) yield* findByQuery(context, sql)
}

/** Whether a finding in this conversation was asked for. */
export const isAsked = ({ conversationId }: ScanContext, of: number): boolean =>
  conversationId === null || conversationId === of

/** What is worked out once for each scan. */
export function oncePerScan<T, Context extends { readonly memory: object }>(
  work: (context: Context) => T,
): (context: Context) => T {
  const done = new WeakMap<object, { readonly value: T }>()
  return (context) => {
    const known = done.get(context.memory) ?? { value: work(context) }
    done.set(context.memory, known)
    return known.value
  }
}

const windowOwners = oncePerScan(({ memory: { window } }: ScanContext): ReadonlySet<number> => {
  const owners = new Set<number>()
  for (let item = 0; item < window.length; item += 1) owners.add(window.conversations[item] as number)
  return owners
})

/** Whether anything at all is in the window of a conversation. */
export const hasItems = (context: ScanContext, conversationId: number): boolean =>
  windowOwners(context).has(conversationId)
