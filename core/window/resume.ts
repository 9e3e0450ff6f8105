import type { Resume } from '../contract/context.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import { readPruned, unsentMessages } from '../systems/reading/pruned-outputs.ts'
import { openingsOfMessages } from '../systems/reading/texts.ts'
import { type BrokenChain, brokenChain } from '../systems/records/broken-chains.ts'
import { compactionEvents } from '../systems/records/events.ts'
import { excerptOf } from '../text.ts'
import { inheritedBy } from './inherited.ts'
import { type Placements, storedPlacements } from './placements.ts'

/** What the agent would load of its window when the session is resumed. */
export type ResumedWindow = {
  readonly resume: Resume
  readonly placed: Placements
  /** The conversation to which each entry belongs. */
  readonly homes: readonly number[]
}

/**
 * Returns what a resume would load of the window of a conversation whose chain breaks, or null when it would load all of
 * it. The agent follows the parents from the newest record to the last break. A summary counts where its compaction was
 * recorded, so that nothing is lost that was compacted after the break. Call it inside a snapshot.
 */
export function resumedWindow(db: ReadDb, reader: MemoryReader, conversationId: number): ResumedWindow | null {
  const chain = brokenChain(db, conversationId)
  if (!chain) return null
  const inherited = inheritedBy(db, reader, conversationId)
  const own = storedPlacements(reader.memory(conversationId))
  const window = [
    ...(inherited?.placed ?? []).map((entry, at) => ({ entry, home: inherited?.homes[at] as number })),
    ...own.map((entry) => ({ entry, home: conversationId })),
  ]
  const isLoaded = loadedFrom(db, reader, chain, [...new Set([...(inherited?.homes ?? []), conversationId])])
  const unsent = unsentMessages([...(inherited?.pruned ?? []), ...readPruned(db, conversationId)])
  const isSent = ({ entry }: { entry: number | string }): boolean => typeof entry === 'string' || !unsent.has(entry)
  const loaded = window.filter(({ entry, home }) => isLoaded(entry, home))
  const [messages, kept] = [window.filter(isSent).length, loaded.filter(isSent).length]
  if (kept === messages) return null
  return {
    resume: resumeOf(db, chain, messages, kept),
    placed: loaded.map(({ entry }) => entry),
    homes: loaded.map(({ home }) => home),
  }
}

/** @param homes the conversations of the window, ancestors first */
function loadedFrom(
  db: ReadDb,
  reader: MemoryReader,
  { first }: BrokenChain,
  homes: readonly number[],
): (entry: number | string, home: number) => boolean {
  const rank = homes.indexOf(first.conversationId)
  const recordedAt = new Map(
    compactionEvents(db, first.conversationId).map((event) => [event.summaryId, event.newestSeq]),
  )
  const { messages } = reader.memory(first.conversationId)
  return (entry, home) => {
    if (home !== first.conversationId) return homes.indexOf(home) > rank
    const seq = typeof entry === 'number' ? messages.seqs[messages.positionOf(entry)] : recordedAt.get(entry)
    return (seq ?? -1) >= first.seq
  }
}

const EXCERPT = 60

function resumeOf(db: ReadDb, { path, breaks, first }: BrokenChain, messages: number, loaded: number): Resume {
  const last = breaks.at(-1) as BrokenChain['breaks'][number]
  const content = openingsOfMessages(db, [first.messageId], 8 * EXCERPT).get(first.messageId) ?? ''
  const why = last.isParentWritten
    ? `line ${last.line} names a record as its parent that hangs on it itself`
    : `the parent of line ${last.line} is not in the file`
  const others = breaks.length === 1 ? '' : `; the chain breaks at ${breaks.length - 1} more places before it`
  return {
    line: last.line,
    parentId: last.parentId,
    breaks: breaks.length,
    path,
    firstId: messageNodeId(first.messageId),
    messages,
    loaded,
    text: `${why}: whoever resumes this session sees ${loaded} of ${messages} messages (from "${excerptOf(content, EXCERPT)}")${others}`,
  }
}
