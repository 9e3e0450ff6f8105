import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HostMessage } from '#core/contract/host.ts'
import { hosted, turns } from '../builders/hosted.ts'
import { runs } from '../builders/property-runs.ts'
import { scanFile, wrong } from '../doctor/integrity/scan-file.ts'

const SMALL = { budgetTokens: 2_000, minMessagesToCompact: 2, freshTailCount: 4 }
const TABLES = ['conversations', 'messages', 'message_parts', 'context_items', 'large_files']

/** Every row of a memory. */
async function rowsOf({ core }: ReturnType<typeof hosted>): Promise<string> {
  const { read } = await core.lcm()
  return JSON.stringify(TABLES.map((table) => read.rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)))
}

const message = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'user', 'assistant'),
    content: fc.string({ unit: 'binary', maxLength: 40 }),
  }),
  fc.record({
    role: fc.constant('assistant'),
    tool_calls: fc.constant([{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }]),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: fc.constant('c'), content: fc.string({ maxLength: 40 }) }),
  fc.record({
    role: fc.constant('user'),
    content: fc.constant([
      { type: 'tool_result', tool_use_id: 'c', content: 'done' },
      { type: 'text', text: 'go on' },
    ]),
  }),
)

describe('messages of an agent', () => {
  // "Any split of the input into chunks, and any repetition of ingest batches, gives the same memory."
  it('give the same memory however they are split into batches and however often a batch comes', async () => {
    const story = fc.array(message, { minLength: 1, maxLength: 30 })
    const cuts = fc.array(fc.record({ size: fc.nat(6), times: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(story, cuts, async (said, batches) => {
        const messages = said.map(
          (one, n) => ({ ...one, id: `m${n}`, createdAtMs: 1_700_000_000_000 + n }) as HostMessage,
        )
        const [whole, split] = [hosted(), hosted()]
        await whole.ask('ingest', { sessionId: 's', title: 'A story', messages })
        let rest = messages
        for (const { size, times } of batches) {
          for (let time = 0; time < times; time += 1) {
            await split.ask('ingest', { sessionId: 's', title: 'A story', messages: rest.slice(0, size) })
          }
          rest = rest.slice(Math.floor(size / 2))
        }
        await split.ask('ingest', { sessionId: 's', title: 'A story', messages: rest })
        expect(await rowsOf(split)).toBe(await rowsOf(whole))
        await whole.core.close()
        await split.core.close()
      }),
      { numRuns: runs(20) },
    )
  })

  it('are refused together when one of them is known with another content', async () => {
    const memory = hosted()
    await memory.ask('ingest', { sessionId: 's', messages: turns(2) })
    const before = await rowsOf(memory)
    const changed = [...turns(3, 2), { id: 'm1', role: 'assistant', content: 'something else' }]
    await expect(memory.ask('ingest', { sessionId: 's', messages: changed })).rejects.toMatchObject({
      code: 'message_conflict',
      retryable: false,
      details: { conflicts: [{ externalId: 'm1', messageId: 2 }] },
    })
    await expect(
      memory.ask('ingest', { sessionId: 'new', messages: [...turns(1), { ...turns(1, 1)[0], id: 'm0' }] }),
    ).rejects.toMatchObject({ code: 'message_conflict' })
    expect(await rowsOf(memory)).toBe(before)
    await memory.core.close()
  })

  it('are not stored when the call was cancelled before', async () => {
    const memory = hosted()
    await expect(
      memory.ask('ingest', { sessionId: 's', messages: turns(2) }, AbortSignal.abort()),
    ).rejects.toMatchObject({ code: 'cancelled' })
    await expect(memory.ask('status', { sessionId: 's' })).rejects.toMatchObject({ code: 'not_found' })
    await memory.core.close()
  })

  it('are refused with the name of the field when they are not as they should be', async () => {
    const memory = hosted()
    const wrongs: [unknown, string][] = [
      [{ sessionId: 's', messages: [{ role: 'user', content: 'x' }] }, 'messages.0.id'],
      [{ sessionId: 's', messages: [{ id: '1', role: 'king', content: 'x' }] }, 'messages.0.role'],
      [{ sessionId: 's', messages: [{ id: '1', role: 'user' }] }, 'messages[0] (1)'],
      [{ messages: [] }, 'sessionId'],
      [{ sessionId: 's', mesages: [] }, 'Give either messages or entries'],
      [{ sessionId: 's', messages: [], entries: [] }, 'Give either messages or entries'],
      [null, 'sessionId'],
    ]
    for (const [input, field] of wrongs) {
      await expect(memory.ask('ingest', input)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(field),
      })
    }
    await memory.core.close()
  })
})

describe('a window of an agent', () => {
  it('is compacted in the background from the soft threshold on, and before it is given at the hard one', async () => {
    const memory = hosted(SMALL, true)
    expect(await memory.ask('ingest', { sessionId: 's', messages: turns(4) })).toMatchObject({ compactionJobId: null })
    const { compactionJobId } = await memory.ask<{ compactionJobId: string }>('ingest', {
      sessionId: 's',
      messages: turns(10, 4),
    })
    expect(await memory.core.jobs.wait(compactionJobId)).toMatchObject({ state: 'done', kind: 'compact' })
    await memory.ask('ingest', { sessionId: 's', messages: turns(40, 14) })
    const window = await memory.ask('assemble', { sessionId: 's' })
    expect(window).toMatchObject({ compaction: { state: 'done', error: null }, leftOutTokens: 0, overBudget: false })
    expect(window.activeTokens).toBeLessThan(SMALL.budgetTokens)
    await memory.core.close()
    expect(wrong(await scanFile(memory.path))).toEqual([])
  })

  it('lists what a compaction lost only where that is asked for', async () => {
    for (const loss of [undefined, false, true]) {
      const memory = hosted(SMALL)
      await memory.ask('ingest', { sessionId: 's', messages: turns(40) })
      const result = await memory.ask<{ created: unknown[]; loss?: object }>('compact', { sessionId: 's', loss })
      expect(result.created.length).toBeGreaterThan(0)
      expect('loss' in result).toBe(loss === true)
      await memory.core.close()
    }
  })

  it('is given as it is when nobody asked for automatic compaction, and compacted when that is needed', async () => {
    const memory = hosted(SMALL)
    await memory.ask('ingest', { sessionId: 's', messages: turns(40) })
    expect(await memory.ask('assemble', { sessionId: 's' })).toMatchObject({ compaction: null })
    expect(await memory.ask('status', { sessionId: 's' })).toMatchObject({
      messages: 40,
      isAutomatic: false,
      decision: { urgency: 'hard' },
    })
    expect(await memory.ask('compact', { sessionId: 's', ifNeeded: true })).toMatchObject({
      stopReason: 'target_reached',
    })
    expect(await memory.ask('compact', { sessionId: 's', ifNeeded: true })).toBeNull()
    await memory.core.close()
  })

  // The window is read anew only where a threshold can have been reached, and that must never be too late.
  it('begins to be compacted with the message that reaches the soft threshold, as it does when it is always read', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 10, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(lengths, fc.constantFrom(0, 6), async (sizes, maxActiveMessages) => {
        const memory = hosted({ ...SMALL, maxActiveMessages }, true)
        for (const [n, size] of sizes.entries()) {
          const message = {
            id: `m${n}`,
            role: 'user',
            content: `${n} `.repeat(size),
            createdAtMs: 1_700_000_000_000 + n,
          }
          const { compactionJobId } = await memory.ask<{ compactionJobId: string | null }>('ingest', {
            sessionId: 's',
            messages: [message],
          })
          const { decision } = await memory.ask<{ decision: { should: boolean } }>('status', { sessionId: 's' })
          if (compactionJobId === null) expect(decision.should).toBe(false)
          else await memory.core.jobs.wait(compactionJobId)
        }
        await memory.core.close()
      }),
      { numRuns: runs(5) },
    )
  })

  it('is not compacted against LCM_AUTOCOMPACT_DISABLED', async () => {
    const memory = hosted(SMALL, true)
    const lcm = await memory.core.lcm()
    Object.assign(lcm.settings, { autocompactDisabled: true })
    expect(await memory.ask('ingest', { sessionId: 's', messages: turns(40) })).toMatchObject({ compactionJobId: null })
    expect(await memory.ask('assemble', { sessionId: 's' })).toMatchObject({ compaction: null })
    await memory.core.close()
  })

  it('belongs to a session or a conversation that is there, and to one of them', async () => {
    const memory = hosted()
    await memory.ask('ingest', { sessionId: 's', messages: turns(2) })
    await expect(memory.ask('assemble', {})).rejects.toMatchObject({ code: 'conversation_required' })
    await expect(memory.ask('assemble', { sessionId: 's', conversationId: 1 })).rejects.toMatchObject({
      code: 'conversation_required',
    })
    await expect(memory.ask('status', { sessionId: 'other' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(memory.ask('recall', { conversationId: 7, query: 'x' })).rejects.toMatchObject({ code: 'not_found' })
    await memory.core.close()
  })
})

describe('what is stored of a session', () => {
  it('gives the newest messages in their order by the ids of the host, in the window or not', async () => {
    const memory = hosted(SMALL)
    await memory.ask('ingest', { sessionId: 's', messages: turns(40) })
    await memory.ask('compact', { sessionId: 's' })
    const ids = turns(40).map(({ id }) => id)
    const all = await memory.ask<{ id: string; externalId: string; text: string }[]>('stored', { sessionId: 's' })
    expect(all.map(({ externalId }) => externalId)).toEqual(ids)
    expect(all[0]).toMatchObject({ id: 'msg_1', role: 'user', text: '' })
    const newest = await memory.ask('stored', { sessionId: 's', limit: 2, textChars: 4 })
    expect(newest).toEqual(
      turns(40)
        .slice(-2)
        .map(({ id, role, content }, at) => ({
          id: `msg_${39 + at}`,
          externalId: id,
          role,
          text: String(content).slice(0, 4),
        })),
    )
    await memory.core.close()
  })
})

describe('what is recalled', () => {
  it('bears on the query, is outside of the window, fits its cap, and is not stored again', async () => {
    const memory = hosted(SMALL)
    await memory.ask('ingest', {
      sessionId: 's',
      messages: [{ id: 'x', role: 'user', content: 'The vault code is 4711.' }, ...turns(40)],
    })
    await memory.ask('compact', { sessionId: 's' })
    const { text, passages, tokens } = await memory.ask<{ text: string; passages: { id: string }[]; tokens: number }>(
      'recall',
      {
        sessionId: 's',
        query: 'vault code',
        tokenCap: 200,
      },
    )
    expect(passages.map(({ id }) => id)).toEqual(['msg_1'])
    expect(text).toContain('The vault code is 4711.')
    expect(tokens).toBeLessThanOrEqual(200)
    const asked = { id: 'y', role: 'user', content: `${text}\n\nWhat was the code?` }
    await memory.ask('ingest', { sessionId: 's', messages: [asked] })
    const lcm = await memory.core.lcm()
    expect(lcm.transcript.message('msg_42').content).toBe('What was the code?')
    // A text that somebody changed, or only wrote like ours, is kept.
    const foreign = { id: 'z', role: 'user', content: text.replace('4711', '4712') }
    await memory.ask('ingest', { sessionId: 's', messages: [foreign] })
    expect(lcm.transcript.message('msg_43').content).toBe(foreign.content)
    await memory.core.close()
  })

  it('is what left the window and stands in no summary when there is no query', async () => {
    const memory = hosted(SMALL)
    const facts = Array.from({ length: 30 }, (_, n) => ({
      ...{ id: `f${n}`, role: 'user', content: `We decided that svc-${n} listens on port ${4000 + n * 7}.` },
    }))
    await memory.ask('ingest', { sessionId: 's', messages: [...facts, ...turns(40)] })
    await memory.ask('compact', { sessionId: 's' })
    const window = JSON.stringify((await memory.ask<{ messages: unknown }>('assemble', { sessionId: 's' })).messages)
    const left = facts.filter(({ content }) => !window.includes(content.slice(-6, -1)))
    expect(left.length).toBeGreaterThan(0)
    const { text, tokens } = await memory.ask<{ text: string; tokens: number }>('recall', { sessionId: 's' })
    for (const { content } of left) expect(text).toContain(content.slice(0, -1))
    expect(tokens).toBeLessThanOrEqual(1000)
    const { text: less } = await memory.ask<{ text: string }>('recall', { sessionId: 's', tokenCap: 150 })
    expect(less.length).toBeLessThan(text.length)
    await memory.core.close()
  })

  it('is nothing when nothing bears on the query', async () => {
    const memory = hosted()
    await memory.ask('ingest', { sessionId: 's', messages: turns(2) })
    expect(await memory.ask('recall', { sessionId: 's', query: 'xylophone' })).toEqual({
      text: '',
      passages: [],
      tokens: 0,
    })
    await memory.core.close()
  })
})
