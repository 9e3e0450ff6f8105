import type { Sample } from '../contract/integrity.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { SchemaProbe } from '../sqlite/schema-probe.ts'

/** Of what a scan has read of a memory, the part that systems ask for. Rows are named by their positions in columns. */
type ScannedMemory = {
  readonly conversations: ReadonlyMap<number, { readonly archivedAtMs: number | null }>
  readonly messages: {
    readonly ids: ArrayLike<number>
    readonly conversations: ArrayLike<number>
    readonly seqs: ArrayLike<number>
    readonly roles: ArrayLike<number>
    readonly atMs: ArrayLike<number>
    /** −1 for a message that does not exist. */
    indexOf(id: number): number
  }
  readonly summaries: {
    readonly rows: readonly ScannedSummary[]
    at(position: number): ScannedSummary
    /** −1 for a summary that does not exist. */
    indexOf(id: string): number
  }
  readonly links: { readonly dependents: readonly (readonly number[])[] }
  readonly window: {
    readonly length: number
    readonly conversations: ArrayLike<number>
    readonly isSummary: ArrayLike<number>
    /** Positions of messages and summaries; −1 for what does not exist. */
    readonly targets: ArrayLike<number>
    readonly summaryCounts: ArrayLike<number>
  }
  /** By position of a summary, over all messages that it stands for. */
  readonly extents: {
    readonly first: ArrayLike<number>
    readonly latestAtMs: ArrayLike<number>
    readonly messageTokens: ArrayLike<number>
  }
  /** `leaf`: by position of a message, the first summary that names it, or −1. */
  readonly coverage: { readonly leaf: ArrayLike<number> }
}

type ScannedSummary = {
  readonly index: number
  readonly id: string
  readonly conversationId: number
  readonly kind: string
  readonly depth: number
  readonly recordedTokens: number | null
}

/** What a system may look at to say whether something is by its design. */
export type ScanContext = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  /** Tables and columns of the file itself, whatever its system calls them. */
  readonly probe: SchemaProbe
  /** Null scans every conversation. */
  readonly conversationId: number | null
  readonly facts: ScannedMemory
}

/** One thing that is not as it should be. */
export type Finding = Sample & {
  /** What it rests on beside its node, where that tells it from others of the same node: ids and figures, no words. */
  readonly mark?: string
}

/** What is worked out once for each scan. */
export function oncePerScan<T, Context extends { readonly facts: object }>(
  work: (context: Context) => T,
): (context: Context) => T {
  const done = new WeakMap<object, { readonly value: T }>()
  return (context) => {
    const known = done.get(context.facts) ?? { value: work(context) }
    done.set(context.facts, known)
    return known.value
  }
}

const windowOwners = oncePerScan(({ facts: { window } }: ScanContext): ReadonlySet<number> => {
  const owners = new Set<number>()
  for (let item = 0; item < window.length; item += 1) owners.add(window.conversations[item] as number)
  return owners
})

/** Whether anything at all is in the window of a conversation. */
export const hasItems = (context: ScanContext, conversationId: number): boolean =>
  windowOwners(context).has(conversationId)
