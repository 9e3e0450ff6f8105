import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Usage, UsageInput } from '#core/contract/usage.ts'
import { openLcm } from '#core/lcm.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

async function usageOf(memory: TestMemory, asked: Partial<UsageInput> = {}): Promise<Usage> {
  using lcm = await openLcm(memory.path, { readOnly: true })
  return await lcm.usage.of(UsageInput.parse({ conversationId: 1, ...asked }))
}

type Told = { readonly fresh: number; readonly read: number; readonly written: number; readonly at: string }

/** A Claude Code session with a question and an answer for each usage, at a time of the day. */
function claudeCode(steps: readonly Told[], more: (index: number) => object = () => ({})): string {
  const story = new TranscriptBuilder()
  for (const [index, { fresh, read, written, at }] of steps.entries()) {
    const timestamp = `2026-03-02T${at}.000Z`
    story.user(`Question ${index}`, { timestamp })
    const usage = {
      input_tokens: fresh,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 10,
    }
    story.answer(`msg_${index}`, [text(`Answer ${index}`)], { timestamp }, { usage, ...more(index) })
  }
  return story.write()
}

const STEADY: readonly Told[] = [
  { fresh: 10, read: 0, written: 20_000, at: '09:00:00' },
  { fresh: 10, read: 20_000, written: 1_000, at: '09:01:00' },
  { fresh: 10, read: 21_000, written: 1_000, at: '09:02:00' },
]

describe('what the answers of a conversation used', () => {
  it('is added up from what Claude Code records, and has no break while the cached prefix only grows', async () => {
    using memory = buildMemory()
    await importOne(memory.db, claudeCode(STEADY))
    const usage = await usageOf(memory)
    expect(usage).toMatchObject({ recorded: 'cache', steps: 3, breakCount: 0, lostTokens: 0 })
    expect(usage.totals).toEqual({
      inputTokens: 63_030,
      cachedTokens: 41_000,
      writtenTokens: 22_000,
      outputTokens: 30,
      cost: null,
    })
    expect(usage.columns).toMatchObject({
      messages: [2, 4, 6],
      cachedTokens: [0, 20_000, 21_000],
      writtenTokens: [20_000, 1_000, 1_000],
      breaks: [0, 0, 0],
    })
  })

  it('names a break after a long pause, with what had to be sent again', async () => {
    using memory = buildMemory()
    const late = { fresh: 10, read: 0, written: 23_000, at: '09:30:00' }
    await importOne(memory.db, claudeCode([...STEADY, late]))
    const { breaks, lostTokens, columns } = await usageOf(memory)
    expect(columns).toMatchObject({ breaks: [0, 0, 0, 1], lostTokens: [0, 0, 0, 22_010], breakCost: [0, 0, 0, 0] })
    expect(breaks).toMatchObject([
      { messages: 8, expectedTokens: 22_010, cachedTokens: 0, cause: 'pause', pauseMs: 28 * 60_000, cost: null },
    ])
    expect(lostTokens).toBe(22_010)
  })

  it('names another model as the cause, and no cause where the file tells none', async () => {
    using memory = buildMemory()
    const next = { fresh: 10, read: 0, written: 23_000, at: '09:03:00' }
    const after = { fresh: 10, read: 2_000, written: 22_000, at: '09:04:00' }
    const other = (index: number) => (index >= 3 ? { model: 'claude-other' } : {})
    await importOne(memory.db, claudeCode([...STEADY, next, after], other))
    const { breaks } = await usageOf(memory)
    expect(breaks.toSorted((a, b) => a.messages - b.messages).map(({ cause }) => cause)).toEqual(['model', null])
  })

  it('names a compaction of the window as the cause, also when the new window is small', async () => {
    using memory = buildMemory()
    const small = { fresh: 10, read: 0, written: 3_000, at: '09:03:00' }
    await importOne(memory.db, claudeCode([...STEADY, small]))
    const ids = [1, 2, 3, 4, 5]
    memory.leaf(1, ids, { content: 'The first five.', atMs: Date.UTC(2026, 2, 2, 9, 2, 30) })
    const { breaks } = await usageOf(memory)
    expect(breaks).toMatchObject([{ cause: 'compaction', expectedTokens: 22_010, cachedTokens: 0 }])
  })

  it('is read from the counts of Codex, which repeats one when only its limits have changed', async () => {
    using memory = buildMemory()
    const at = (second: number) => `2026-03-02T09:00:${String(second).padStart(2, '0')}.000Z`
    const item = (second: number, payload: object) => ({ timestamp: at(second), type: 'response_item', payload })
    const said = (second: number, role: string, words: string) =>
      item(second, {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: words }],
      })
    const count = (second: number, total: number, input: number, cached: number) => ({
      timestamp: at(second),
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: {
          total_token_usage: { total_tokens: total },
          last_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: 5 },
        },
      },
    })
    const lines = [
      { timestamp: at(0), type: 'session_meta', payload: { id: 'codex-1', timestamp: at(0), cwd: '/shop' } },
      said(1, 'user', 'Rename it.'),
      item(2, { type: 'function_call', name: 'exec', arguments: '{}', call_id: 'c1' }),
      count(3, 5_005, 5_000, 0),
      item(4, { type: 'function_call_output', call_id: 'c1', output: 'done' }),
      count(5, 5_005, 5_000, 0),
      said(6, 'assistant', 'Renamed.'),
      count(7, 11_010, 6_000, 4_992),
    ]
    const path = join(temporaryFolder(), 'rollout.jsonl')
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await importOne(memory.db, path)
    const usage = await usageOf(memory)
    expect(usage).toMatchObject({ recorded: 'cache', steps: 2, breakCount: 0 })
    expect(usage.totals).toMatchObject({
      inputTokens: 11_000,
      cachedTokens: 4_992,
      writtenTokens: null,
      outputTokens: 10,
    })
    expect(usage.columns.messages).toEqual([2, 4])
  })

  it('is said not to be recorded where nothing records it', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['A question', { role: 'assistant' }] }] })
    expect(await usageOf(memory)).toMatchObject({ recorded: 'none', steps: 0, breaks: [], columns: { messages: [] } })
  })

  it('merges answers into as many columns as are asked for, and loses none of their tokens', async () => {
    using memory = buildMemory()
    await importOne(memory.db, claudeCode(STEADY))
    const { columns, totals } = await usageOf(memory, { columns: 2 })
    expect(columns.steps).toEqual([2, 1])
    expect(columns.inputTokens.reduce((sum, tokens) => sum + tokens, 0)).toBe(totals.inputTokens)
  })
})

it('adds up the conversations of a file, with what their answers cost', async () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  const step = (cost: number | null) => ({ part_type: 'step_finish' as const, step_tokens_in: 100, step_cost: cost })
  memory.message(1, { content: 'One.', tokens: 10, parts: [step(0.25)] })
  memory.message(1, { content: 'Two.', tokens: 20, parts: [step(null)] })
  memory.message(2, { content: 'Three.', tokens: 30, parts: [step(0.5)] })
  using lcm = await openLcm(memory.path, { readOnly: true })
  expect(await lcm.stats.totals()).toEqual({ messages: 3, storedTokens: 60, contextTokens: 60, cost: 0.75 })
})
