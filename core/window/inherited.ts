import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { type PrunedOutput, readPruned } from '../systems/reading/pruned-outputs.ts'
import { compactionEvents, runsNotInForks } from '../systems/records/events.ts'
import { type ForkPoint, forkPoint } from '../systems/records/forks.ts'
import { externalIdsOf, firstMessageAtMs, placesOf } from '../systems/records/messages.ts'
import { type Placements, storedPlacements } from './placements.ts'
import { readReplacementsAfter } from './time-travel/event-log.ts'
import { undoReplacements } from './time-travel/undo.ts'
import type { Window } from './window.ts'

/** What a fork sees of the conversations that it was forked from. */
export type Inherited = {
  readonly placed: Placements
  /** The conversation to which each entry belongs. */
  readonly homes: readonly number[]
  readonly pruned: readonly PrunedOutput[]
  /** False when a compaction of the fork took some of it out since. */
  readonly isWhole: boolean
}

/**
 * Returns the window that the parent of a fork had when it was forked, as far as the fork still sees it. Null for a
 * conversation that is no fork. Messages are stored once, in the conversation in which they were said; a fork shows
 * them without having them. Call it inside a snapshot.
 */
export function inheritedBy(db: ReadDb, reader: MemoryReader, conversationId: number): Inherited | null {
  const point = forkPoint(db, conversationId)
  return point && inheritedAt(db, reader, point, new Set([conversationId]))
}

/** How much of a sent window a fork inherits, and the conversation that it was forked from. Null where that is nothing. */
export function inheritedPart(
  sent: Window,
  homes: readonly number[],
): { readonly conversationId: number; readonly items: number; readonly tokens: number } | null {
  const conversationId = homes.at(-1)
  if (conversationId === undefined) return null
  return { conversationId, items: homes.length, tokens: sent.tokensIn(0, homes.length) }
}

function inheritedAt(db: ReadDb, reader: MemoryReader, point: ForkPoint, seen: Set<number>): Inherited | null {
  const { parentId, newestSeq, path, kept, ownCopies } = point
  // A damaged file may name forks of each other.
  if (seen.has(parentId)) return null
  seen.add(parentId)
  const above = forkPoint(db, parentId)
  // What the parent sees of its own parent may have changed since the fork copied it.
  const before = above && inheritedAt(db, reader, path ? { ...above, path } : above, seen)
  const own = windowAt(db, reader, point)
  const placed = [...(before?.placed ?? []), ...own]
  const homes = [...(before?.homes ?? []), ...own.map(() => parentId)]
  const atMs = Number.POSITIVE_INFINITY
  const pruned = ownCopies ? [] : [...(before?.pruned ?? []), ...readPruned(db, parentId, { newestSeq, atMs })]
  const isKept = kept ? keptAmong(db, placed, kept) : () => true
  const indexes = [...placed.keys()].filter(isKept)
  return {
    placed: indexes.map((index) => placed[index] as Placements[number]),
    homes: indexes.map((index) => homes[index] as number),
    pruned,
    isWhole: kept === undefined,
  }
}

/**
 * The window of the parent when it was forked. Of a fork that copied messages only those count that it copied, and only
 * the compactions that are recorded by one of them.
 */
function windowAt(db: ReadDb, reader: MemoryReader, { forkId, parentId, newestSeq, path }: ForkPoint): Placements {
  const memory = reader.memory(parentId)
  const { messages, summaries, coverage } = memory
  const copied = path && new Set(placesOf(db, parentId, path))
  const isSeen = (seq: number): boolean => seq <= newestSeq && (copied === undefined || copied.has(seq))
  const seqAt = (position: number): number => messages.seqs[position] ?? -1
  const stored = storedPlacements(memory)
  // What was done when no message had come since the fork may be older or newer than it.
  const forkedAtMs = firstMessageAtMs(db, forkId) ?? Number.POSITIVE_INFINITY
  const isLater = (seq: number, atMs: number): boolean => seq > newestSeq || (seq === newestSeq && atMs > forkedAtMs)
  const notInForks = runsNotInForks(db, parentId)
  const last = compactionEvents(db, parentId).findLast(
    ({ newestSeq: at, atMs, runId }) => (at === null || (isSeen(at) && !isLater(at, atMs))) && !notInForks.has(runId),
  )
  const replacements = readReplacementsAfter(
    db,
    parentId,
    last?.eventId ?? 0,
    (edit) => edit.newestSeq !== null && !isLater(edit.newestSeq, edit.atMs),
  )
  const window = (replacements && undoReplacements(stored, replacements)) ?? stored
  return window.filter((entry) => {
    if (typeof entry === 'number') return isSeen(seqAt(messages.positionOf(entry)))
    // A summary is recorded by the newest of its messages.
    return path === undefined || isSeen(seqAt((coverage.reach(summaries.nodeOf(entry)).at(-1) ?? 0) - 1))
  })
}

/** Says which entries a compaction of the fork kept. Summaries before them went into its own. */
function keptAmong(db: ReadDb, placed: Placements, kept: NonNullable<ForkPoint['kept']>): (index: number) => boolean {
  const ids = externalIdsOf(
    db,
    placed.filter((entry) => typeof entry === 'number'),
  )
  const idAt = (index: number): string | undefined => ids.get(placed[index] as number)
  if ('externalIds' in kept) {
    const wanted = new Set(kept.externalIds)
    return (index) => wanted.has(idAt(index) ?? '')
  }
  const first = [...placed.keys()].find((index) => idAt(index) === kept.from) ?? placed.length
  return (index) => index >= first || (kept.prompt !== undefined && idAt(index) === kept.prompt)
}
