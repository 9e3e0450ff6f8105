import type { Grant } from '#core/contract/expand-query.ts'
import type { GrantIssueInput } from '#core/contract/grants.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { findNode } from '#core/systems/reading/node-id.ts'
import { conversationExists, noSuchConversation } from '#core/systems/records/conversations.ts'
import type { Grants } from './grants.ts'
import { ANY_DEPTH, Scope } from './scope.ts'

const DEFAULT_TOKENS = 40_000
const DEFAULT_CALLS = 1_000
const DEFAULT_TTL_MS = 3_600_000

export type GrantServiceOptions = {
  readonly db: ReadDb
  readonly reader: MemoryReader
  readonly grants: Grants
  readonly clock: () => number
  /** The real path of the memory. A grant is for the memory at one path. */
  readonly memory: string
}

/** Issues, lists and revokes permissions to read a memory, which outlive the process and are kept outside of it. */
export class GrantService {
  readonly grants: Grants
  readonly #options: GrantServiceOptions

  constructor(options: GrantServiceOptions) {
    this.#options = options
    this.grants = options.grants
  }

  /**
   * @throws LcmError not_found; invalid_argument when nothing is named, or what is named does not fit together;
   * grant_scope when it would allow more than the grant under which it is issued
   */
  issue(input: GrantIssueInput): Grant {
    const above = input.under === undefined ? null : this.#aboveOf(input.under)
    const extent = this.#extentOf(input, above)
    const { tokenCap, mostCalls, ttlMs } = limitsOf(input, above, this.#options.clock())
    const { memory } = this.#options
    const under = above ? { under: above.grant.id } : {}
    return this.grants.issue({ ...extent, tokenCap, mostCalls, ttlMs, memory, ...under })
  }

  /** Returns the grants for this memory, the newest first. */
  list(): Grant[] {
    return this.grants.list().filter(({ memory }) => memory === this.#options.memory)
  }

  /** @throws LcmError not_found */
  revoke(id: string): Grant {
    this.#own(id)
    return this.grants.revoke(id)
  }

  /**
   * Returns what may be read with a grant.
   * @throws LcmError not_found when it was never issued, or for another memory
   */
  scope(id: string): Scope {
    const { db, reader } = this.#options
    return new Scope(db, reader, this.#own(id))
  }

  #own(id: string): Grant {
    const grant = this.grants.get(id)
    if (grant.memory === this.#options.memory) return grant
    throw new LcmError('not_found', 'The grant is for another memory: open that one, or ask for a grant for this one.')
  }

  #aboveOf(id: string): Above {
    const grant = this.#own(id)
    if (grant.state !== 'active') {
      throw new LcmError('grant_expired', `The grant under which this one is asked for is ${grant.state}.`)
    }
    return { grant, scope: this.scope(id) }
  }

  #extentOf(input: GrantIssueInput, above: Above | null): Pick<Grant, 'conversationIds' | 'rootIds' | 'depth'> {
    const { db } = this.#options
    const isInherited = input.rootIds === undefined && input.conversationIds === undefined
    const roots = (isInherited ? above?.grant.rootIds : input.rootIds) ?? []
    for (const id of roots) if (above && !above.scope.allows(id)) throw wider(`It does not cover ${id}`)
    const nodes = roots.map((id) => findNode(db, id))
    const file = nodes.find(({ kind }) => kind === 'file')
    if (file) {
      const message = `${file.id} is a file: name the summaries and messages that lead to it.`
      throw new LcmError('invalid_argument', message, { id: file.id })
    }
    const ofRoots = [...new Set(nodes.map(({ conversationId }) => conversationId))]
    const named = (isInherited ? above?.grant.conversationIds : input.conversationIds) ?? ofRoots
    const conversationIds = [...new Set(named)]
    if (conversationIds.length === 0) {
      throw new LcmError('invalid_argument', 'A grant is for conversations or for summaries: name at least one.')
    }
    for (const id of conversationIds) {
      if (above && !above.grant.conversationIds.includes(id)) throw wider(`It does not cover conversation ${id}`)
      if (!conversationExists(db, id)) throw noSuchConversation(db, id)
    }
    const stray = nodes.find(({ conversationId }) => !conversationIds.includes(conversationId))
    if (stray) {
      const message = `${stray.id} belongs to conversation ${stray.conversationId}, which is not among those that are named.`
      throw new LcmError('invalid_argument', message, { id: stray.id })
    }
    const rootIds = nodes.map(({ id }) => id)
    return { conversationIds, rootIds, depth: depthOf(input.depth, rootIds, above) }
  }
}

type Above = { readonly grant: Grant; readonly scope: Scope }

const wider = (what: string): LcmError =>
  new LcmError('grant_scope', `${what}: a grant cannot give more than the one under which it is issued.`)

/** The level of a root in the other grant counts as well. */
function depthOf(asked: number | undefined, rootIds: readonly string[], above: Above | null): number {
  if (!above) return asked ?? ANY_DEPTH
  const { reach } = above.scope
  if (reach === null) return asked ?? ANY_DEPTH
  if (rootIds.length === 0 && above.grant.rootIds.length > 0)
    throw wider('It covers some summaries only, so that this one has to name some of them')
  const left = above.grant.depth - Math.max(0, ...rootIds.map((id) => reach.get(id) ?? 0))
  if (asked !== undefined && asked > left) throw wider(`It leaves ${left} levels, not ${asked}`)
  return asked ?? left
}

function limitsOf({ tokenCap, mostCalls, ttlMs }: GrantIssueInput, above: Above | null, nowMs: number) {
  const within = (asked: number | undefined, byDefault: number, left: number, what: string): number => {
    if (asked !== undefined && asked > left) throw wider(`It has ${left} ${what} left, not ${asked}`)
    return asked ?? Math.min(byDefault, left)
  }
  const grant = above?.grant
  const tokensLeft = grant ? grant.tokenCap - grant.usedTokens : Number.POSITIVE_INFINITY
  const callsLeft = grant ? grant.mostCalls - grant.calls : Number.POSITIVE_INFINITY
  const msLeft = grant ? grant.expiresAtMs - nowMs : Number.POSITIVE_INFINITY
  return {
    tokenCap: within(tokenCap, DEFAULT_TOKENS, tokensLeft, 'tokens'),
    mostCalls: within(mostCalls, DEFAULT_CALLS, callsLeft, 'calls'),
    ttlMs: within(ttlMs, DEFAULT_TTL_MS, msLeft, 'milliseconds'),
  }
}
