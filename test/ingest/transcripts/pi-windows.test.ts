import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { piChain, piHeader, piSaid } from '#test/builders/pi-session.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { windowOf, writeLines } from '#test/builders/transcript-rows.ts'

type Entry = Readonly<Record<string, unknown>>
const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()

const chain = (...entries: readonly Entry[]): Entry[] => [piHeader('pi-w'), ...piChain(...entries)]
const said = (role: string, text: string, more: Entry = {}): Entry => piSaid(role, long(text), more)
const compaction = (summary: string, firstKeptEntryId: string) => ({
  type: 'compaction',
  summary,
  firstKeptEntryId,
  tokensBefore: 900,
})

async function imported(memory: TestMemory, entries: readonly Entry[]): Promise<string[]> {
  expect(await importOne(memory.db, writeLines([...entries]))).toMatchObject({ skippedCount: 0 })
  expect(await findings(memory.path)).toEqual([])
  return windowOf(memory).map((item) => item.split(' in many words')[0] ?? '')
}

describe('the window of a session of Pi', () => {
  it.each(['label', 'model_change', 'thinking_level_change', 'custom', 'session_info'])(
    'keeps what follows an entry of type %s that a compaction names as the first one kept',
    async (type) => {
      using memory = buildMemory()
      const entries = chain(
        said('user', 'old question'),
        said('assistant', 'old answer'),
        { type, label: 'here', targetId: 'e1' },
        said('user', 'kept question'),
        said('assistant', 'kept answer'),
        compaction('Told.', 'e3'),
        said('user', 'after'),
      )
      expect(await imported(memory, entries)).toEqual([
        'leaf(unknown): Told.',
        'user: kept question',
        'assistant: kept answer',
        'user: after',
      ])
    },
  )

  it('has only the newest summary, also when the second compaction keeps an entry from before the first one', async () => {
    using memory = buildMemory()
    const entries = chain(
      said('user', 'one'),
      said('assistant', 'two'),
      said('user', 'three'),
      said('assistant', 'four'),
      compaction('First.', 'e3'),
      said('user', 'five'),
      compaction('Second.', 'e4'),
      said('user', 'six'),
    )
    expect(await imported(memory, entries)).toEqual([
      'condensed(unknown): Second.',
      'assistant: four',
      'user: five',
      'user: six',
    ])
  })

  it('keeps the summary of a branch that stands in the part that a compaction kept', async () => {
    using memory = buildMemory()
    const entries = chain(
      said('user', 'one'),
      said('assistant', 'two'),
      said('user', 'branch'),
      { ...said('assistant', 'branch answer') },
      { type: 'branch_summary', fromId: 'e4', parentId: 'e2', summary: 'Of the branch.' },
      said('user', 'three'),
      compaction('Told.', 'e2'),
      said('user', 'four'),
    )
    expect(await imported(memory, entries)).toEqual([
      'leaf(unknown): Told.',
      'assistant: two',
      'leaf(unknown): Of the branch.',
      'user: three',
      'user: four',
    ])
  })

  it('leaves out an answer that failed or was interrupted, and what a context edit replaced', async () => {
    using memory = buildMemory()
    const entries = chain(
      said('user', 'question'),
      said('assistant', 'half an answer', { stopReason: 'aborted' }),
      said('user', 'again'),
      said('assistant', 'edited'),
      { type: 'context_edit', targetId: 'e4', replacement: null },
      said('assistant', 'answer', { stopReason: 'stop' }),
    )
    await imported(memory, entries)
    const pruned = memory.db.column<string>(`
      SELECT m.external_id FROM compaction_runs AS r, json_each(r.configuration, '$.prune.outputs') AS o
      JOIN messages AS m ON m.message_id = o.value ->> 0 ORDER BY m.seq`)
    expect(pruned).toEqual(['e2', 'e4'])
  })

  it('has the system prompt of its sections, once', async () => {
    using memory = buildMemory()
    const prompt = { role: 'system', content: '', sections: { preamble: 'You are a program.', cwd: '<cwd>/</cwd>' } }
    const tools = { ...prompt, toolsAdded: [{ name: 'read', description: 'Reads a file.' }] }
    const entries = chain(
      { type: 'message', message: tools },
      said('user', 'one'),
      said('assistant', 'two'),
      { ...compaction('Told.', 'e3'), systemMessage: tools },
      said('user', 'three'),
    )
    await imported(memory, entries)
    const prompts = memory.db.column<string>("SELECT content FROM messages WHERE role = 'system'")
    expect(prompts).toEqual(['You are a program.\n\n<cwd>/</cwd>\n\nread: Reads a file.'])
  })

  const sections = (text: string) => ({ role: 'system', content: '', sections: { rules: text } })

  it('keeps the system prompt in front of the summary of a compaction, in the words that are sent after it', async () => {
    using memory = buildMemory()
    const entries = chain(
      { type: 'message', message: sections('Be brief.') },
      said('user', 'one'),
      { ...compaction('First.', 'e4'), systemMessage: sections('Be brief.') },
      said('user', 'two'),
    )
    expect(await imported(memory, entries)).toEqual(['system: Be brief.', 'leaf(unknown): First.', 'user: two'])
    using other = buildMemory()
    const changed = chain(
      { type: 'message', message: sections('Be brief.') },
      said('user', 'one'),
      { type: 'message', message: sections('Be kind.') },
      { ...compaction('First.', 'e5'), systemMessage: sections('Be brief and kind.') },
      said('user', 'two'),
      { ...compaction('Second.', 'e7'), systemMessage: sections('Be brief and kind.') },
      said('user', 'three'),
    )
    expect((await imported(other, changed)).toSorted()).toEqual([
      'condensed(unknown): Second.',
      'system: Be brief and kind.',
      'user: three',
    ])
  })

  it('has a command that the person ran as the model is told of it, and not one that was for the person alone', async () => {
    using memory = buildMemory()
    const ran = (command: string, output: string, more: Entry = {}) => ({
      type: 'message',
      message: { role: 'bashExecution', command, output, exitCode: 0, cancelled: false, truncated: false, ...more },
    })
    const truncated = { truncated: true, fullOutputPath: '/tmp/all.log', exitCode: 2 }
    const entries = chain(
      said('user', 'one'),
      ran('ls', 'a\n'),
      ran('ls secret', 'b', { excludeFromContext: true }),
      ran('true', ''),
      ran('make', 'c', truncated),
      ran('sleep 9', '', { cancelled: true, exitCode: undefined }),
    )
    await imported(memory, entries)
    const failed = 'Command exited with code 2\n\n[Output truncated. Full output: /tmp/all.log]'
    expect(sentWindow(memory).texts.slice(1)).toEqual([
      'Ran `ls`\n```\na\n\n```',
      'Ran `true`\n(no output)',
      `Ran \`make\`\n\`\`\`\nc\n\`\`\`\n\n${failed}`,
      'Ran `sleep 9`\n(no output)\n\n(command cancelled)',
    ])
  })

  it('counts what the summaries of compactions and branches cost, and a tool that asked a model', async () => {
    using memory = buildMemory()
    const usage = (input: number) => ({ input, output: 7, cacheRead: 100, cacheWrite: 0, cost: { total: 0.5 } })
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'ask', content: 'told', usage: usage(30) }
    const entries = chain(
      said('user', 'one'),
      said('assistant', 'two', { usage: usage(10), model: 'm' }),
      { type: 'message', message: result },
      { type: 'branch_summary', fromId: 'e3', summary: 'Left.', usage: usage(20) },
      { ...compaction('Told.', 'e6'), usage: usage(40) },
      said('user', 'three'),
    )
    await imported(memory, entries)
    const [row] = memory.db.all(`
      SELECT count(*) AS steps, sum(step_tokens_in) AS tokensIn, sum(step_tokens_out) AS tokensOut, sum(step_cost) AS cost
      FROM message_parts WHERE part_type = 'step_finish'`)
    expect(row).toEqual({ steps: 4, tokensIn: 500, tokensOut: 28, cost: 2 })
  })

  it('keeps what the tools of a system prompt take, so that a comparison finds nothing lost', async () => {
    using memory = buildMemory()
    const parameters = { properties: { path: { description: 'The "path" of the file,\nrelative or absolute.' } } }
    const toolsAdded = [{ name: 'read', description: 'Reads a file.', parameters }]
    const message = { role: 'system', content: '', sections: { preamble: 'You are a program.' }, toolsAdded }
    const path = writeLines(chain({ type: 'message', message }, said('user', 'one')))
    await importOne(memory.db, path)
    expect(await compare(memory.path, path)).toMatchObject({ ok: true, lostTexts: [] })
  })

  it('reports an entry of type message without a message, and makes no empty message of it', async () => {
    using memory = buildMemory()
    const entries = chain(said('user', 'one'), { type: 'message' }, { type: 'message', message: {} })
    expect(await importOne(memory.db, writeLines(entries))).toMatchObject({
      added: 1,
      skipped: [
        { line: 3, reason: 'an entry of type message without a message' },
        { line: 4, reason: 'an entry of type message without a message' },
      ],
    })
  })
})
