import type {
  Lineage,
  LineageGraph,
  LineageTree,
  Names,
  Neighbourhood,
  NeighbourhoodInput,
  Tree,
  TreeLevel,
  TreeLevelInput,
} from '../contract/lineage.ts'
import { IN_WINDOW } from '../memory/coverage.ts'
import { EXCERPT_BYTES } from '../sqlite/opening.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { coversOfMessages, coversOfSummaries } from '../systems/reading/covers.ts'
import type { MemoryReader } from '../systems/reading/memory-reader.ts'
import { messageOpenings } from '../systems/reading/message-openings.ts'
import { exists, type FoundNode, findNode, messageNodeId, messageNumber, namedBy } from '../systems/reading/node-id.ts'
import { openingsOfSummaries } from '../systems/reading/texts.ts'
import { fileReferences } from '../systems/records/files.ts'
import { isNamedByLink, namedMessages, sourceSummaryIds, summariesNaming } from '../systems/records/links.ts'
import { messageHeads } from '../systems/records/messages.ts'
import { summaryHeads } from '../systems/records/summaries.ts'
import { windowsOfMessages, windowsOfSummaries } from '../systems/records/window-entries.ts'
import { lineageGraph } from './lineage-graph.ts'
import { lineageTrees, rootsOf } from './lineage-tree.ts'
import { neighbourhoodOf } from './neighbourhood.ts'
import { nodeCards } from './node-cards.ts'
import { nameOf } from './text-name.ts'

/** The DAG of summaries over messages. Cycles and broken links are shown, and no walk along them is endless. */
export class SummaryDag {
  readonly #db: ReadDb
  readonly #reader: MemoryReader

  constructor(db: ReadDb, reader: MemoryReader) {
    this.#db = db
    this.#reader = reader
  }

  /**
   * Returns all summaries of a conversation, from the roots down to the leaves.
   * @throws LcmError not_found
   */
  tree(conversationId: number): Tree {
    const memory = this.#reader.memory(conversationId)
    return { roots: lineageTrees(memory, rootsOf(memory), 'sources') }
  }

  /**
   * Returns all summaries of a conversation and the links between them.
   * @throws LcmError not_found
   */
  graph(conversationId: number): LineageGraph {
    return lineageGraph(this.#reader.memory(conversationId))
  }

  /**
   * Returns a page of what stands directly below a node: the roots, the sources of a summary, or the messages of a
   * leaf.
   * @throws LcmError not_found
   */
  treeLevel(input: TreeLevelInput): TreeLevel {
    return readSnapshot(this.#db, () => {
      const { of, offset, limit } = input
      const memory = this.#reader.memory(of === null ? input.conversationId : findNode(this.#db, of).conversationId)
      const { lineage, links } = memory
      const node = of === null ? -1 : memory.summaries.nodeOf(of)
      const nodes = of === null ? rootsOf(memory) : (lineage.sources[node] ?? [])
      const summaries = nodes.slice(offset, offset + limit).map((each) => lineage.idOf(each))
      const messages =
        of === null || summaries.length === limit
          ? []
          : namedMessages(this.#db, of, {
              offset: Math.max(0, offset - nodes.length),
              limit: limit - summaries.length,
            })
      return {
        total: nodes.length + (node < 0 ? 0 : links.messagesOf(node).length),
        nodes: nodeCards(this.#db, this.#reader, [...summaries, ...messages.map(messageNodeId)]),
      }
    })
  }

