import type { Outliner } from '#core/browse/outline.ts'
import type { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import type { LcmError } from '#core/errors.ts'
import type { FileReader } from '#core/files/file-reader.ts'
import type { TokenEstimator } from '#core/models/token-estimator.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { findNode } from '#core/systems/reading/node-id.ts'
import type { LossReporter } from '#core/trace/loss.ts'
import type { ExpandQuery } from '../expand-query/expand-query.ts'
import type { GrantService } from '../grants/grant-service.ts'
import type { Scope } from '../grants/scope.ts'
import { ScopedView, textsOf } from '../grants/scoped-view.ts'

/** The services with which the tools for agents read a memory. */
export type ToolServices = {
  readonly read: ReadDb
  readonly reader: MemoryReader
  readonly retrieval: RetrievalEngine
  readonly outliner: Outliner
  readonly fileReader: FileReader
  readonly expandQuery: Pick<ExpandQuery, 'ask'>
  readonly losses: Pick<LossReporter, 'report'>
  readonly grants: GrantService
  readonly estimator: TokenEstimator
  readonly settings: { readonly maxExpandTokens: number }
}

type ReadingOptions = {
  /** What may be read, or null for everything. */
  readonly scope: Scope | null
  /** The tokens that an answer may take at most. */
  readonly cap: number
  /** Makes the error for an id that does not exist or must not be read. It is the same for both. */
  readonly outside: (what: string) => LcmError
}

/** Holds for one call of a tool what it may read, and how many tokens. */
export class Reading {
  readonly services: ToolServices
  readonly scope: Scope | null
  readonly cap: number
  readonly #outside: (what: string) => LcmError
  readonly #view: ScopedView | null

  constructor(services: ToolServices, { scope, cap, outside }: ReadingOptions) {
    this.services = services
    this.scope = scope
    this.cap = cap
    this.#outside = outside
    this.#view = scope && new ScopedView(scope)
  }

  /** @throws LcmError not_found, grant_scope */
  find(id: string): void {
    if (this.scope === null) findNode(this.services.read, id)
    else if (!this.scope.allows(id)) throw this.#outside(id)
  }

  /**
   * Returns the conversations to read: those that are asked for, or else all that may be read.
   * @throws LcmError grant_scope
   */
  conversations(asked: readonly number[] | undefined): number[] | undefined {
    if (this.scope === null) return asked && [...asked]
    const { conversationIds } = this.scope
    const other = asked?.find((id) => !conversationIds.includes(id))
    if (other !== undefined) throw this.#outside(`conversation ${other}`)
    return [...(asked ?? conversationIds)]
  }

  /** Removes from an answer what must not be seen. */
  shown<T>(answer: T): T {
    return this.#view ? this.#view.of(answer) : answer
  }

  capFor(asked: number | undefined): number {
    return Math.min(asked ?? this.services.settings.maxExpandTokens, MOST_AGENT_TOKENS, this.cap)
  }

  /** The tokens of the texts of an answer. */
  costOf(answer: unknown): number {
    return textsOf(answer).reduce((sum, text) => sum + this.services.estimator.count(text), 0)
  }
}
