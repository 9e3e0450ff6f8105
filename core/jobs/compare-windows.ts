import { resolve } from 'node:path'
import { firstAbove } from '../binary-search.ts'
import { compareMemories } from '../compare/memories/compare-memories.ts'
import { type Compared, nodesOf, withWindow } from '../compare/memories/compared.ts'
import type { ComparedWindow, Comparison, ComparisonInput } from '../contract/comparison.ts'
import type { JobProgress } from '../contract/job.ts'
import type { Moment } from '../contract/time-travel.ts'
import { LcmError } from '../errors.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from '../lcm.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import { type Placements, storedPlacements } from '../window/placements.ts'
import { momentName } from './probe-windows.ts'
import { compactionOf, trialName, tryCompaction } from './tried-compaction.ts'

const CANCELLED = 'The comparison was cancelled.'

/**
 * Compares two conversations: of one file or of two, as they are, at moments of the past, or after compactions that are
 * tried on copies. Nothing but those copies is written, and they are removed afterwards.
 * @param open how other files and copies are opened
 * @throws LcmError not_found, invalid_argument, cancelled, and what opening a file or a compaction throws
 */
export async function* compareWindows(
  lcm: Lcm,
  { a, b, limit }: ComparisonInput,
  open: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, Comparison> {
  // A mistake is told before any memory is copied.
  for (const { at, after } of [a, b]) {
    if (after === undefined) continue
    if (at !== undefined)
      throw new LcmError('invalid_argument', 'A compaction is tried on the conversation as it is now.')
    lcm.summarizers.providersOf(compactionOf(0, after).summarizer)
  }
  const opened = new Map([[lcm.info.path, lcm]])
  const closing: (() => void)[] = []
  const memoryAt = async (path: string): Promise<Lcm> => {
    const known = opened.get(path)
    if (known) return known
    const other = await openLcm(path, { ...open, create: false, readOnly: true, settings: lcm.settings })
    closing.push(() => other.close())
    opened.set(path, other)
    return other
  }
  async function* side(window: ComparedWindow, like: string | null): AsyncGenerator<JobProgress, Compared> {
    const { at, after } = window
    const memory = await memoryAt(window.path === undefined ? lcm.info.path : resolve(window.path))
    const conversationId = window.conversationId ?? conversationLike(memory, like)
    if (after === undefined) return comparedAt(memory, memory.info.path, { conversationId, at })
    const name = trialName(after)
    const of = { conversationId, tried: after, name, whenCancelled: CANCELLED, open }
    const trial = yield* tryCompaction(memory, of, signal)
    closing.push(trial.close)
    return { ...(await comparedAt(trial.lcm, memory.info.path, { conversationId })), name }
  }
  try {
    const left = yield* side(a, null)
    return yield* compareMemories(left, yield* side(b, left.session), limit, signal)
  } finally {
    for (const close of closing.toReversed()) close()
  }
}

/**
 * Returns the conversation with a session id, or the only one of a memory.
 * @throws LcmError conversation_required, not_found
 */
function conversationLike({ stats, info }: Lcm, session: string | null): number {
  const rows = stats.listed()
  const same = rows.filter(({ sessionId }) => sessionId === session)
  const [found] = same.length === 1 ? same : rows
  if (!found) throw new LcmError('not_found', `${info.path} holds no conversation.`)
  if (same.length === 1 || rows.length === 1) return found.conversationId
  const ids = rows.slice(0, 12).map((row) => row.conversationId)
  throw new LcmError(
    'conversation_required',
    `${info.path} holds ${rows.length} conversations, and none has the session of the other side: choose one (${ids.join(', ')}${rows.length > 12 ? ', …' : ''}).`,
    {
      path: info.path,
      conversations: rows.slice(0, 12).map((row) => ({ id: row.conversationId, name: row.title ?? row.sessionId })),
    },
  )
}

/** @throws LcmError not_found */
async function comparedAt(
  { read: db, reader, timeTravel, context, stats, info }: Lcm,
  path: string,
  { conversationId, at = { now: true } }: { readonly conversationId: number; readonly at?: Moment | undefined },
): Promise<Compared> {
  await reader.prepareMemory(conversationId)
  const memory = reader.memory(conversationId)
  const isPast = !('now' in at)
  const past = isPast ? timeTravel.entriesAt(conversationId, at) : null
  const window = context.measure(conversationId, past ?? {})
  const isSent = (entry: Placements[number]): boolean =>
    !window.unsent.has(typeof entry === 'number' ? messageNodeId(entry) : entry)
  const placed = past?.placed ?? storedPlacements(memory)
  const then = past || window.unsent.size > 0 ? withWindow(memory, placed.filter(isSent)) : memory
  const newest = past?.until?.newestSeq ?? null
  const row = stats.conversation(conversationId)
  return {
    path,
    name: momentName(at),
    systemLabel: info.systemLabel,
    session: row?.sessionId ?? null,
    title: row?.title ?? row?.sessionId ?? null,
    reconstructed: past?.reconstructed ?? false,
    db,
    memory: then,
    window,
    messages: newest === null ? memory.messages.length : firstAbove(memory.messages.seqs, newest),
    nodes: nodesOf(then, isPast),
  }
}
