import type { Description, FileInfo } from '../contract/lineage.ts'
import { VISIBILITIES } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'
import type { PositionRanges } from '../memory/position-ranges.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { readMessages } from '../systems/reading/message-reader.ts'
import { type FoundNode, findNode, messageNodeId, notFound } from '../systems/reading/node-id.ts'
import { modelExploration } from '../systems/records/explorations.ts'
import { fileById, fileIdsIn, fileReferences } from '../systems/records/files.ts'
import { sourceIds, summariesNaming } from '../systems/records/links.ts'
import { summaryRanges, textAndDescendants } from '../systems/records/summaries.ts'
import { firstInWindow, placeInWindow } from '../systems/records/window-entries.ts'
import { cutText } from '../text.ts'

/** A description names at most this many sources. */
const MAX_SOURCES = 1000

/** The values of fields that do not apply to the node. */
const NOTHING = {
  depth: null,
  role: null,
  seq: null,
  createdAtMs: null,
  earliestAtMs: null,
  latestAtMs: null,
  tokens: 0,
  sourceTokens: null,
  compression: null,
  descendantCount: null,
  messages: null,
  sources: [],
  sourceCount: 0,
  dependents: [],
  sourceRange: null,
  coveredBy: [],
  visibility: 'absent',
  inContext: false,
  contextOrdinal: null,
  coverInWindow: null,
  level: null,
  model: null,
  promptVersion: null,
  fileIds: [],
  file: null,
} as const satisfies Partial<Description>

/**
 * Returns everything that is known of a message, a summary or a file.
 * @param contentChars how many UTF-16 units of its text are returned
 * @throws LcmError not_found
 */
export function describeNode(db: ReadDb, reader: MemoryReader, id: string, contentChars: number): Description {
  return readSnapshot(db, () => {
    const node = findNode(db, id)
    switch (node.kind) {
      case 'message':
        return describeMessage(db, node, contentChars)
      case 'summary':
        return describeSummary(db, reader, node, contentChars)
      case 'file':
        return describeFile(db, node, contentChars)
    }
  })
}

function describeMessage(db: ReadDb, node: FoundNode & { kind: 'message' }, contentChars: number): Description {
  const message = readMessages(db, [node.messageId], contentChars).get(node.messageId)
  if (!message) throw notFound(db, node.id)
  return {
    ...NOTHING,
    id: node.id,
    kind: 'message',
    conversationId: node.conversationId,
    role: message.role,
    seq: message.seq,
    createdAtMs: message.createdAtMs,
    tokens: message.tokens,
    sources: [],
    dependents: [...(summariesNaming(db, [node.messageId]).get(node.messageId) ?? [])],
    coveredBy: message.coveredBy.map((cover) => cover.id),
    visibility: message.visibility,
    inContext: message.visibility === 'in_window',
    contextOrdinal:
      message.visibility === 'in_window' ? placeInWindow(db, node.conversationId, node.messageId, null) : null,
    coverInWindow: message.visibility === 'covered' ? nearestInWindow(message.coveredBy) : null,
    fileIds: fileIdsIn([message.content]).filter((id) => fileById(db, id) !== undefined),
    content: message.content,
    contentChars: message.contentChars,
    isCut: message.content.length < message.contentChars,
    ...(message.pruned ? { pruned: message.pruned } : {}),
  }
}

/** Messages are numbered from 1 on, positions from 0 on. The memory has to be that of one conversation. */
function sourceRangeOf({ coverage }: Memory, node: number): Description['sourceRange'] {
  const [seqs, ends] = [coverage.seqRange(node), coverage.ends(node)]
  return seqs && ends && { ...seqs, first: ends[0] + 1, last: ends[1] + 1 }
}

