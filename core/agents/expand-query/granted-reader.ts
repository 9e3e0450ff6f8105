import type { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { Grant } from '#core/contract/expand-query.ts'
import type { Description } from '#core/contract/lineage.ts'
import type { Expansion } from '#core/contract/retrieval.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { findNode } from '#core/systems/reading/node-id.ts'
import { cutText } from '#core/text.ts'
import type { Grants } from '../grants/grants.ts'
import { type Reach, Scope } from '../grants/scope.ts'

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
  /** By id of a grant: what it reaches. */
  readonly #reach = new Map<string, Reach>()

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
        `${input.id} is ${grant.depth} levels below what the grant is for: nothing below it may be read.`,
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
      { countOf: (text) => estimator.count(text), allows: (id) => this.reach(grant).has(id) },
    )
    grants.charge(grant.id, expansion.tokens, [
      ...expansion.nodes.map((node) => node.id),
      ...expansion.messages.map((message) => message.id),
    ])
    return expansion
  }

  /**
   * Returns every id that a grant reaches, with its level below the roots. It is empty when the grant has no roots.
   * @param limits what may be read at all, when the reading itself is under a grant or limited to some messages
   */
  reach(grant: Grant, limits?: Pick<Scope, 'allows'>): Reach {
    const known = this.#reach.get(grant.id)
    if (known) return known
    const { db, reader } = this.#options
    const all = grant.rootIds.length === 0 ? null : new Scope(db, reader, grant).reach
    const reach = new Map([...(all ?? [])].filter(([id]) => limits?.allows(id) ?? true))
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
        `${id} is not below ${rootIds.slice(0, 5).join(', ')}: the grant does not cover it.`,
      )
    }
    return left
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
