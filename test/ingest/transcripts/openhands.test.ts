import { describe, expect, it } from 'vitest'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { importTwice } from '#test/builders/sample-import.ts'
import { told, writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const call = (id: string, ...others: string[]) => ({
  function_name: 'execute_bash',
  tool_call_id: id,
  model_response: {
    id: 'resp-1',
    model: 'claude',
    usage: { prompt_tokens: 100, completion_tokens: 5 },
    choices: [
      {
        message: {
          tool_calls: [id, ...others].map((each) => ({
            id: each,
            function: { name: 'execute_bash', arguments: `{"command":"run ${each}"}` },
          })),
        },
      },
    ],
  },
})
const event = (id: number, rest: object) => ({ id, timestamp: `2025-03-02T09:00:0${id}.123456`, message: '', ...rest })
const events = [
  event(0, { source: 'agent', action: 'system', args: { content: 'You fix bugs.', tools: [] } }),
  event(1, { source: 'user', action: 'message', args: { content: 'Fix it.' } }),
  event(2, { source: 'user', action: 'recall', args: { query: 'Fix it.' } }),
  event(4, { source: 'environment', observation: 'recall', content: 'Added workspace context', extras: {}, cause: 2 }),
  event(5, {
    source: 'agent',
    action: 'run',
    args: { command: 'run a', thought: 'I try.', hidden: false },
    tool_call_metadata: call('a', 'b'),
  }),
  event(6, {
    source: 'agent',
    observation: 'run',
    content: 'failed',
    extras: { metadata: { exit_code: 2 } },
    cause: 5,
    tool_call_metadata: call('a', 'b'),
  }),
  event(7, { source: 'agent', action: 'finish', args: { final_thought: 'Done.', thought: '' } }),
  event(8, {
    source: 'environment',
    observation: 'agent_state_changed',
    content: '',
    extras: { agent_state: 'finished' },
  }),
]
const task = (id: string, history: unknown = events) => ({
  instance_id: id,
  instruction: 'Fix it.',
  history,
  metrics: {},
})

describe('an import of OpenHands', () => {
  it('makes a conversation of each task, with calls and what was observed after them', async () => {
    using memory = buildMemory()
    const file = await importTwice(memory, writeLines([task('shop-1'), task('shop-2'), task('shop-1')]))
    expect(file).toMatchObject({ format: 'openhands', added: 15, skippedCount: 0, error: null })
    expect(memory.db.column('SELECT title FROM conversations')).toEqual(['shop-1', 'shop-2', 'shop-1'])
    expect(told(memory).slice(0, 5)).toEqual([
      'system: You fix bugs.',
      'user: Fix it.',
      'assistant: I try.',
      'tool: failed',
      'assistant: Done.',
    ])
    expect(
      memory.db.all(`SELECT tool_call_id, tool_name, tool_input, tool_status FROM message_parts
        WHERE part_type = 'tool' ORDER BY rowid LIMIT 3`),
    ).toMatchObject([
      { tool_call_id: 'a', tool_name: 'execute_bash', tool_input: '{"command":"run a"}' },
      { tool_call_id: 'a', tool_name: 'execute_bash', tool_status: 'error' },
      { tool_call_id: 'event-7', tool_name: 'finish' },
    ])
    expect(memory.db.value("SELECT count(*) FROM message_parts WHERE part_type = 'step_finish'")).toBe(3)
  })

  it('adds what is new when a task went on', async () => {
    using memory = buildMemory()
    const path = writeLines([task('shop-1', events.slice(0, 5))], 'output.jsonl')
    await importOne(memory.db, path)
    writeLines([task('shop-1')], 'output.jsonl', path.replace(/\/output\.jsonl$/, ''))
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2, alreadyThere: 3, conflicts: 0 })
  })

  it('reads old files: pairs of an action and an observation, or a flat list, without ids', async () => {
    using memory = buildMemory()
    const action = { action: 'run', command: 'ls', thought: 'I look.' }
    const seen = { observation: 'run', content: 'a b', command_id: 1, exit_code: 0 }
    const told0 = { action: 'message', content: 'Look.', wait_for_response: false }
    await importTwice(
      memory,
      writeLines([
        task('pairs', [
          [told0, { observation: 'null', content: '' }],
          [action, seen],
        ]),
        task('flat', [told0, action, seen]),
      ]),
    )
    const words = ['user: Look.', 'assistant: I look.', 'tool: a b']
    expect(told(memory)).toEqual([...words, ...words])
  })

  it('reads the list of events of one session', async () => {
    using memory = buildMemory()
    const path = writeJson(events, 'trajectory.json')
    expect(recogniseTranscript(path)?.format.id).toBe('openhands')
    await importTwice(memory, path)
    expect(told(memory)).toHaveLength(5)
  })

  it('accepts tasks that failed before anything was said, and reports rows that are no tasks', async () => {
    using memory = buildMemory()
    const file = await importOne(
      memory.db,
      writeLines([task('a'), task('b'), task('c', null), { note: 1 }, task('d', ['x'])]),
    )
    expect(file).toMatchObject({ added: 10, error: null })
    expect(file.skipped.map(({ line }) => line)).toEqual([4, 5])
  })

  it('does not recognise a log of actions as a transcript', () => {
    expect(
      recogniseTranscript(
        writeJson([
          { action: 'login', user: 'x' },
          { action: 'logout', user: 'x' },
        ]),
      ),
    ).toBeNull()
    expect(recogniseTranscript(writeLines([{ history: [{ action: 'created' }, { action: 'closed' }] }]))).toBeNull()
  })
})
