import type { NodeCard } from '../contract/lineage.ts'
import { VISIBILITIES } from '../memory/coverage.ts'
import { EXCERPT_BYTES, openingExcerpt } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { coversOfMessages } from '../systems/reading/covers.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageOpenings } from '../systems/reading/message-openings.ts'
import { messageNodeId, messageNumber } from '../systems/reading/node-id.ts'
import { openingsOfSummaries } from '../systems/reading/texts.ts'
import { summariesNaming } from '../systems/records/links.ts'
import { knownRole, messageHeads } from '../systems/records/messages.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { windowsOfMessages } from '../systems/records/window-entries.ts'

/** Returns a card for each id, in the same order. An id that is not in the file gets a `missing` card. */
export function nodeCards(db: ReadDb, reader: MemoryReader, ids: readonly string[]): NodeCard[] {
  const cards = new Map<string, NodeCard>()
  const numbers = ids.flatMap((id) => messageNumber(id) ?? [])
  if (numbers.length > 0) for (const card of messageCards(db, numbers)) cards.set(card.id, card)
  const others = ids.filter((id) => !cards.has(id))
  if (others.length > 0) for (const card of summaryCards(db, reader, others)) cards.set(card.id, card)
  return ids.map((id) => cards.get(id) ?? missingCard(id))
}

function messageCards(db: ReadDb, messageIds: readonly number[]): NodeCard[] {
  const rows = messageHeads(db, messageIds)
  const covers = coversOfMessages(db, rows)
  const openings = messageOpenings(db, messageIds, EXCERPT_BYTES)
  const dependents = summariesNaming(db, messageIds)
  const inWindow = new Set(windowsOfMessages(db, messageIds).map(({ id, conversationId }) => `${conversationId} ${id}`))
  return rows.map((row) => ({
    id: messageNodeId(row.id),
    kind: 'message',
    conversationId: row.conversationId,
    depth: -1,
    role: knownRole(row.role),
    seq: row.seq,
    tokens: row.tokens ?? 0,
    sourceTokens: null,
    messages: 1,
    firstSeq: row.seq,
    lastSeq: row.seq,
    createdAtMs: row.createdAtMs,
    sources: 0,
    dependents: dependents.get(row.id)?.length ?? 0,
    visibility: inWindow.has(`${row.conversationId} ${row.id}`)
      ? 'in_window'
      : covers.get(row.id)?.some((cover) => cover.inWindow)
        ? 'covered'
        : 'absent',
    excerpt: openingExcerpt(openings.get(row.id) ?? ''),
  }))
}

function summaryCards(db: ReadDb, reader: MemoryReader, ids: readonly string[]): NodeCard[] {
  const openings = openingsOfSummaries(db, ids, EXCERPT_BYTES)
  return summaryHeads(db, ids).map((row) => {
    const { summaries, links, lineage, coverage } = reader.memory(row.conversationId)
    const node = summaries.nodeOf(row.id)
    if (node < 0) return missingCard(row.id)
    const { depth, tokens, createdAtMs } = summaries.at(node)
    const seqs = coverage.seqRange(node)
    return {
      id: row.id,
      kind: summaries.kindOf(node),
      conversationId: row.conversationId,
      depth,
      role: null,
      seq: null,
      tokens,
      sourceTokens: coverage.messageTokens(node),
      messages: coverage.messageCount(node),
      firstSeq: seqs?.firstSeq ?? null,
      lastSeq: seqs?.lastSeq ?? null,
      createdAtMs,
      sources: (lineage.sources[node]?.length ?? 0) + links.messagesOf(node).length,
      dependents: lineage.dependents[node]?.length ?? 0,
      visibility: VISIBILITIES[coverage.nodeStates[node] ?? 0] ?? 'absent',
      excerpt: openingExcerpt(openings.get(row.id) ?? ''),
    }
  })
}

function missingCard(id: string): NodeCard {
  return {
    id,
    kind: 'missing',
    conversationId: null,
    depth: -1,
    role: null,
    seq: null,
    tokens: 0,
    sourceTokens: null,
    messages: 0,
    firstSeq: null,
    lastSeq: null,
    createdAtMs: null,
    sources: 0,
    dependents: 0,
    visibility: 'absent',
    excerpt: '',
  }
}
