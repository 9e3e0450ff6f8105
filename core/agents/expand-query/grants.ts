import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Grant } from '../../contract/expand-query.ts'
import { LcmError } from '../../errors.ts'

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
}

type Held = Omit<Grant, 'state' | 'readIds' | 'usedTokens' | 'calls' | 'refusals'> & {
  usedTokens: number
  calls: number
  refusals: number
  isRevoked: boolean
  readonly read: Set<string>
}

/**
 * Permissions to read a part of a memory: which conversations, how deep, how many tokens, how often, and until when.
 * They are kept in memory only, so none outlives the process. Whoever holds the id may read; it is random and cannot be
 * guessed.
 */
export class Grants {
  readonly #clock: Clock
  /** The grants by id, the oldest first. */
  readonly #held = new Map<string, Held>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  issue(request: GrantRequest): Grant {
    const issuedAtMs = this.#clock()
    const held: Held = {
      id: `grant_${randomBytes(16).toString('hex')}`,
      conversationIds: [...request.conversationIds],
      rootIds: [...(request.rootIds ?? [])],
      depth: request.depth,
      tokenCap: request.tokenCap,
      usedTokens: 0,
      calls: 0,
      mostCalls: request.mostCalls,
      refusals: 0,
      issuedAtMs,
      expiresAtMs: issuedAtMs + request.ttlMs,
      isRevoked: false,
      read: new Set(),
    }
    this.#held.set(held.id, held)
    this.#forget()
    return this.#shown(held)
  }

  /**
   * Checks that something may be read now, and counts the call.
   * @returns how many tokens are left
   * @throws LcmError grant_expired, grant_exceeded, grant_scope; not_found for an id that was never issued
   */
  use(id: string, conversationId: number): number {
    const held = this.#find(id)
    const state = this.#stateOf(held)
    if (state === 'revoked' || state === 'expired') {
      throw this.#refused(
        held,
        'grant_expired',
        `The grant ${id} ${state === 'revoked' ? 'was revoked' : 'has expired'}: ask for a new one.`,
      )
    }
    if (state === 'used_up') {
      const what = held.calls >= held.mostCalls ? `${held.mostCalls} calls` : `${held.tokenCap} tokens`
      throw this.#refused(held, 'grant_exceeded', `The grant ${id} is used up (${what}): answer from what was read.`)
    }
    if (!held.conversationIds.includes(conversationId)) {
      throw this.#refused(held, 'grant_scope', `The grant ${id} does not cover conversation ${conversationId}.`)
    }
    held.calls += 1
    return held.tokenCap - held.usedTokens
  }

  /**
   * Counts what was read.
   * @throws LcmError grant_exceeded when it is more than is left; then nothing is counted
   */
  charge(id: string, tokens: number, readIds: readonly string[]): void {
    const held = this.#find(id)
    if (held.usedTokens + tokens > held.tokenCap) {
      throw this.#refused(
        held,
        'grant_exceeded',
        `The grant ${id} has ${held.tokenCap - held.usedTokens} of ${held.tokenCap} tokens left.`,
      )
    }
    held.usedTokens += tokens
    for (const readId of readIds) held.read.add(readId)
  }

  /** Counts a read that another check refused, and returns the error for it. */
  refuse(id: string, message: string): LcmError {
    return this.#refused(this.#find(id), 'grant_scope', message)
  }

  revoke(id: string): Grant {
    const held = this.#find(id)
    held.isRevoked = true
    return this.#shown(held)
  }

  /** @throws LcmError not_found */
  get(id: string): Grant {
    return this.#shown(this.#find(id))
  }

  /** Returns the grants, the newest first. */
  list(): Grant[] {
    return [...this.#held.values()].reverse().map((held) => this.#shown(held))
  }

  #find(id: string): Held {
    const held = this.#held.get(id)
    if (!held) throw new LcmError('not_found', 'There is no such grant in this process: ask for a new one.')
    return held
  }

  #refused(held: Held, code: 'grant_expired' | 'grant_exceeded' | 'grant_scope', message: string): LcmError {
    held.refusals += 1
    return new LcmError(code, message, { grant: held.id, usedTokens: held.usedTokens, tokenCap: held.tokenCap })
  }

  #stateOf(held: Held): Grant['state'] {
    if (held.isRevoked) return 'revoked'
    if (this.#clock() >= held.expiresAtMs) return 'expired'
    return held.calls >= held.mostCalls || held.usedTokens >= held.tokenCap ? 'used_up' : 'active'
  }

  #shown(held: Held): Grant {
    const { isRevoked: _, read, ...facts } = held
    return { ...facts, state: this.#stateOf(held), readIds: [...read] }
  }

  #forget(): void {
    for (const [id, held] of this.#held) {
      if (this.#held.size <= MOST_REMEMBERED) return
      if (this.#stateOf(held) !== 'active') this.#held.delete(id)
    }
  }
}
