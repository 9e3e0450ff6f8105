import { describe, expect, it } from 'vitest'
import { type GrantRequest, Grants } from '#core/agents/grants/grants.ts'
import type { LcmError } from '#core/errors.ts'

const REQUEST: GrantRequest = { conversationIds: [1], depth: 2, tokenCap: 100, ttlMs: 60_000, mostCalls: 3 }

function issued(spec: Partial<GrantRequest> = {}) {
  const clock = { ms: 1_000 }
  const grants = new Grants(() => clock.ms)
  return { clock, grants, grant: grants.issue({ ...REQUEST, ...spec }) }
}

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as LcmError).code
  }
  return 'allowed'
}

describe('a grant', () => {
  it('allows what it says, and counts its use', () => {
    const { grants, grant } = issued()
    expect(grant).toMatchObject({ state: 'active', usedTokens: 0, calls: 0, expiresAtMs: 61_000, readIds: [] })
    expect(grant.id).toMatch(/^grant_[0-9a-f]{32}$/)
    expect(grants.use(grant.id, 1)).toBe(100)
    grants.charge(grant.id, 60, ['msg_1', 'msg_2'])
    expect(grants.use(grant.id, 1)).toBe(40)
    grants.charge(grant.id, 0, ['msg_2'])
    expect(grants.get(grant.id)).toMatchObject({ usedTokens: 60, calls: 2, readIds: ['msg_1', 'msg_2'] })
  })

  it('expires at its time, to the millisecond', () => {
    const { clock, grants, grant } = issued()
    clock.ms = 60_999
    expect(refusal(() => grants.use(grant.id, 1))).toBe('allowed')
    clock.ms = 61_000
    expect(refusal(() => grants.use(grant.id, 1))).toBe('grant_expired')
    expect(grants.get(grant.id).state).toBe('expired')
  })

  it('ends with its tokens and never returns one more', () => {
    const { grants, grant } = issued()
    grants.use(grant.id, 1)
    expect(refusal(() => grants.charge(grant.id, 101, ['msg_1']))).toBe('grant_exceeded')
    expect(grants.get(grant.id)).toMatchObject({ usedTokens: 0, readIds: [] })
    grants.charge(grant.id, 100, [])
    expect(refusal(() => grants.use(grant.id, 1))).toBe('grant_exceeded')
  })

  it('ends with its last call', () => {
    const { grants, grant } = issued()
    for (let call = 0; call < 3; call += 1) grants.use(grant.id, 1)
    expect(refusal(() => grants.use(grant.id, 1))).toBe('grant_exceeded')
    expect(grants.get(grant.id).state).toBe('used_up')
  })

  it('covers only its conversations', () => {
    const { grants, grant } = issued()
    expect(refusal(() => grants.use(grant.id, 2))).toBe('grant_scope')
    expect(grants.get(grant.id)).toMatchObject({ calls: 0, refusals: 1 })
  })

  it('can be revoked, and no other id is accepted', () => {
    const { grants, grant } = issued()
    expect(grants.revoke(grant.id).state).toBe('revoked')
    expect(refusal(() => grants.use(grant.id, 1))).toBe('grant_expired')
    expect(refusal(() => grants.use('grant_0', 1))).toBe('not_found')
  })

  it('stays in the list when it has ended, the newest first, and old ones are forgotten at last', () => {
    const { grants, grant } = issued()
    grants.revoke(grant.id)
    const second = grants.issue(REQUEST)
    expect(grants.list().map(({ id }) => id)).toEqual([second.id, grant.id])
    for (let more = 0; more < 500; more += 1) grants.revoke(grants.issue(REQUEST).id)
    expect(grants.list().length).toBeLessThan(250)
    expect(grants.get(second.id).state).toBe('active')
  })
})