  /**
   * Returns the nodes around one, as far as asked. A file has none.
   * @throws LcmError not_found
   */
  neighbourhood(input: NeighbourhoodInput): Neighbourhood {
    return readSnapshot(this.#db, () => {
      // An id that a link names but that is not in the file can be looked at, because there the lineage breaks.
      const isNamed = isNamedByLink(this.#db, input.id, null)
      const { kind, id } = isNamed ? { kind: null, id: input.id } : findNode(this.#db, input.id)
      if (kind === 'file') return { focus: id, nodes: [], edges: [], more: [] }
      return neighbourhoodOf(this.#db, this.#reader, { ...input, id })
    })
  }

  /**
   * Returns where a node comes from and where it went: its sources down to the leaves and its dependents up to the
   * roots.
   * @throws LcmError not_found
   */
  lineage(id: string): Lineage {
    return readSnapshot(this.#db, () => {
      if (!exists(this.#db, id) && isNamedByLink(this.#db, id, messageNumber(id))) {
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

  /**
   * Returns what messages and summaries are called, from how their texts begin, or their first call; and the number of
   * each message.
   */
  names(ids: readonly string[]): Names {
    const numbers = ids.flatMap((id) => messageNumber(id) ?? [])
    return readSnapshot(this.#db, () => {
      const openings = new Map(messageOpenings(this.#db, numbers, EXCERPT_BYTES))
      const messages = messageHeads(this.#db, numbers).map(({ id, conversationId }) => ({
        id: messageNodeId(id),
        name: nameOf(openings.get(id) ?? '') || null,
        number: this.#reader.order(conversationId).positionOf(id) + 1,
      }))
      const summaries = [...openingsOfSummaries(this.#db, ids, EXCERPT_BYTES)].flatMap(([id, text]) => {
        const name = nameOf(text)
        return name === '' ? [] : { id, name, number: null }
      })
      return { names: [...messages, ...summaries] }
    })
  }

  /**
   * Returns the lineage of a missing node: which summaries name it, and what its own links still say of its sources.
   */
  #ofMissing(id: string, namers: readonly string[]): Lineage {
    const sources = sourceSummaryIds(this.#db, id)
    const dependents = namers.flatMap((namer) => this.#upwards(namer))
    const above = [...coversOfSummaries(this.#db, inOrderOf(namers, summaryHeads(this.#db, namers)))].flatMap(
      ([namer, covers]) => [namer, ...covers.map((cover) => cover.id)],
    )
    return {
      id,
      sources: [...sources.flatMap((source) => this.#trees(source, 'sources')), ...this.#messagesOf(id)],
      dependents,
      coveredBy: [...new Set(above)],
      inContext: false,
    }
  }

  /** Returns the lineage of a file: the messages that contain its id, and the lowest summaries that keep it. */
  #ofFile({ id, conversationId }: FoundNode & { kind: 'file' }): Lineage {
    const { summaries, messages } = fileReferences(this.#db, id, conversationId)
    const named = new Set(summaries.map((summary) => summary.id))
    const lowest = summaries.filter((summary) => {
      const { summaries: all, links } = this.#reader.memory(summary.conversationId)
      return !(links.sources[all.nodeOf(summary.id)] ?? []).some((source) => named.has(all.at(source).id))
    })
    const heads = inOrderOf(messages, messageHeads(this.#db, messages))
    const fromMessages = heads.map(
      ({ id: number, tokens, seq }): LineageTree => ({
        id: messageNodeId(number),
        kind: 'message',
        depth: -1,
        tokens: tokens ?? 0,
        firstSeq: seq,
        lastSeq: seq,
      }),
    )
    return {
      id,
      sources: [],
      dependents: [...fromMessages, ...lowest.flatMap((summary) => this.#upwards(summary.id))],
      coveredBy: [...named],
      inContext:
        windowsOfSummaries(this.#db, [...named]).length > 0 ||
        messages.some((number) => this.#isInWindow(number, conversationId)),
    }
  }

  /** Returns a summary and all its dependents. */
  #upwards(summaryId: string): LineageTree[] {
    return this.#trees(summaryId, 'dependents')
  }

  #trees(summaryId: string, direction: 'sources' | 'dependents'): LineageTree[] {
    const [head] = summaryHeads(this.#db, [summaryId])
    if (!head) return [{ id: summaryId, kind: 'missing', depth: -1, tokens: 0 }]
    const memory = this.#reader.memory(head.conversationId)
    return lineageTrees(memory, [memory.summaries.nodeOf(summaryId)], direction)
  }

  #isInWindow(message: number, conversation: number): boolean {
    return windowsOfMessages(this.#db, [message]).some(({ conversationId }) => conversationId === conversation)
  }

  #ofMessage({ id, messageId, conversationId }: FoundNode & { kind: 'message' }): Lineage {
    const leaves = summariesNaming(this.#db, [messageId]).get(messageId) ?? []
    const covers = coversOfMessages(this.#db, [{ id: messageId, conversationId }]).get(messageId) ?? []
    return {
      id,
      sources: [],
      dependents: leaves.flatMap((leaf) => this.#upwards(leaf)),
      coveredBy: covers.map((cover) => cover.id),
      inContext: this.#isInWindow(messageId, conversationId),
    }
  }

  #ofSummary({ id, conversationId }: FoundNode & { kind: 'summary' }): Lineage {
    const memory = this.#reader.memory(conversationId)
    const { lineage, coverage } = memory
    const node = memory.summaries.nodeOf(id)
    const covers = coversOfSummaries(this.#db, [{ id, conversationId }]).get(id) ?? []
    return {
      id,
      sources: [...lineageTrees(memory, lineage.sources[node] ?? [], 'sources', [node]), ...this.#messagesOf(id)],
      dependents: lineageTrees(memory, lineage.dependents[node] ?? [], 'dependents', [node]),
      coveredBy: covers.map((cover) => cover.id),
      inContext: coverage.nodeStates[node] === IN_WINDOW,
    }
  }

  /** Returns the messages that a summary names one by one, whether they exist or not. */
  #messagesOf(summary: string): LineageTree[] {
    const named = namedMessages(this.#db, summary)
    const heads = new Map(messageHeads(this.#db, named).map((head) => [head.id, head]))
    return named.map((number) => {
      const { tokens = null, seq = null } = heads.get(number) ?? {}
      return {
        id: messageNodeId(number),
        kind: tokens === null ? 'missing' : 'message',
        depth: -1,
        tokens: tokens ?? 0,
        ...(seq === null ? {} : { firstSeq: seq, lastSeq: seq }),
      }
    })
  }
}

/** Returns what was read by ids, in the order of the ids. */
function inOrderOf<Id, Read extends { readonly id: Id }>(ids: readonly Id[], read: readonly Read[]): Read[] {
  const byId = new Map(read.map((one) => [one.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
