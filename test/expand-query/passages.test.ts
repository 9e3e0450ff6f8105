import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTokenEstimator } from '../../core/models/token-estimator.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { ask, askerOf, CAUSE, type Reading, readingMemory, SECRET } from './reading-memory.ts'

let reading: Reading
beforeAll(() => {
  reading = readingMemory()
})
afterAll(() => reading.memory.close())

const QUESTION = 'Why were the invoices late?'

describe('a question without a model', () => {
  it('is answered with the best passages, each with its id', async () => {
    const { db } = reading.memory
    const result = await ask(askerOf(db), { prompt: QUESTION, summaryIds: [reading.top] })
    expect(result).toMatchObject({ provider: null, model: null, fallback: null, droppedIds: [], truncated: false })
    expect(result.answer).toContain(`[msg_2] ${CAUSE}`)
    const cited = result.citations.find(({ id }) => id === 'msg_2')
    expect(cited).toMatchObject({
      kind: 'message',
      seq: 1,
      role: 'assistant',
      field: 'content',
      start: 0,
      excerpt: CAUSE,
    })
    for (const { id } of result.citations) expect(result.answer).toContain(`[${id}]`)
    expect(result.grant).toMatchObject({ state: 'revoked', conversationIds: [1], rootIds: [reading.top] })
    expect(result.grant.readIds.sort()).toEqual([...new Set(result.citations.map(({ id }) => id))].sort())
    expect(result.tokensUsed).toBe(result.grant.usedTokens)
  })

  it('reads nothing of another conversation, even through damaged links', async () => {
    const { memory, top, leaves, elsewhere } = readingMemory()
    onTestFinished(() => memory.close())
    // A message of the other conversation under a leaf of this one, and the reverse.
    memory.damage(`INSERT INTO summary_messages VALUES ('${leaves[0]}', 6, 99), ('${elsewhere}', 2, 99)`)
    for (const summaryIds of [[top], undefined]) {
      const result = await ask(askerOf(memory.db), { prompt: `${QUESTION} vault code`, summaryIds, conversationId: 1 })
      expect(result.answer).toContain(CAUSE)
      expect(JSON.stringify(result)).not.toContain('QUARTZ')
    }
  })

  it('chooses by itself the summaries to read', async () => {
    const asker = askerOf(reading.memory.db)
    const result = await ask(asker, { prompt: 'What did renderInvoice wait for?' })
    expect(result.candidates).toContain(reading.leaves[0])
    expect(result.citations[0]?.excerpt).toContain('font server')
    const byQuery = await ask(asker, { prompt: 'What happened then?', query: '812 invoices' })
    expect(byQuery.answer).toContain('812')
    expect(asker.grants.list()).toHaveLength(2)
  })

  it('stays in its conversation and below its summaries', async () => {
    const asker = askerOf(reading.memory.db)
    const narrow = await ask(asker, { prompt: 'vault code of the other customer', conversationId: 1 })
    expect(JSON.stringify(narrow)).not.toContain('QUARTZ')
    const covered = await ask(asker, { prompt: 'vault code 4711', summaryIds: [reading.top] })
    expect(JSON.stringify(covered)).not.toContain('QUARTZ')
    const wide = await ask(asker, { prompt: 'vault code of the other customer' })
    expect(wide.answer).toContain(SECRET)
    await expect(ask(asker, { prompt: 'x', summaryIds: [reading.elsewhere], conversationId: 1 })).rejects.toMatchObject(
      {
        code: 'invalid_argument',
      },
    )
  })

  it('goes only as deep as the limit', async () => {
    const shallow = await ask(askerOf(reading.memory.db), { prompt: QUESTION, summaryIds: [reading.top], depth: 1 })
    expect(shallow.citations.map(({ kind }) => kind)).not.toContain('message')
    expect(shallow.citations.map(({ id }) => id)).toContain(reading.leaves[0])
  })

  it('says when nothing was found', async () => {
    const asker = askerOf(reading.memory.db)
    const unknown = await ask(asker, { prompt: 'zxqv wvut' })
    expect(unknown).toMatchObject({ answer: '', citations: [], candidates: [], tokensUsed: 0 })
    expect(unknown.notes.join()).toContain('finds nothing')
    const covered = await ask(asker, { prompt: 'zxqv wvut', summaryIds: [reading.top] })
    expect(covered.notes.join()).toContain('shares words')
    await expect(ask(asker, { prompt: QUESTION, summaryIds: ['sum_none'] })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(ask(asker, { prompt: QUESTION, summaryIds: ['msg_1'] })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(ask(asker, { prompt: QUESTION, summarizer: 'nobody' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('never returns more tokens than its cap or 8,000, and has the same answer every time', async () => {
    const memory = buildMemory({ conversations: [{}] })
    const ids = memory.messages(
      1,
      generateHistory({ seed: 3, messages: 120 }).map(({ role, content }) => ({ role, content })),
    )
    const leaf = memory.leaf(1, ids, { content: 'All of it.' })
    const estimator = createTokenEstimator()
    const asker = askerOf(memory.db)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 900 }), async (tokenCap) => {
        const request = { prompt: 'Which lock or queue fails with a TypeError?', summaryIds: [leaf], tokenCap }
        const result = await ask(asker, request)
        expect(estimator.count(result.answer)).toBeLessThanOrEqual(tokenCap)
        expect(result.tokensUsed).toBeLessThanOrEqual(tokenCap)
        expect(result.tokensUsed).toBe(estimator.count(result.answer))
        expect((await ask(asker, request)).answer).toBe(result.answer)
      }),
      { numRuns: runs(12) },
    )
    await expect(ask(asker, { prompt: 'x', summaryIds: [leaf], tokenCap: 8_001 })).rejects.toThrow()
    memory.close()
  })
})
