import type { RetrievalEngine } from '../../browse/retrieval-engine.ts'
import type { Grant } from '../../contract/expand-query.ts'
import type { Description } from '../../contract/lineage.ts'
import type { Expansion } from '../../contract/retrieval.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import type { MemoryReader } from '../../systems/memory-reader.ts'
import { findNode, messageNodeId } from '../../systems/node-id.ts'
import { cutText } from '../../text.ts'
import type { Grants } from './grants.ts'

/** How many characters of a description fit into one answer. */
const MOST_CHARS = 12_000

export type GrantedReaderOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly retrieval: RetrievalEngine
  readonly estimator: TokenEstimator
  readonly grants: Grants
}

/** Describes and expands nodes under a grant. Nothing else of the memory can be reached through it. */
export class GrantedReader {
  readonly #options: GrantedReaderOptions
  /** By id of a grant: every id that it reaches, with its level below the roots. */
  readonly #reach = new Map<string, ReadonlyMap<string, number>>()

  constructor(options: GrantedReaderOptions) {
    this.#options = options
  }

  /**
   * Returns the facts of a node, and as much of its text as the tokens of the grant allow.
   * @throws LcmError grant_expired, grant_exceeded, grant_scope, not_found
   */
  describe(grant: Grant, id: string): Description {
    const { grants, retrieval, estimator } = this.#options
    const left = this.#use(grant, id)
    const described = retrieval.describe(id, MOST_CHARS)
    const content = fitting(described.content, left, estimator)
    grants.charge(grant.id, estimator.count(content), content === '' ? [] : [id])
    return { ...described, content, isCut: content.length < described.contentChars }
  }

  /**
   * Returns the sources of a summary, level by level, as far as the grant allows.
   * @throws LcmError as `describe`; invalid_argument for what is no summary
   */
  expand(
    grant: Grant,
    input: { readonly id: string; readonly depth: number; readonly includeMessages: boolean; readonly cursor?: string },
  ): Expansion {
    const { grants, retrieval, estimator } = this.#options
    const left = this.#use(grant, input.id)
    const from = this.reach(grant).get(input.id) ?? 0
    const levels = grant.depth - from
    if (levels < 1) {
      throw grants.refuse(
        grant.id,
        `${input.id} stands ${grant.depth} levels below what the grant is for: nothing beneath may be read.`,
      )
    }
    const expansion = retrieval.expand(
      {
        summaryId: input.id,
        depth: Math.min(input.depth, levels),
        includeMessages: input.includeMessages,
        tokenCap: Math.max(1, left),
        cursor: input.cursor,
      },
      { countOf: (text) => estimator.count(text), conversationIds: grant.conversationIds },
    )
    grants.charge(grant.id, expansion.tokens, [
      ...expansion.nodes.map((node) => node.id),
      ...expansion.messages.map((message) => message.id),
    ])
    return expansion
  }

  /** Returns every id that a grant reaches, with its level below the roots. It is empty when the grant has no roots. */
  reach(grant: Grant): ReadonlyMap<string, number> {
    const known = this.#reach.get(grant.id)
    if (known) return known
    const reach = this.#reachOf(grant)
    this.#reach.set(grant.id, reach)
    return reach
  }

  /** Removes what was computed for a grant. */
  forget(grant: Grant): void {
    this.#reach.delete(grant.id)
  }

  #use(grant: Grant, id: string): number {
    const { db, grants } = this.#options
    const left = grants.use(grant.id, findNode(db, id).conversationId)
    const { rootIds } = grant
    if (rootIds.length > 0 && !this.reach(grant).has(id)) {
      throw grants.refuse(
        grant.id,
        `${id} is not beneath ${rootIds.slice(0, 5).join(', ')}: the grant does not cover it.`,
      )
    }
    return left
  }

  #reachOf(grant: Grant): Map<string, number> {
    const { db, reader } = this.#options
    const reach = new Map<string, number>()
    for (const rootId of grant.rootIds) {
      const root = findNode(db, rootId)
      // In a damaged file a summary of a conversation outside of the grant may cover a hit.
      if (!grant.conversationIds.includes(root.conversationId)) continue
      reach.set(rootId, 0)
      if (root.kind !== 'summary') continue
      const { messages, summaries, links } = reader.memory(root.conversationId)
      let level = [summaries.nodeOf(rootId)]
      const seen = new Set(level)
      for (let depth = 1; depth <= grant.depth && level.length > 0; depth += 1) {
        const near = (id: string): void => {
          reach.set(id, Math.min(reach.get(id) ?? depth, depth))
        }
        for (const node of level) {
          for (const number of messages.idsIn(links.rangesOf(node))) near(messageNodeId(number))
        }
        for (const { messageId, conversationId } of links.messagesElsewhere(level)) {
          if (grant.conversationIds.includes(conversationId)) near(messageNodeId(messageId))
        }
        level = level.flatMap((node) =>
          (links.sources[node] ?? []).filter((source) => !seen.has(source) && seen.add(source)),
        )
        for (const node of level) near(summaries.at(node).id)
      }
    }
    return reach
  }
}

/** Returns as much of the beginning of a text as costs at most `tokens`. */
export function fitting(text: string, tokens: number, estimator: TokenEstimator): string {
  if (tokens <= 0) return ''
  if (estimator.count(text) <= tokens) return text
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (estimator.count(cutText(text, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  return cutText(text, low)
}
