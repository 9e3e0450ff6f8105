import { describe, expect, it } from 'vitest'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { writeJson, writeLines } from '#test/builders/transcript-rows.ts'
import { transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

/** All text of a memory's messages. */
const textOf = ({ db }: TestMemory): string =>
  db
    .column<string>(
      `SELECT content FROM messages UNION ALL
       SELECT coalesce(text_content, '') || ' ' || coalesce(tool_input, '') || ' ' || coalesce(tool_output, '')
         || ' ' || coalesce(tool_title, '') FROM message_parts`,
    )
    .join('\n')

describe.each(transcriptSamples)('every text of a transcript of $name', (sample) => {
  it('arrives in the memory, or its line is reported', async () => {
    using memory = buildMemory()
    const planted = new Map<string, string>()
    const say = (where: string): string => {
      const known = planted.get(where)
      const canary = known ?? `canary-${planted.size + 1}-`
      planted.set(where, canary)
      return `${canary} ${where}`
    }
    const path = writeSample(sample, { say })
    const lines = sample.write(say).split('\n')
    const file = await importOne(memory.db, path)
    expect(file.error).toBeNull()
    const reported = file.skipped.map(({ line }) => lines[line - 1] ?? '').join('\n')
    const text = textOf(memory)
    const lost = [...planted].filter(([, canary]) => !text.includes(canary) && !reported.includes(canary))
    expect(lost.map(([where]) => where)).toEqual([])
  })

  it('makes no message without any content', async () => {
    using memory = buildMemory()
    await importOne(memory.db, writeSample(sample))
    expect(
      memory.db.column(
        `SELECT external_id FROM messages AS m WHERE content = '' AND NOT EXISTS (
           SELECT 1 FROM message_parts AS p WHERE p.message_id = m.message_id
             AND coalesce(p.text_content, p.tool_input, p.tool_output, p.tool_error) IS NOT NULL)`,
      ),
    ).toEqual([])
  })
})

describe('an import', () => {
  const claude = (records: readonly object[]) =>
    writeLines(
      records.map((record, n) => ({ uuid: `u-${n}`, sessionId: 's-1', timestamp: '2026-03-02T09:00:00Z', ...record })),
    )

  it('stores a local command of Claude Code, which the agent sees, and reports a recap, which it does not', async () => {
    using memory = buildMemory()
    const file = await importOne(
      memory.db,
      claude([
        { type: 'user', message: { role: 'user', content: 'Hello.' } },
        { type: 'system', subtype: 'local_command', content: '<local-command-stdout>2 servers</local-command-stdout>' },
        { type: 'system', subtype: 'away_summary', content: 'We did this and that.' },
        { type: 'attachment', attachment: { type: 'hook_system_message', content: 'Shown beside.' } },
      ]),
    )
    expect(memory.db.column('SELECT content FROM messages ORDER BY seq')).toEqual([
      'Hello.',
      '<local-command-stdout>2 servers</local-command-stdout>',
    ])
    expect(file.skipped).toEqual([
      { line: 3, reason: 'a recap for the person: the agent does not see it' },
      { line: 4, reason: 'a notice (hook_system_message) for the person: the agent does not see it' },
    ])
  })

  it('stores attachments of Claude Code as the model is sent them, and counts what the program keeps for itself', async () => {
    using memory = buildMemory()
    const reminder = (text: string) => [{ content: `<system-reminder>${text}</system-reminder>` }]
    const attached = (type: string, fields: object, role?: string, text = '') => ({
      type: 'attachment',
      attachment: { type, ...fields },
      ...(role ? { rendered: reminder(text), renderedRole: role } : {}),
    })
    const prompt = { systemPrompt: ['You are an agent.', 'Be brief.'], tools: [{ name: 'Bash', description: 'Runs.' }] }
    const file = await importOne(
      memory.db,
      claude([
        attached('date', { date: '2026-11-28' }, 'system', 'The date is 28 November.'),
        attached('session_context', { context: { gitStatus: 'clean' } }, 'user', 'The status is clean.'),
        attached('prompt_snapshot', prompt),
        attached('prompt_snapshot', prompt),
        { type: 'user', message: { role: 'user', content: 'Hello.' } },
        { type: 'api-request-blob', hash: 'h', message: { role: 'user', content: 'The words of a message, again.' } },
        { type: 'cost-state', totalCostUSD: 0.1, modelUsage: {} },
        { type: 'tag', tag: 'a tag that the Agent SDK gave the session' },
      ]),
    )
    expect(memory.db.column("SELECT role || ': ' || content FROM messages ORDER BY seq")).toEqual([
      'system: <system-reminder>The date is 28 November.</system-reminder>',
      'user: <system-reminder>The status is clean.</system-reminder>',
      'system: You are an agent.\n\nBe brief.',
      'user: Hello.',
    ])
    expect(file).toMatchObject({ skippedCount: 0, otherRecords: 4 })
    expect(memory.db.value('SELECT title FROM conversations')).toBe('Hello.')
  })

  it('stores a queued prompt of Claude Code that reached the agent, and reports the line of one that did not', async () => {
    using memory = buildMemory()
    const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, content })
    const file = await importOne(
      memory.db,
      claude([
        { type: 'user', message: { role: 'user', content: 'Hello.' } },
        queue('enqueue', 'sent'),
        queue('remove', 'sent'),
        queue('enqueue', 'taken back'),
        queue('popAll'),
        queue('enqueue', '/mcp'),
        queue('remove', '/mcp'),
        queue('enqueue', 'never sent'),
        queue('enqueue', '<task-notification>\n<task-id>b1</task-id> is done\n</task-notification>'),
      ]),
    )
    expect(memory.db.column('SELECT content FROM messages ORDER BY seq')).toEqual(['Hello.', 'sent'])
    expect(file.skipped.map(({ line, reason }) => `${line} ${reason.split(':')[0]}`)).toEqual([
      '4 typed while the agent was busy, and taken back',
      '6 a command that was typed while the agent was busy',
      '8 typed while the agent was busy, and never sent',
      '9 a notice of the program that came while the agent was busy, and that it was not sent',
    ])
  })

  it('adds the steps of SWE-agent that stand only in the trajectory after the history', async () => {
    using memory = buildMemory()
    const step = (n: number) => ({ action: `run ${n}`, observation: `saw ${n}`, response: `I run ${n}.`, thought: '' })
    const history = [
      { role: 'user', content: 'Fix it.' },
      { role: 'assistant', content: 'I run 1.', action: 'run 1' },
      { role: 'user', content: 'OBSERVATION:\nsaw 1\n(Open file: n/a)' },
    ]
    const path = writeJson({ environment: 'main', trajectory: [step(1), step(2)], history }, 'x.traj')
    expect(await importOne(memory.db, path)).toMatchObject({ added: 5, skippedCount: 0 })
    expect(memory.db.column('SELECT content FROM messages ORDER BY seq').slice(3)).toEqual(['I run 2.', 'saw 2'])
  })

  it('stores all texts of unknown blocks, those in known fields first', async () => {
    using memory = buildMemory()
    const content = [
      { type: 'hologram', text: 'seen' },
      { type: 'hologram', body: { content: [{ text: 'deep' }] }, summary: 'short' },
    ]
    await importOne(memory.db, claude([{ type: 'user', message: { role: 'user', content } }]))
    expect(memory.db.column('SELECT content FROM messages')).toEqual(['seen\n\nshort\n\ndeep'])
  })
})
