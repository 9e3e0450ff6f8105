import { describe, expect, it } from 'vitest'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { importTwice } from '#test/builders/sample-import.ts'
import { told, writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const step = (n: number) => ({
  action: `run ${n}`,
  observation: `saw ${n}\r\n`,
  response: `I run ${n}.`,
  thought: `I run ${n}.`,
  state: '{}',
  query: Array.from({ length: n }, () => ({ role: 'user', content: 'the prompt again' })),
})
const history = [
  { role: 'system', content: 'You fix bugs.', agent: 'main' },
  { role: 'user', content: 'An example.', agent: 'main', is_demo: true },
  { role: 'user', content: 'Fix it.', agent: 'main' },
  {
    role: 'assistant',
    content: 'I run 1.',
    thought: 'I run 1.',
    action: 'run 1',
    agent: 'main',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command": "run 1"}' } }],
  },
  { role: 'tool', content: 'saw 1', agent: 'main', tool_call_ids: ['call_1'] },
]
const run = { environment: 'main', trajectory: [step(1)], history, info: { exit_status: 'submitted' } }

describe('an import of a trajectory of SWE-agent', () => {
  it('reads its history, and not its steps as well', async () => {
    using memory = buildMemory()
    const file = await importTwice(memory, writeJson(run, 'shop__shop-1.traj'))
    expect(file).toMatchObject({ format: 'swe-agent', added: 5, error: null })
    expect(told(memory)).toEqual([
      'system: You fix bugs.',
      'user: An example.',
      'user: Fix it.',
      'assistant: I run 1.',
      'tool: saw 1',
    ])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('Fix it.')
    expect(
      memory.db.all('SELECT tool_call_id, tool_name FROM message_parts WHERE part_type = :t', { t: 'tool' }),
    ).toEqual([
      { tool_call_id: 'call_1', tool_name: 'bash' },
      { tool_call_id: 'call_1', tool_name: 'bash' },
    ])
  })

  it('reads its steps when there is no history, each as a call and its result', async () => {
    using memory = buildMemory()
    const { history: _, ...rest } = run
    await importTwice(memory, writeJson({ ...rest, trajectory: [step(1), step(2)] }, 'x.traj'))
    expect(told(memory)).toEqual(['assistant: I run 1.', 'tool: saw 1\r\n', 'assistant: I run 2.', 'tool: saw 2\r\n'])
  })

  it('adds what is new when the run went on', async () => {
    using memory = buildMemory()
    const path = writeJson({ ...run, history: history.slice(0, 3) }, 'x.traj')
    await importOne(memory.db, path)
    const later = writeJson(run, 'x.traj', path.replace(/\/x\.traj$/, ''))
    expect(await importOne(memory.db, later)).toMatchObject({ added: 2, alreadyThere: 3 })
  })

  it('makes a conversation of each row of a data set', async () => {
    using memory = buildMemory()
    const row = (id: string) => ({
      instance_id: id,
      trajectory: [
        { role: 'system', system_prompt: 'You fix bugs.', text: null, mask: false },
        { role: 'user', text: 'Fix it.', mask: false },
        { role: 'ai', text: 'Done.', mask: true },
      ],
    })
    await importTwice(memory, writeLines([row('a'), row('b'), row('a')]))
    expect(memory.db.column('SELECT title FROM conversations')).toEqual(['a', 'b', 'a'])
    expect(told(memory).slice(0, 3)).toEqual(['system: You fix bugs.', 'user: Fix it.', 'assistant: Done.'])
  })

  it('recognises it by its content, also when its first steps are larger than what is read at first', () => {
    const big = { ...step(1), observation: 'x'.repeat(400_000) }
    expect(recogniseTranscript(writeJson({ ...run, trajectory: [big] }, 'y.json'))?.format.id).toBe('swe-agent')
  })

  it('reads a trajectory that is cut off up to the cut, and reports that', async () => {
    using memory = buildMemory()
    const text = JSON.stringify(run)
    const file = await importOne(memory.db, writeJson(text.slice(0, text.indexOf('saw 1","agent')), 'cut.traj'))
    expect(file).toMatchObject({ added: 4, error: null })
    expect(file.skippedCount).toBeGreaterThan(0)
  })
})
