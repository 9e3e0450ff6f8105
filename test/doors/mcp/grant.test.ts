import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { lcmHere } from '../cli/lcm.ts'
import { type Connected, connect } from './mcp-client.ts'

const sample = join(import.meta.dirname, '../../../resources/sample.db')
let db: string
let server: Connected | undefined
beforeAll(() => {
  db = join(temporaryFolder(), 'granted.db')
  copyFileSync(sample, db)
})
afterEach(() => server?.close())

async function grant(...args: readonly string[]) {
  const { code, stdout } = await lcmHere(['grant', ...args, '--db', db, '--json'])
  return { code, ...JSON.parse(stdout) }
}

it('a grant is issued, used by a server, listed with what was read, and revoked at the next call of the running server', async () => {
  const issued = await grant('issue', '--conversation', '1', '--token-cap', '2000', '--expires', '30m')
  const [{ id }] = issued.grants
  expect(issued.grants).toMatchObject([{ conversations: [1], maxDepth: 1000, tokenCap: 2000, state: 'active' }])
  expect(issued.grants[0].expiresAt).toMatch(/^\d{4}-/)
  // The grant names its memory.
  server = await connect(['--grant', id], { env: { LCM_DATA_DIR: process.env.LCM_DATA_DIR ?? '' } })
  const found = await server.call('lcm_grep', { query: 'the', limit: 3 })
  expect(found.isError).toBe(false)
  const outside = await server.call('lcm_describe', { conversationId: 2 })
  expect(outside.data).toMatchObject({ error: { code: 'grant_scope' } })
  const [listed] = (await grant('list')).grants
  expect(listed).toMatchObject({ id, calls: 2, refusals: 1 })
  expect(listed.usedTokens).toBeGreaterThan(0)
  await grant('revoke', id)
  const after = await server.call('lcm_grep', { query: 'the', limit: 3 })
  expect(after.data).toMatchObject({ error: { code: 'grant_expired' } })
})

it('a server without its grant does not start, and impossible requests for a grant are refused with the way out', async () => {
  const wrong = async (...args: readonly string[]) => {
    const { code, stderr } = await lcmHere([...args])
    return [code, stderr]
  }
  const unknown = ['mcp', '--db', db, '--grant', 'grant_0']
  expect(await wrong(...unknown)).toEqual([1, expect.stringContaining('never issued')])
  expect(await wrong(...unknown, '--conversation', '1')).toEqual([2, expect.stringContaining('exclude each other')])
  expect(await wrong('grant', 'issue', '--db', db)).toEqual([2, expect.stringContaining('name at least one')])
  expect(await wrong('grant', 'revoke', '--db', db)).toEqual([2, expect.stringContaining('lcm grant list')])
  expect(await wrong('grant', 'issue', '--db', db, '--conversation', '1', '--expires', 'soon')).toEqual([
    2,
    expect.stringContaining('30m'),
  ])
})
