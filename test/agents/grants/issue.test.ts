import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import type { GrantIssueInput } from '#core/contract/grants.ts'
import type { LcmError } from '#core/errors.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { type GrantedMemory, grantedMemory, naiveReach } from './granted-memory.ts'

const NEVER = new AbortController().signal
let granted: GrantedMemory
let lcm: Lcm
beforeAll(async () => {
  granted = grantedMemory()
  granted.memory.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  lcm = await granted.open()
})
afterAll(() => {
  lcm.close()
  granted.memory.close()
})

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as LcmError).code
  }
  return 'allowed'
}
const idOf = (word: string): string => [...granted.nodes.values()].find((node) => node.word === word)?.id ?? ''

it('a grant outlives the process, is listed for its memory only, and changes nothing beside the memory', async () => {
  const before = folderState(join(granted.memory.path, '..'))
  const issued = lcm.grants.issue({ conversationIds: [1], tokenCap: 500 })
  expect(existsSync(join(granted.dataDir, 'grants.db'))).toBe(true)
  const again = await granted.open()
  const other = buildMemory({ conversations: [{}] })
  const elsewhere = await openLcm(other.path, { readOnly: true, dataDir: granted.dataDir })
  try {
    expect(again.grants.list()).toEqual([issued])
    expect(elsewhere.grants.list()).toEqual([])
    expect(refusal(() => elsewhere.grants.scope(issued.id))).toBe('not_found')
    expect(again.grants.revoke(issued.id).state).toBe('revoked')
    expect(lcm.grants.list()[0]?.state).toBe('revoked')
    expect(folderState(join(granted.memory.path, '..'))).toEqual(before)
  } finally {
    again.close()
    elsewhere.close()
    other.close()
  }
})

it('listing grants where none was issued creates no file', async () => {
  const fresh = grantedMemory()
  const opened = await fresh.open()
  expect(opened.grants.list()).toEqual([])
  expect(existsSync(fresh.dataDir)).toBe(false)
  opened.close()
  fresh.memory.close()
})

it('a grant that is revoked or has expired ends at the next call of whoever holds it', async () => {
  const issued = lcm.grants.issue({ conversationIds: [1], ttlMs: 60_000 })
  const tools = new Tools(async () => lcm, { kind: 'grant', grantId: issued.id })
  const ask = () =>
    tools.call('lcm_grep', { query: 'quartz' }, NEVER).then(
      () => 'allowed',
      (error: LcmError) => error.code,
    )
  expect(await ask()).toBe('allowed')
  granted.clock.ms += 60_000
  expect(await ask()).toBe('grant_expired')
  granted.clock.ms -= 60_000
  lcm.grants.revoke(issued.id)
  expect(await ask()).toBe('grant_expired')
})

it('a grant has to name something that is there', () => {
  const { issue } = { issue: (input: GrantIssueInput) => refusal(() => lcm.grants.issue(input)) }
  expect(issue({})).toBe('invalid_argument')
  expect(issue({ conversationIds: [99] })).toBe('not_found')
  expect(issue({ rootIds: ['sum_0123456789abcdef'] })).toBe('not_found')
  expect(issue({ conversationIds: [2], rootIds: [idOf('top1x0')] })).toBe('invalid_argument')
  expect(issue({ conversationIds: [1], under: 'grant_0' })).toBe('not_found')
})

it('a grant that was issued under another never allows more, whatever is asked for (property)', () => {
  const ids = [...granted.nodes.keys()]
  const request = fc.record({
    conversationIds: fc.option(fc.subarray([1, 2], { minLength: 1 }), { nil: undefined }),
    rootIds: fc.option(fc.subarray(ids, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    depth: fc.option(fc.nat(4), { nil: undefined }),
    tokenCap: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
    ttlMs: fc.option(fc.integer({ min: 1_000, max: 7_200_000 }), { nil: undefined }),
  })
  let nested = 0
  fc.assert(
    fc.property(request, request, fc.option(fc.nat(100)), (outer, inner, place) => {
      if (refusal(() => lcm.grants.issue(outer)) !== 'allowed') return
      const above = lcm.grants.issue(outer)
      const allowed = naiveReach(granted.nodes, above)
      // Half of them ask for something that the other covers.
      const [...within] = allowed
      const asked = place === null ? inner : { depth: inner.depth, rootIds: [within[place % within.length] ?? ''] }
      const code = refusal(() => {
        const issued = lcm.grants.issue({ ...asked, under: above.id })
        nested += 1
        expect([...naiveReach(granted.nodes, issued)].filter((id) => !allowed.has(id))).toEqual([])
        expect(issued.tokenCap).toBeLessThanOrEqual(above.tokenCap)
        expect(issued.expiresAtMs).toBeLessThanOrEqual(above.expiresAtMs)
      })
      expect(['allowed', 'grant_scope', 'invalid_argument']).toContain(code)
    }),
    { numRuns: 150 },
  )
  expect(nested).toBeGreaterThan(20)
})

it('what is read with a grant counts for the one above it too, and ends with it', async () => {
  const above = lcm.grants.issue({ conversationIds: [1], tokenCap: 200 })
  const below = lcm.grants.issue({ under: above.id })
  expect(below).toMatchObject({ conversationIds: [1], tokenCap: 200, under: above.id })
  const tools = new Tools(async () => lcm, { kind: 'grant', grantId: below.id })
  await tools.call('lcm_describe', { id: idOf('top1x0') }, NEVER)
  const [used, counted] = [below, above].map(({ id }) => lcm.grants.grants.get(id).usedTokens)
  expect(used).toBeGreaterThan(0)
  expect(counted).toBe(used)
  lcm.grants.revoke(above.id)
  expect(lcm.grants.grants.get(below.id).state).toBe('revoked')
  await expect(tools.call('lcm_describe', { id: idOf('top1x0') }, NEVER)).rejects.toMatchObject({
    code: 'grant_expired',
  })
})
