import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { ExpandCitation } from '#core/contract/expand-query.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { generateHistory } from '#test/builders/history.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
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

  it('marks in each passage the words of the question, with another ending too, and none that only makes a sentence', async () => {
    const { db } = reading.memory
    const marked = async (prompt: string): Promise<readonly string[]> => {
      const { citations } = await ask(askerOf(db), { prompt, summaryIds: [reading.top] })
      const { excerpt = '', matches = [] } = citations.find(({ id }) => id === 'msg_2') ?? {}
      return matches.map(([from, to]) => excerpt.slice(from, to))
    }
    expect(await marked('Why was the invoice late, and who has been waiting for it?')).toEqual([
      ...['invoices', 'late', 'waits'],
    ])
    expect(await marked('because of the what')).toEqual(['The', 'because', 'the'])
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

  it('reads only what lies between two messages, and what covers any of that', async () => {
    const asker = askerOf(reading.memory.db)
    const ids = async (ends: { readonly fromMessage?: string; readonly toMessage?: string }) =>
      (await ask(asker, { prompt: QUESTION, ...ends })).grant.readIds.filter((id) => id.startsWith('msg_'))
    expect(await ids({})).toContain('msg_2')
    expect(await ids({ fromMessage: 'msg_2', toMessage: 'msg_2' })).toEqual(['msg_2'])
    expect(await ids({ fromMessage: 'msg_3' })).not.toContain('msg_2')
    await expect(ids({ fromMessage: 'msg_999' })).rejects.toMatchObject({ code: 'not_found' })
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

  it('takes, in the order of the search, every passage that still fits into its cap, and never more than 8,000 tokens', async () => {
    const memory = buildMemory({ conversations: [{}] })
    onTestFinished(() => memory.close())
    const ids = memory.messages(
      1,
      generateHistory({ seed: 3, messages: 90 }).map(({ role, content }) => ({ role, content })),
    )
    const leaf = memory.leaf(1, ids, { content: 'All of it.' })
    const estimator = createTokenEstimator()
    const asker = askerOf(memory.db)
    const question = { prompt: 'Which lock or queue fails with a TypeError?', summaryIds: [leaf] }
    const all = await ask(asker, { ...question, tokenCap: MOST_AGENT_TOKENS })
    expect(all.truncated).toBe(false)
    const { hits } = await new RetrievalEngine(memory.db, NATIVE_CAPABILITIES, new MemoryReader(memory.db)).search(
      GrepInput.parse({ query: question.prompt, match: 'question', limit: 1000 }),
    )
    const cited = all.citations.map(({ id }) => id)
    expect(cited.length).toBeGreaterThan(20)
    expect(hits.map(({ id }) => id).filter((id) => cited.includes(id))).toEqual(cited)
    const text = (citations: readonly ExpandCitation[]): string =>
      citations.map(({ id, excerpt }) => `[${id}] ${excerpt}`).join('\n\n')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 900 }), async (tokenCap) => {
        const taken: ExpandCitation[] = []
        for (const one of all.citations) if (estimator.count(text([...taken, one])) <= tokenCap) taken.push(one)
        const result = await ask(asker, { ...question, tokenCap })
        expect(result.citations).toEqual(taken)
        expect(result.answer).toBe(text(taken))
        expect(result.tokensUsed).toBe(estimator.count(result.answer))
        expect(result.truncated).toBe(taken.length < all.citations.length)
      }),
      { numRuns: runs(12) },
    )
    await expect(ask(asker, { ...question, tokenCap: MOST_AGENT_TOKENS + 1 })).rejects.toThrow()
  })

  it('shows a passage as it is stored, also where it repeats a summary that counts as no source of itself', async () => {
    const repeated = 'The clock of the invoice worker was an hour behind since the change of March.'
    using memory = buildMemory({ conversations: [{ messages: ['Why were invoices late?', 'I look.'] }] })
    const leaf = memory.leaf(1, [1, 2], { content: repeated })
    const said = `I was told: "${repeated}" So invoices were late.`
    const [message] = memory.messages(1, [said])
    const top = memory.condensed(1, [memory.leaf(1, [message ?? 0], { content: 'It was asked again.' }), leaf])
    memory.damage('UPDATE summaries SET created_at = (SELECT min(created_at) FROM messages)')
    const { citations } = await ask(askerOf(memory.db), { prompt: QUESTION, summaryIds: [top] })
    expect(citations.find(({ id }) => id === `msg_${message}`)?.excerpt).toBe(said)
  })

  it('cuts from a long text whole sentences around the place with most of its words', async () => {
    const { memory, leaves } = readingMemory()
    onTestFinished(() => memory.close())
    const filler = 'Nothing much happened on that day. '.repeat(40)
    const answer = 'The invoices of May were late. A full disk on the print server was why.'
    const [long = 0] = memory.messages(1, [`The invoices are a topic. ${filler}${answer} ${filler}`])
    const leaf = memory.leaf(1, [long], { content: 'May.' })
    const request = { prompt: 'Why were the invoices of May late?', summaryIds: [leaf, ...leaves] }
    const cited = (await ask(askerOf(memory.db), request)).citations.find(({ id }) => id === `msg_${long}`)
    expect(cited?.excerpt.slice(0, answer.length)).toBe(answer)
    expect(cited?.excerpt).toMatch(/day\.$/)
    expect((cited?.end ?? 0) - (cited?.start ?? 0)).toBe(cited?.excerpt.length)
  })
})
