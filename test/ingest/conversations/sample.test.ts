import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { makeSample } from '#resources/make-sample.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const shipped = fileURLToPath(new URL('../../../resources/sample.db', import.meta.url))
const path = join(temporaryFolder(), 'sample.db')

const history = (db: Pick<WriteDb, 'all'>) =>
  db.all('SELECT external_id, role, created_at, content_hash, token_count FROM messages ORDER BY message_id')

describe('the sample memory', () => {
  let lcm: Lcm
  beforeAll(async () => {
    await makeSample(path)
    lcm = await openLcm(path)
  })
  afterAll(() => lcm.close())

  it('equals the one that the project generates: run `npm run sample` when this fails', () => {
    const copy = join(temporaryFolder(), 'shipped.db')
    copyFileSync(shipped, copy)
    using db = openNative(copy)
    expect(history(db)).toEqual(history(lcm.read))
  })

  it('contains several conversations, three depths, a fresh tail, large files and a sub-agent', () => {
    const stats = lcm.stats.stats()
    expect(stats.conversations).toBeGreaterThanOrEqual(4)
    expect(Object.keys(stats.summariesByDepth)).toEqual(['0', '1', '2'])
    expect(stats.largeFiles).toBe(2)
    const [main] = stats.perConversation.toSorted((a, b) => b.messages - a.messages)
    expect(main?.contextItems).toBeLessThan(main?.messages ?? 0)
    expect(
      stats.perConversation.some(({ parentConversationId }) => parentConversationId === main?.conversationId),
    ).toBe(true)
  })

  it('has no findings', async () => {
    const report = await checkMemory(lcm)
    expect(report).toMatchObject({ ok: true, counts: { error: 0, warning: 0 } })
  })
})
