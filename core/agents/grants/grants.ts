import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/clock.ts'
import type { Grant } from '#core/contract/expand-query.ts'
import { LcmError } from '#core/errors.ts'
import { type GrantRows, GrantsInMemory, type GrantTable, type HeldGrant } from './grant-tables.ts'

/** How many grants are kept for the audit trail after they have ended. */
const MOST_REMEMBERED = 200

export type GrantRequest = {
  readonly conversationIds: readonly number[]
  /** The nodes that may be read, with all below them. Without any, everything in the conversations may be read. */
  readonly rootIds?: readonly string[]
  /** How many levels below the roots may be read. */
  readonly depth: number
  readonly tokenCap: number
  readonly ttlMs: number
  readonly mostCalls: number
  readonly memory?: string
  readonly under?: string
}

type Refusal = 'grant_expired' | 'grant_exceeded' | 'grant_scope'

/**
 * Permissions to read a part of a memory: which conversations, how deep, how many tokens, how often, and until when.
 * Whoever holds the id may read; it is random and cannot be guessed. What is read with a grant that was issued under
 * another counts for both, and it ends with the other.
 */
export class Grants {
  readonly #clock: Clock
  readonly #table: GrantTable

  constructor(clock: Clock, table: GrantTable = new GrantsInMemory()) {
    this.#clock = clock
    this.#table = table
  }

  issue({ rootIds = [], ttlMs, memory, under, ...request }: GrantRequest): Grant {
    const issuedAtMs = this.#clock()
    const held: HeldGrant = {
      id: `grant_${randomBytes(16).toString('hex')}`,
      ...(memory !== undefined && { memory }),
      ...request,
      conversationIds: [...request.conversationIds],
      rootIds: [...rootIds],
      under: under ?? null,
      usedTokens: 0,
      calls: 0,
      refusals: 0,
      issuedAtMs,
      expiresAtMs: issuedAtMs + ttlMs,
      isRevoked: false,
      readIds: [],
    }
    return this.#table.atomically((rows) => {
      rows.put(held)
      this.#forget(rows)
      return this.#shown(rows, held)
    })
  }

  /**
   * Checks that something may be read now, and counts the call.
   * @param conversationId of what is to be read, when that is one thing
   * @returns how many tokens are left
   * @throws LcmError grant_expired, grant_exceeded, grant_scope; not_found for an id that was never issued
   */
  use(id: string, conversationId?: number): number {
    return orThrow(
      this.#table.atomically((rows) => {
        const [held, ...above] = this.#chain(rows, id)
        const problem = this.#problemOf([held, ...above], conversationId)
        if (problem) return this.#refused(rows, held, problem.code, problem.message)
        const chain = [held, ...above].map((one) => ({ ...one, calls: one.calls + 1 }))
        for (const one of chain) rows.put(one)
        return Math.min(...chain.map(({ tokenCap, usedTokens }) => tokenCap - usedTokens))
      }),
    )
  }

  /**
   * Counts what was read.
   * @throws LcmError grant_exceeded when it is more than is left; then nothing is counted
   */
  charge(id: string, tokens: number, readIds: readonly string[]): void {
    orThrow(
      this.#table.atomically((rows) => {
        const [held, ...above] = this.#chain(rows, id)
        const left = Math.min(...[held, ...above].map(({ tokenCap, usedTokens }) => tokenCap - usedTokens))
        if (tokens > left) {
          const message = `The grant has ${left} of ${held.tokenCap} tokens left, and this takes ${tokens}.`
          return this.#refused(rows, held, 'grant_exceeded', message)
        }
        for (const one of above) rows.put({ ...one, usedTokens: one.usedTokens + tokens })
        const read = [...new Set([...held.readIds, ...readIds])]
        rows.put({ ...held, usedTokens: held.usedTokens + tokens, readIds: read })
        return null
      }),
    )
  }

  /** Counts a read that another check refused, and returns the error for it. */
  refuse(id: string, message: string): LcmError {
    return this.#table.atomically((rows) => this.#refused(rows, this.#chain(rows, id)[0], 'grant_scope', message))
  }

  /** @throws LcmError not_found */
  revoke(id: string): Grant {
    return this.#table.atomically((rows) => {
      const [held] = this.#chain(rows, id)
      const revoked = { ...held, isRevoked: true }
      rows.put(revoked)
      return this.#shown(rows, revoked)
    })
  }

  /** @throws LcmError not_found */
  get(id: string): Grant {
    return this.#table.atomically((rows) => this.#shown(rows, this.#chain(rows, id)[0]))
  }

  /** Returns the grants, the newest first. */
  list(): Grant[] {
    return this.#table.atomically((rows) =>
      rows
        .all()
        .map((held) => this.#shown(rows, held))
        .reverse(),
    )
  }

  /** A grant and those under which it was issued. One that was forgotten had ended. */
  #chain(rows: GrantRows, id: string): [HeldGrant, ...HeldGrant[]] {
    const held = rows.get(id)
    if (!held) throw new LcmError('not_found', 'There is no such grant: it was never issued, or ended long ago.')
    const chain: [HeldGrant, ...HeldGrant[]] = [held]
    for (let { under } = held; under !== null; ) {
      const above = rows.get(under)
      chain.push(above ?? { ...held, id: under, under: null, isRevoked: true })
      under = above?.under ?? null
    }
    return chain
  }

  #problemOf(
    chain: readonly HeldGrant[],
    conversationId: number | undefined,
  ): { readonly code: Refusal; readonly message: string } | null {
    for (const held of chain) {
      const state = this.#stateOf(held)
      if (state === 'revoked' || state === 'expired') {
        const ended = state === 'revoked' ? 'was revoked' : 'has expired'
        return { code: 'grant_expired', message: `The grant ${ended}: ask for a new one.` }
      }
      if (state === 'used_up') {
        const what = held.calls >= held.mostCalls ? `${held.mostCalls} calls` : `${held.tokenCap} tokens`
        return { code: 'grant_exceeded', message: `The grant is used up (${what}): answer from what was read.` }
      }
      if (conversationId !== undefined && !held.conversationIds.includes(conversationId))
        return { code: 'grant_scope', message: `The grant does not cover conversation ${conversationId}.` }
    }
    return null
  }

  #refused(rows: GrantRows, held: HeldGrant, code: Refusal, message: string): LcmError {
    rows.put({ ...held, refusals: held.refusals + 1 })
    return new LcmError(code, message, { grant: held.id, usedTokens: held.usedTokens, tokenCap: held.tokenCap })
  }

  #stateOf(held: HeldGrant): Grant['state'] {
    if (held.isRevoked) return 'revoked'
    if (this.#clock() >= held.expiresAtMs) return 'expired'
    return held.calls >= held.mostCalls || held.usedTokens >= held.tokenCap ? 'used_up' : 'active'
  }

  /** The state of a grant is that of the first in its chain that has ended. */
  #shown(rows: GrantRows, held: HeldGrant): Grant {
    const { isRevoked: _, under, ...facts } = held
    const states = this.#chain(rows, held.id).map((one) => this.#stateOf(one))
    const state = states.find((one) => one !== 'active') ?? 'active'
    return { ...facts, ...(under !== null && { under }), state }
  }

  #forget(rows: GrantRows): void {
    const all = rows.all()
    let left = all.length
    for (const held of all) {
      if (left <= MOST_REMEMBERED) return
      if (this.#stateOf(held) === 'active') continue
      rows.remove(held.id)
      left -= 1
    }
  }
}

function orThrow<T>(result: T | LcmError): T {
  if (result instanceof LcmError) throw result
  return result
}
