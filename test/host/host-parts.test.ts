import { describe, expect, it } from 'vitest'
import type { HostMessage } from '#core/contract/host.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { hosted } from '../builders/hosted.ts'

const said = (more: Record<string, unknown>): HostMessage =>
  ({ id: 'm1', role: 'assistant', content: 'Done.', ...more }) as HostMessage

async function stored(messages: readonly HostMessage[]) {
  const memory = hosted()
  await memory.ask('ingest', { sessionId: 's', messages })
  const { read, retrieval } = await memory.core.lcm()
  const rows = read.all<Record<string, unknown>>('SELECT * FROM message_parts ORDER BY message_id, ordinal')
  const [{ content = '' } = {}] = read.all<{ content: string }>('SELECT content FROM messages')
  const found = async (query: string): Promise<number> => (await retrieval.grep(GrepInput.parse({ query }))).hits.length
  return { memory, rows, content, found }
}

describe('what a message has beside its content', () => {
  it('is stored as patches, snapshots, subtasks, steps, agents and retries, with what their columns do not take', async () => {
    const { memory, rows, content } = await stored([
      said({
        parts: [
          { type: 'patch', hash: 'abc', files: ['/src/a.ts'], diff: '+1' },
          { type: 'snapshot', snapshot: 'tree1' },
          { type: 'subtask', prompt: 'Look for leaks.', description: 'leaks', agent: 'explore' },
          { type: 'step_start', snapshot: 'tree0' },
          { type: 'step-finish', reason: 'stop', cost: 0.5, tokens: { input: 10, output: 2 }, snapshot: 'tree2' },
          { type: 'agent', name: 'build' },
          { type: 'retry', attempt: 2, error: { name: 'Overloaded' } },
        ],
      }),
    ])
    expect(rows.map(({ part_type }) => part_type)).toEqual([
      'text',
      'patch',
      'snapshot',
      'subtask',
      'step_start',
      'step_finish',
      'agent',
      'retry',
    ])
    expect(rows[1]).toMatchObject({ patch_hash: 'abc', patch_files: '["/src/a.ts"]' })
    expect(JSON.parse(String(rows[1]?.metadata))).toMatchObject({ diff: '+1' })
    expect(rows[2]).toMatchObject({ snapshot_hash: 'tree1' })
    expect(rows[3]).toMatchObject({ subtask_prompt: 'Look for leaks.', subtask_agent: 'explore' })
    expect(rows[5]).toMatchObject({ step_reason: 'stop', step_cost: 0.5, step_tokens_in: 10, snapshot_hash: 'tree2' })
    expect(content).toBe('Done.\n\nLook for leaks.')
    await memory.core.close()
  })

  it('is kept as it is when its type is unknown, is found by a search, and is stored once', async () => {
    const part = { type: 'plan', steps: ['repair the PERIWINKLE valve'], done: false }
    const { memory, rows, found } = await stored([said({ content: undefined, parts: [part] })])
    expect(JSON.parse(String(rows[0]?.metadata))).toEqual(part)
    expect(await found('PERIWINKLE')).toBe(1)
    const again = await memory.ask('ingest', {
      sessionId: 's',
      messages: [said({ content: undefined, parts: [part] })],
    })
    expect(again).toMatchObject({ added: 0, alreadyThere: 1 })
    const other = said({ content: undefined, parts: [{ ...part, done: true }] })
    await expect(memory.ask('ingest', { sessionId: 's', messages: [other] })).rejects.toMatchObject({
      code: 'message_conflict',
    })
    await memory.core.close()
  })

  it('is kept of the fields of APIs that belong to what was said, also when nothing of it is a text', async () => {
    const annotations = [{ type: 'url_citation', url: 'https://example.com' }]
    const { memory, rows, content } = await stored([
      said({ annotations, refusal: null, audio: null, usage: { total: 3 } }),
    ])
    expect(rows.map(({ metadata }) => metadata && JSON.parse(String(metadata)))).toEqual([
      null,
      { type: 'annotations', annotations },
    ])
    expect(content).toBe('Done.')
    await memory.core.close()
  })

  it.each([
    ['an unknown field', { patch: { hash: 'a' } }, 'messages[0].patch'],
    [
      'a part of more than 65,536 characters',
      { parts: [{ type: 'plan', text: 'x'.repeat(70_000) }] },
      'messages[0].parts[0]',
    ],
    ['a compaction, which is not for others to say', { parts: [{ type: 'compaction' }] }, 'messages[0].parts[0]'],
    ['a part without a type', { parts: [{ text: 'x' }] }, 'parts'],
  ])('is refused with all messages beside it when it is %s', async (_, more, named) => {
    const memory = hosted()
    await expect(
      memory.ask('ingest', { sessionId: 's', messages: [said(more), said({ id: 'm2' })] }),
    ).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(named) })
    expect((await memory.core.lcm()).read.value('SELECT count(*) FROM messages')).toBe(0)
    await memory.core.close()
  })
})
