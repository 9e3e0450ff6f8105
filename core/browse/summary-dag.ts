import type { Lineage, LineageTree, Neighbourhood, Tree, TreeLevel } from '../contract/lineage.ts'
import { IN_WINDOW } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { coversOfMessages, coversOfSummaries } from '../systems/covers.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { exists, type FoundNode, findNode, messageNodeId, messageNumber, namedBy } from '../systems/node-id.ts'
import { fileReferences } from './file-references.ts'
import { lineageTrees, rootsOf } from './lineage-tree.ts'
import { type NeighbourhoodInput, neighbourhoodOf } from './neighbourhood.ts'
import { nodeCards } from './node-cards.ts'

const queries = {
  messagesOf: /* sql */ `
    SELECT l.message_id AS messageId, m.token_count AS tokens, m.seq
    FROM summary_messages AS l
    LEFT JOIN messages AS m ON m.message_id = l.message_id
    WHERE l.summary_id = :summary
    ORDER BY l.ordinal, l.message_id`,
  pageOfMessages: /* sql */ `
    SELECT message_id
    FROM summary_messages
    WHERE summary_id = :summary
    ORDER BY ordinal, message_id
    LIMIT CAST(:limit AS INTEGER) OFFSET CAST(:offset AS INTEGER)`,
  leavesOf: /* sql */ `
    SELECT summary_id AS id FROM summary_messages WHERE message_id = :message ORDER BY summary_id`,
  messageInWindow: /* sql */ `
    SELECT 1 FROM context_items WHERE message_id = :message AND conversation_id = :conversation`,
  message: /* sql */ `SELECT token_count AS tokens, seq FROM messages WHERE message_id = :message`,
  inWindow: /* sql */ `SELECT 1 FROM context_items WHERE summary_id = :item`,
  conversationOf: /* sql */ `SELECT conversation_id FROM summaries WHERE summary_id = :id`,
  isNamed: /* sql */ `
    SELECT 1 FROM summary_sources WHERE source_summary_id = :id OR summary_id = :id
    UNION ALL
    SELECT 1 FROM summary_messages WHERE summary_id = :id OR message_id = CAST(:message AS INTEGER)
    LIMIT 1`,
  sourcesOf: /* sql */ `
    SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal, source_summary_id`,
}

/** How summaries rest on each other and on messages. Cycles and dangling links are shown and never followed for ever. */
export class SummaryDag {
  readonly #db: ReadDb
  readonly #histories: HistoryIndex

  constructor(db: ReadDb, histories: HistoryIndex) {
    this.#db = db
    this.#histories = histories
  }

  /**
   * All summaries of a conversation, from those that no other has as a source down to the leaves.
   * @throws LcmError not_found
   */
  tree(conversationId: number): Tree {
    const graph = this.#histories.graph(conversationId)
    return { roots: lineageTrees(graph, rootsOf(graph), 'sources') }
  }