function describeSummary(
  db: ReadDb,
  reader: MemoryReader,
  { id, conversationId }: FoundNode & { kind: 'summary' },
  contentChars: number,
): Description {
  const memory = reader.memory(conversationId)
  const { messages, summaries, links, lineage, coverage, window } = memory
  const node = summaries.nodeOf(id)
  if (node < 0) throw notFound(db, id)
  const row = summaries.at(node)
  const [text, descendantCount] = textAndDescendants(db, id)
  const content = text ?? ''
  const covers = summariesAbove(memory, node).map((above) => ({
    id: summaries.at(above).id,
    inWindow: (window.summaryCounts[above] ?? 0) > 0,
  }))
  const visibility = VISIBILITIES[coverage.nodeStates[node] ?? 0] ?? 'absent'
  const sourceTokens = coverage.messageTokens(node)
  const times = timeRange(messages, coverage.reach(node)) ?? summaryRanges(db, [id]).get(id)
  return {
    ...NOTHING,
    id,
    kind: summaries.kindOf(node),
    conversationId,
    depth: row.depth,
    createdAtMs: row.createdAtMs,
    earliestAtMs: times?.earliestAtMs ?? null,
    latestAtMs: times?.latestAtMs ?? null,
    tokens: row.tokens,
    sourceTokens,
    compression: row.tokens > 0 && sourceTokens > 0 ? sourceTokens / row.tokens : null,
    descendantCount,
    messages: coverage.messageCount(node),
    sources: sourcesOf(memory, node) ?? sourceIds(db, id, MAX_SOURCES),
    sourceCount: (lineage.sources[node]?.length ?? 0) + links.messagesOf(node).length,
    dependents: (lineage.dependents[node] ?? []).map((dependent) => lineage.idOf(dependent)).sort(),
    sourceRange: sourceRangeOf(memory, node),
    coveredBy: covers.map((cover) => cover.id),
    visibility,
    inContext: visibility === 'in_window',
    contextOrdinal: visibility === 'in_window' ? placeInWindow(db, conversationId, null, id) : null,
    coverInWindow: visibility === 'covered' ? nearestInWindow(covers) : null,
    level: summaries.levelOf(node),
    model: row.model,
    promptVersion: row.promptVersion,
    fileIds: parseIds(row.fileIds),
    content: cutText(content, contentChars),
    contentChars: content.length,
    isCut: content.length > contentChars,
  }
}

/**
 * Returns the summaries above a summary in steps: first the ones that were made from it, then the ones that were made from
 * those. Each step is ordered by id.
 */
function summariesAbove({ links, summaries }: Memory, node: number): number[] {
  const idOf = (one: number): string => summaries.at(one).id
  const above = new Set([node])
  // A Set may grow while it is iterated; what is added is visited, too.
  for (const one of above)
    for (const dependent of (links.dependents[one] ?? []).toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)))
      above.add(dependent)
  above.delete(node)
  return [...above]
}

/**
 * Returns the first sources of a summary in their order. Null when the memory does not know the order: some links lead
 * nowhere, they are not numbered 0, 1, 2 and so on, or they lead to messages and to summaries.
 */
function sourcesOf({ links, messages, summaries }: Memory, node: number): string[] | null {
  const positions = links.messagesOf(node)
  const sources = links.sources[node] ?? []
  if (links.sparse.has(node) || links.brokenOf(node).length > 0 || (positions.length > 0 && sources.length > 0))
    return null
  if (sources.length > 0) return sources.slice(0, MAX_SOURCES).map((source) => summaries.at(source).id)
  return Array.from(positions.subarray(0, MAX_SOURCES), (position) => messageNodeId(messages.ids[position] as number))
}

function describeFile(db: ReadDb, node: FoundNode & { kind: 'file' }, contentChars: number): Description {
  const file = fileById(db, node.id)
  if (!file) throw notFound(db, node.id)
  const { summaries, messages } = fileReferences(db, node.id, node.conversationId)
  const carriers = summaries.map(({ id }) => id)
  const coverInWindow = firstInWindow(db, node.conversationId, messages, carriers)
  const byModel = modelExploration(db, node.id)
  const content = byModel?.text ?? file.explorationSummary ?? ''
  return {
    ...NOTHING,
    id: node.id,
    kind: 'file',
    conversationId: node.conversationId,
    createdAtMs: file.createdAtMs,
    sources: [],
    dependents: messages.map(messageNodeId),
    coveredBy: summaries.map(({ id }) => id),
    coverInWindow,
    visibility: coverInWindow === null ? 'absent' : 'covered',
    fileIds: [],
    content: cutText(content, contentChars),
    contentChars: content.length,
    isCut: content.length > contentChars,
    file: (byModel === null ? file : { ...file, byModel }) satisfies FileInfo,
  }
}

const nearestInWindow = (covers: readonly { id: string; inWindow: boolean }[]): string | null =>
  covers.find((cover) => cover.inWindow)?.id ?? null

/**
 * Returns the first and the last time of the messages that a summary stands for. Some systems store ranges that are
 * wrong by the writer's distance from UTC, so the times of the messages are used.
 */
function timeRange(messages: Messages, ranges: PositionRanges): { earliestAtMs: number; latestAtMs: number } | null {
  let earliestAtMs = Number.POSITIVE_INFINITY
  let latestAtMs = Number.NEGATIVE_INFINITY
  for (let end = 0; end < ranges.length; end += 2) {
    for (const time of messages.createdAtMs.subarray(ranges[end], ranges[end + 1])) {
      if (time < earliestAtMs) earliestAtMs = time
      if (time > latestAtMs) latestAtMs = time
    }
  }
  return earliestAtMs <= latestAtMs ? { earliestAtMs, latestAtMs } : null
}

/** A list that cannot be parsed damages this column alone, and the integrity check reports it. */
function parseIds(json: string | null): string[] {
  try {
    const ids: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string' && id !== '') : []
  } catch {
    return []
  }
}
