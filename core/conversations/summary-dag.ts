import type { Lineage, LineageTree, Neighbourhood, Tree, TreeLevel } from '../contract/lineage.ts'
import type { ReadDb } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { coversOfMessages, coversOfSummaries } from './covers.ts'
import type { HistoryIndex } from './history-index.ts'
import { lineageTrees, rootsOf } from './lineage-tree.ts'
import { type NeighbourhoodInput, neighbourhoodOf } from './neighbourhood.ts'
import { nodeCards } from './node-cards.ts'
import { type FoundNode, findNode, messageNodeId } from './node-id.ts'
import { IN_WINDOW } from './summary-graph.ts'

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
    SELECT l.summary_id AS id, s.conversation_id AS conversationId
    FROM summary_messages AS l
    LEFT JOIN summaries AS s ON s.summary_id = l.summary_id
    WHERE l.message_id = :message
    ORDER BY l.summary_id`,
  messageInWindow: /* sql */ `
    SELECT 1 FROM context_items WHERE message_id = :message AND conversation_id = :conversation`,
  isNamed: /* sql */ `
    SELECT 1 FROM summary_sources WHERE source_summary_id = :id OR summary_id = :id
    UNION ALL
    SELECT 1 FROM summary_messages WHERE summary_id = :id
    LIMIT 1`,
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
      const isNamed = this.#db.value(queries.isNamed, { id: input.id }) !== undefined
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
      const node = findNode(this.#db, id)
      switch (node.kind) {
        case 'message':
          return this.#ofMessage(node)
        case 'summary':
          return this.#ofSummary(node)
        case 'file':
          return { id, sources: [], dependents: [], coveredBy: [], inContext: false }
      }
    })
  }

  #ofMessage({ id, messageId, conversationId }: FoundNode & { kind: 'message' }): Lineage {
    const leaves = this.#db.all<{ id: string; conversationId: number | null }>(queries.leavesOf, { message: messageId })
    const covers = coversOfMessages(this.#db, [{ id: messageId, conversationId }]).get(messageId) ?? []
    return {
      id,
      sources: [],
      dependents: leaves.flatMap((leaf) => {
        if (leaf.conversationId === null) return [{ id: leaf.id, kind: 'missing' as const, depth: -1, tokens: 0 }]
        const graph = this.#histories.graph(leaf.conversationId)
        return lineageTrees(graph, [graph.indexOf(leaf.id)], 'dependents')
      }),
      coveredBy: covers.map((cover) => cover.id),
      inContext:
        this.#db.value(queries.messageInWindow, { message: messageId, conversation: conversationId }) !== undefined,
    }
  }

  #ofSummary({ id, conversationId }: FoundNode & { kind: 'summary' }): Lineage {
    const graph = this.#histories.graph(conversationId)
    const index = graph.indexOf(id)
    const covers = coversOfSummaries(this.#db, [{ id, conversationId }]).get(id) ?? []
    const messages = this.#db
      .all<{ messageId: number; tokens: number | null; seq: number | null }>(queries.messagesOf, { summary: id })
      .map(
        ({ messageId, tokens, seq }): LineageTree => ({
          id: messageNodeId(messageId),
          kind: tokens === null ? 'missing' : 'message',
          depth: -1,
          tokens: tokens ?? 0,
          ...(seq === null ? {} : { firstSeq: seq, lastSeq: seq }),
        }),
      )
    return {
      id,
      sources: [...lineageTrees(graph, graph.sources[index] ?? [], 'sources', [index]), ...messages],
      dependents: lineageTrees(graph, graph.dependents[index] ?? [], 'dependents', [index]),
      coveredBy: covers.map((cover) => cover.id),
      inContext: graph.nodeStates[index] === IN_WINDOW,
    }
  }
}