  /**
   * A page of what stands directly below a node: roots, sources of a summary, messages of a leaf.
   * @throws LcmError not_found
   */
  treeLevel(input: {
    readonly conversationId: number
    readonly of: string | null
    readonly offset: number
    readonly limit: number
  }): TreeLevel {
    return readSnapshot(this.#db, () => {
      const { of, offset, limit } = input
      const graph = this.#histories.graph(of === null ? input.conversationId : findNode(this.#db, of).conversationId)
      const index = of === null ? -1 : graph.indexOf(of)
      const indexes = of === null ? rootsOf(graph) : (graph.sources[index] ?? [])
      const summaries = indexes.slice(offset, offset + limit).flatMap((node) => graph.nodes[node]?.id ?? [])
      const messages =
        of === null || summaries.length === limit
          ? []
          : this.#db.column<number>(queries.pageOfMessages, {
              summary: of,
              offset: Math.max(0, offset - indexes.length),
              limit: limit - summaries.length,
            })
      return {
        total: indexes.length + (graph.nodes[index]?.messageEdges ?? 0),
        nodes: nodeCards(this.#db, this.#histories, [...summaries, ...messages.map(messageNodeId)]),
      }
    })
  }

  /**
   * The nodes around one, as far as asked. A file has none.
   * @throws LcmError not_found
   */
  neighbourhood(input: NeighbourhoodInput): Neighbourhood {
    return readSnapshot(this.#db, () => {
      // What is missing from the file, but named in it, can be looked at: that is where a lineage breaks.
      const isNamed = this.#db.value(queries.isNamed, { id: input.id, message: null }) !== undefined
      const { kind, id } = isNamed ? { kind: null, id: input.id } : findNode(this.#db, input.id)
      if (kind === 'file') return { focus: id, nodes: [], edges: [], more: [] }
      return neighbourhoodOf(this.#db, this.#histories, { ...input, id })
    })
  }

  /**
   * Where a node comes from and where it went: sources down to the leaves, dependents up to the roots.
   * @throws LcmError not_found
   */
  lineage(id: string): Lineage {
    return readSnapshot(this.#db, () => {
      if (!exists(this.#db, id) && this.#db.value(queries.isNamed, { id, message: messageNumber(id) }) !== undefined) {
        return this.#ofMissing(id, namedBy(this.#db, id))
      }
      const node = findNode(this.#db, id)
      switch (node.kind) {
        case 'message':
          return this.#ofMessage(node)
        case 'summary':
          return this.#ofSummary(node)
        case 'file':
          return this.#ofFile(node)
      }
    })
  }

  /** What is named and not there: who rests on it, and what its links still say of its sources. */
  #ofMissing(id: string, namers: readonly string[]): Lineage {
    const sources = this.#db.column<string>(queries.sourcesOf, { id })
    const dependents = namers.flatMap((namer) => this.#upwards(namer))
    const summaries = namers.flatMap((namer) => {
      const conversationId = this.#db.value<number>(queries.conversationOf, { id: namer })
      return conversationId === undefined ? [] : [{ id: namer, conversationId }]
    })
    const above = [...coversOfSummaries(this.#db, summaries)].flatMap(([namer, covers]) => [
      namer,
      ...covers.map((cover) => cover.id),
    ])
    return {
      id,
      sources: [...sources.flatMap((source) => this.#trees(source, 'sources')), ...this.#messagesOf(id)],
      dependents,
      coveredBy: [...new Set(above)],
      inContext: false,
    }
  }

  /** Messages in which the file's id stands, and the lowest summaries that carry it on. */
  #ofFile({ id, conversationId }: FoundNode & { kind: 'file' }): Lineage {
    const { summaries, messages } = fileReferences(this.#db, id, conversationId)
    const named = new Set(summaries.map((summary) => summary.id))
    const lowest = summaries.filter((summary) => {
      const graph = this.#histories.graph(summary.conversationId)
      return !(graph.sources[graph.indexOf(summary.id)] ?? []).some((source) =>
        named.has(graph.nodes[source]?.id ?? ''),
      )
    })
    const fromMessages = messages.flatMap((number): LineageTree[] => {
      const row = this.#db.get<{ tokens: number; seq: number }>(queries.message, { message: number })
      if (!row) return []
      const place = { id: messageNodeId(number), kind: 'message' as const, depth: -1, tokens: row.tokens }
      return [{ ...place, firstSeq: row.seq, lastSeq: row.seq }]
    })
    const isIn = (item: string): boolean => this.#db.value(queries.inWindow, { item }) !== undefined
    return {
      id,
      sources: [],
      dependents: [...fromMessages, ...lowest.flatMap((summary) => this.#upwards(summary.id))],
      coveredBy: [...named],
      inContext: [...named].some(isIn) || messages.some((number) => this.#isInWindow(number, conversationId)),
    }
  }

  /** A summary and everything above it. */
  #upwards(summaryId: string): LineageTree[] {
    return this.#trees(summaryId, 'dependents')
  }

  #trees(summaryId: string, direction: 'sources' | 'dependents'): LineageTree[] {
    const conversationId = this.#db.value<number>(queries.conversationOf, { id: summaryId })
    if (conversationId === undefined) return [{ id: summaryId, kind: 'missing', depth: -1, tokens: 0 }]
    const graph = this.#histories.graph(conversationId)
    return lineageTrees(graph, [graph.indexOf(summaryId)], direction)
  }

  #isInWindow(message: number, conversation: number): boolean {
    return this.#db.value(queries.messageInWindow, { message, conversation }) !== undefined
  }

  #ofMessage({ id, messageId, conversationId }: FoundNode & { kind: 'message' }): Lineage {
    const leaves = this.#db.all<{ id: string }>(queries.leavesOf, { message: messageId })
    const covers = coversOfMessages(this.#db, [{ id: messageId, conversationId }]).get(messageId) ?? []
    return {
      id,
      sources: [],
      dependents: leaves.flatMap((leaf) => this.#upwards(leaf.id)),
      coveredBy: covers.map((cover) => cover.id),
      inContext: this.#isInWindow(messageId, conversationId),
    }
  }

  #ofSummary({ id, conversationId }: FoundNode & { kind: 'summary' }): Lineage {
    const graph = this.#histories.graph(conversationId)
    const index = graph.indexOf(id)
    const covers = coversOfSummaries(this.#db, [{ id, conversationId }]).get(id) ?? []
    return {
      id,
      sources: [...lineageTrees(graph, graph.sources[index] ?? [], 'sources', [index]), ...this.#messagesOf(id)],
      dependents: lineageTrees(graph, graph.dependents[index] ?? [], 'dependents', [index]),
      coveredBy: covers.map((cover) => cover.id),
      inContext: graph.nodeStates[index] === IN_WINDOW,
    }
  }

  /** The messages that a summary names, one by one, there or not. */
  #messagesOf(summary: string): LineageTree[] {
    return this.#db
      .all<{ messageId: number; tokens: number | null; seq: number | null }>(queries.messagesOf, { summary })
      .map(({ messageId, tokens, seq }) => ({
        id: messageNodeId(messageId),
        kind: tokens === null ? 'missing' : 'message',
        depth: -1,
        tokens: tokens ?? 0,
        ...(seq === null ? {} : { firstSeq: seq, lastSeq: seq }),
      }))
  }
}
