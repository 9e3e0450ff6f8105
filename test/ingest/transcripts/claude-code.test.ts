import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, SESSION, TranscriptBuilder, text, thinking } from '#test/builders/claude-code.ts'
import { compare } from '#test/builders/coverage.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

type MessageRow = { role: string; content: string; externalId: string; conversation: number }

const messagesOf = ({ db }: TestMemory): MessageRow[] =>
  db.all(
    'SELECT role, content, external_id AS externalId, conversation_id AS conversation FROM messages ORDER BY message_id',
  )

const told = (memory: TestMemory): string[] => messagesOf(memory).map(({ role, content }) => `${role}: ${content}`)

const parts = ({ db }: TestMemory, where = 'true') =>
  db.all<Record<string, unknown>>(
    `SELECT m.external_id AS message, p.* FROM message_parts AS p JOIN messages AS m USING (message_id)
     WHERE ${where} ORDER BY message_id, ordinal`,
  )

describe('a tool that the provider ran', () => {
  const found = [{ type: 'web_search_result', url: 'https://example.org', title: 'A page', encrypted_content: 'x' }]
  const blocks = [
    { type: 'server_tool_use', id: 'search', name: 'web_search', input: { query: 'a page' } },
    { type: 'web_search_tool_result', tool_use_id: 'search', content: found },
    text('It is there.'),
  ]

  it.each([[[3]], [[1, 2]], [[2, 1]], [[1, 1, 1]]])(
    'is called once in the window and has its result, when %j of the blocks of the answer are imported at a time',
    async (sizes) => {
      using memory = buildMemory()
      const story = new TranscriptBuilder()
      story.user('search it')
      let from = 0
      for (const size of sizes) {
        for (const block of blocks.slice(from, from + size)) story.answer('msg_1', [block])
        from += size
        await importOne(memory.db, story.write())
      }
      story.user('thanks')
      await importOne(memory.db, story.write())
      const { texts } = sentWindow(memory)
      expect(texts.toSorted()).toEqual(
        ['search it', 'call web_search', JSON.stringify(found[0]), 'It is there.', 'thanks'].toSorted(),
      )
      const places = ['call web_search', JSON.stringify(found[0]), 'thanks'].map((one) => texts.indexOf(one))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    },
  )
})

describe('a streamed answer', () => {
  it('becomes one message at the place of its first block, with all blocks in order', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('list both')
    story.answer('msg_1', [thinking('two calls')])
    story.answer('msg_1', [text('Looking.')])
    story.answer('msg_1', [call('t1')])
    story.result('t1', 'a.ts')
    story.answer('msg_1', [call('t2')])
    story.result('t2', 'b.ts')
    story.answer('msg_2', [text('Done.')])
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 5, skippedCount: 0 })
    expect(told(memory)).toEqual([
      'user: list both',
      'assistant: Looking.',
      'tool: a.ts',
      'tool: b.ts',
      'assistant: Done.',
    ])
    expect(parts(memory, "m.external_id = 'msg_1'").map((part) => part.part_type)).toEqual([
      'reasoning',
      'text',
      'tool',
      'tool',
      'step_finish',
    ])
  })

  it('has the usage of its last record', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('msg_1', [text('a')], {}, { usage: { input_tokens: 2, output_tokens: 1 } })
    story.answer(
      'msg_1',
      [call('t1')],
      {},
      {
        stop_reason: 'tool_use',
        usage: { input_tokens: 2, cache_read_input_tokens: 100, cache_creation_input_tokens: 30, output_tokens: 55 },
      },
    )
    await importOne(memory.db, story.write())
    const [finish] = parts(memory, "p.part_type = 'step_finish'")
    expect(finish).toMatchObject({ step_tokens_in: 132, step_tokens_out: 55, step_reason: 'tool_use' })
    expect(JSON.parse(String(finish?.metadata))).toEqual({
      model: 'claude-test',
      cacheReadTokens: 100,
      cacheWriteTokens: 30,
    })
  })

  it('is continued by another message when a block comes after hundreds of other records', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('msg_1', [text('early')])
    for (let index = 0; index < 600; index += 1) story.user(`noise ${index}`)
    story.answer('msg_1', [text('late')])
    const path = story.write()
    expect(await importOne(memory.db, path)).toMatchObject({ added: 602 })
    expect(messagesOf(memory).filter(({ role }) => role === 'assistant')).toMatchObject([
      { externalId: 'msg_1', content: 'early' },
      { externalId: 'msg_1#2', content: 'late' },
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 602, conflicts: 0 })
  })

  it('gains what was written after the first import, and nothing twice', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('go')
    story.answer('msg_1', [text('first')])
    const path = story.write()
    await importOne(memory.db, path)
    story.answer('msg_1', [text('second')])
    story.answer('msg_2', [text('third')])
    appendFileSync(path, `${story.lines.slice(2).join('\n')}\n`)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 1, alreadyThere: 2, completed: 1, conflicts: 0 })
    expect(told(memory)).toEqual(['user: go', 'assistant: first\n\nsecond', 'assistant: third'])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 3, completed: 0, conflicts: 0 })
  })

  it('is stored once when its record stands in the file twice', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('msg_1', [text('once')])
    story.raw(story.lines[0])
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 1, alreadyThere: 1 })
    expect(told(memory)).toEqual(['assistant: once'])
  })
})

describe('tool calls and results', () => {
  it('carry call id, name, input and outcome as parts', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('msg_1', [call('t1', 'Edit', { path: 'a.ts', old: 'x' })])
    story.user([{ type: 'tool_result', tool_use_id: 't1', content: 'no such file', is_error: true }], {
      toolUseResult: 'Error: no such file',
    })
    await importOne(memory.db, story.write())
    expect(parts(memory, "p.part_type = 'tool'")).toMatchObject([
      {
        message: 'msg_1',
        tool_call_id: 't1',
        tool_name: 'Edit',
        tool_input: '{"path":"a.ts","old":"x"}',
        tool_status: null,
      },
      { tool_call_id: 't1', tool_name: 'Edit', tool_input: null, tool_status: 'error', is_content: 1 },
    ])
    expect(told(memory)).toEqual(['assistant: ', 'tool: no such file'])
  })

  it('have no fields that the program added to a message for an agent', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const written = { to: 'agent-1', summary: 'more', message: 'Go on.' }
    const added = { type: 'message', recipient: 'agent-1', recipient_kind: 'agent', content: 'Go on.' }
    const other = { to: 'agent-1', message: 'Go on.', recipient: 'agent-2', content: 'Wait.' }
    story.answer('msg_1', [
      call('t1', 'SendMessage', { ...written, ...added }),
      call('t2', 'SendMessage', other),
      call('t3', 'SendMessage', written),
    ])
    const path = story.write()
    await importOne(memory.db, path)
    expect(parts(memory, "p.part_type = 'tool'").map(({ tool_input }) => JSON.parse(String(tool_input)))).toEqual([
      written,
      other,
      written,
    ])
    expect(await compare(memory.path, path)).toMatchObject({ ok: true })
  })

  it('keep the numbers of an input as they were written', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('msg_1', [call('t1', 'Set', { id: 'ID', ratio: 'RATIO' })])
    story.lines[0] = (story.lines[0] ?? '').replace('"ID"', '12345678901234567890').replace('"RATIO"', '1.50')
    await importOne(memory.db, story.write())
    expect(parts(memory, "p.part_type = 'tool'")).toMatchObject([
      { tool_input: '{"id":12345678901234567890,"ratio":1.50}' },
    ])
  })

  it('join text blocks line by line, and note a picture without storing its bytes', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const data = Buffer.from('not really a picture').toString('base64')
    story.result('t1', [
      text('one'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      text('two'),
    ])
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual(['tool: one\n[image image/png 20 bytes]\ntwo'])
    expect(parts(memory, "p.part_type = 'file'")).toMatchObject([{ file_mime: 'image/png' }])
    expect(JSON.stringify(parts(memory))).not.toContain(data)
  })

  it('become messages in the order in which one record mixes them with text', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })
    const uuid = story.user([result('t1', 'one'), text('stop'), text('now'), result('t2', 'two')])
    await importOne(memory.db, story.write())
    expect(messagesOf(memory)).toMatchObject([
      { role: 'tool', content: 'one', externalId: uuid },
      { role: 'user', content: 'stop\n\nnow', externalId: `${uuid}#2` },
      { role: 'tool', content: 'two', externalId: `${uuid}#3` },
    ])
  })
})

describe('sub-agents', () => {
  it('become conversations below their session when they have files of their own, in either order of import', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const agent = new TranscriptBuilder()
    agent.user('Find the leak.', { isSidechain: true, agentId: 'a1' })
    agent.answer('msg_9', [text('Found it.')], { isSidechain: true, agentId: 'a1' })
    const main = new TranscriptBuilder()
    main.user('Why does memory grow?')
    const agentFile = agent.write('agent-a1.jsonl', folder)
    expect(await importOne(memory.db, agentFile)).toMatchObject({ sessionId: `${SESSION}/agent-a1`, added: 2 })
    await importOne(memory.db, main.write(`${SESSION}.jsonl`, folder))
    const sql = `SELECT c.session_id AS session, p.session_id AS parent, c.title FROM conversations AS c
      LEFT JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY c.session_id`
    const expected = [
      { session: SESSION, parent: null, title: 'Why does memory grow?' },
      { session: `${SESSION}/agent-a1`, parent: SESSION, title: 'Find the leak.' },
    ]
    expect(memory.db.all(sql)).toEqual(expected)
    using other = buildMemory()
    await runImport(other.db, [dirname(agentFile)])
    expect(other.db.all(sql)).toEqual(expected)
  })

  it('become conversations of their own when two of them alternate inside the file of their session', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const main = story.user('Ask two agents')
    const side = { isSidechain: true }
    const first = story.user('agent one', { ...side, parentUuid: null })
    const second = story.user('agent two', { ...side, parentUuid: null })
    story.answer('msg_1', [text('one answers')], { ...side, parentUuid: first })
    story.answer('msg_2', [text('two answers')], { ...side, parentUuid: second })
    story.answer('msg_3', [text('both are back')], { parentUuid: main })
    await importOne(memory.db, story.write())
    const told = memory.db.column(
      `SELECT group_concat(content, ' / ' ORDER BY seq) FROM messages GROUP BY conversation_id ORDER BY conversation_id`,
    )
    expect(told).toEqual(['Ask two agents / both are back', 'agent one / one answers', 'agent two / two answers'])
    expect(memory.db.column('SELECT parent_conversation_id FROM conversations ORDER BY 1')).toEqual([null, 1, 1])
  })
})

describe('a compaction by Claude Code', () => {
  it('stays in the history as a user message that says what was compacted', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('before')
    const last = story.answer('msg_1', [text('work')])
    story.record({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      parentUuid: null,
      logicalParentUuid: last,
      compactMetadata: { trigger: 'auto', preTokens: 155_000 },
    })
    story.user('This session is being continued…', { isCompactSummary: true, isVisibleInTranscriptOnly: true })
    story.answer('msg_2', [text('going on')])
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual([
      'user: before',
      'assistant: work',
      'user: This session is being continued…',
      'assistant: going on',
    ])
    const [compaction] = parts(memory, "p.part_type = 'compaction'")
    expect(compaction).toMatchObject({ compaction_auto: 1, ordinal: 1 })
    expect(JSON.parse(String(compaction?.metadata))).toEqual({ trigger: 'auto', preTokens: 155_000 })
    expect(memory.db.value("SELECT count(*) FROM message_parts WHERE metadata LIKE '%abandoned%'")).toBe(0)
  })

  it('is imported together with its summary, so a boundary at the end of the file waits for it', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('before')
    story.record({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: {},
    })
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual(['user: before'])
  })
})

describe('an import of text that nobody typed', () => {
  const marksOf = (memory: TestMemory) =>
    memory.db.column<string | null>('SELECT metadata FROM message_parts WHERE ordinal = 0 ORDER BY message_id')

  it('stores it when it was in the window, and marks it', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('Caveat: …', { isMeta: true })
    story.user('<command-name>/clear</command-name>')
    story.record({ type: 'attachment', attachment: { type: 'queued_command', prompt: 'and hurry' } })
    story.record({
      type: 'attachment',
      attachment: { type: 'hook_additional_context', content: ['rule one', 'rule two'] },
    })
    story.user('typed')
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual([
      'user: Caveat: …',
      'user: <command-name>/clear</command-name>',
      'user: and hurry',
      'user: rule one\nrule two',
      'user: typed',
    ])
    expect(marksOf(memory)).toEqual([
      '{"meta":true}',
      '{"harness":true}',
      '{"attachment":"queued_command"}',
      '{"attachment":"hook_additional_context"}',
      null,
    ])
  })

  it('marks local error texts in the place of an answer', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.answer('0b6b7c1e', [text('API Error: 529')], { isApiErrorMessage: true }, { model: '<synthetic>' })
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual(['assistant: API Error: 529'])
    expect(marksOf(memory)).toEqual(['{"apiError":true}'])
  })

  it('counts records that hold no conversation', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('hello')
    story.record({ type: 'progress', data: { type: 'hook_progress' } })
    story.record({ type: 'system', subtype: 'turn_duration', durationMs: 5 })
    story.record({ type: 'attachment', attachment: { type: 'hook_success', content: '', stdout: '{}' } })
    story.raw({ type: 'file-history-snapshot', messageId: 'x', snapshot: {} })
    story.raw({ type: 'mode', mode: 'normal', sessionId: SESSION })
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 1, otherRecords: 5, skippedCount: 0 })
  })

  it('finds prompts that only the queue of the agent has', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const queue = (operation: string, content?: string) =>
      story.raw({
        type: 'queue-operation',
        operation,
        content,
        sessionId: SESSION,
        timestamp: '2026-03-02T09:00:00.000Z',
      })
    story.user('go')
    queue('enqueue', 'and the tests')
    queue('remove')
    queue('enqueue', 'twice')
    queue('remove', 'twice')
    story.user('twice')
    queue('enqueue', 'taken back')
    queue('popAll', 'taken back')
    queue('enqueue', 'next turn')
    queue('dequeue')
    const path = story.write()
    await importOne(memory.db, path)
    expect(told(memory)).toEqual(['user: go', 'user: and the tests', 'user: twice'])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 3 })
  })
})

describe('branches that were given up', () => {
  it('stay in file order and are marked, while parallel tool calls are no branch', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('start')
    const fork = story.answer('msg_1', [text('which way?')])
    story.user('left')
    story.answer('msg_2', [text('went left')])
    story.user('right', { parentUuid: fork })
    const one = story.answer('msg_3', [call('t1')])
    const two = story.answer('msg_3', [call('t2')])
    story.result('t1', 'one', { parentUuid: one })
    story.result('t2', 'two', { parentUuid: two })
    story.answer('msg_4', [text('went right')])
    await importOne(memory.db, story.write())
    const marked = memory.db.column(
      `SELECT content FROM messages JOIN message_parts USING (message_id) WHERE metadata ->> 'abandoned' ORDER BY seq`,
    )
    expect(marked).toEqual(['left', 'went left'])
    expect(told(memory)).toHaveLength(9)
  })

  it('are not assumed when a record names a parent that is not in the file', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('one')
    story.user('two', { parentUuid: 'elsewhere' })
    story.user('three', { parentUuid: null })
    await importOne(memory.db, story.write())
    expect(parts(memory).map((part) => part.metadata)).toEqual([null, null, null])
  })
})

describe('the title of a conversation', () => {
  const titleAfter = async (tell: (story: TranscriptBuilder) => void) => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    tell(story)
    await importOne(memory.db, story.write())
    return memory.db.value('SELECT title FROM conversations')
  }

  it('is the one that the person gave, or else the last that the model gave', async () => {
    expect(
      await titleAfter((story) => {
        story.user('typed')
        story.raw({ type: 'custom-title', customTitle: 'Mine', sessionId: SESSION })
        story.raw({ type: 'ai-title', aiTitle: 'First', sessionId: SESSION })
        story.raw({ type: 'ai-title', aiTitle: 'Last', sessionId: SESSION })
      }),
    ).toBe('Mine')
  })

  it('is never taken from the summary of another session', async () => {
    expect(
      await titleAfter((story) => {
        story.raw({ type: 'summary', summary: 'Somebody else', leafUuid: 'not-here' })
        const leaf = story.user('typed')
        story.raw({ type: 'summary', summary: 'Ours', leafUuid: leaf })
      }),
    ).toBe('Ours')
  })

  it('falls back to one line of the first typed text', async () => {
    expect(
      await titleAfter((story) => {
        story.user('<command-name>/init</command-name>')
        story.user(`  ${'wörd '.repeat(40)}\nsecond line`)
      }),
    ).toMatch(/^(wörd ){15}wörd…$/)
  })

  it('falls back to the first command when nothing else was typed', async () => {
    expect(
      await titleAfter((story) => {
        story.user(
          '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all</command-args>',
        )
      }),
    ).toBe('/review all')
  })
})

describe('unusable lines', () => {
  it('are skipped alone, and reported with number and reason', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('one')
    story.raw('"a bare string"')
    story.raw('{"type":"user", broken')
    story.raw('')
    story.raw('[1,2]')
    story.raw({ type: 'hologram', sessionId: SESSION })
    story.raw('{"type":"user"')
    story.raw({ no: 'type' })
    story.user('two')
    const file = await importOne(memory.db, story.write())
    expect(file.skipped).toEqual([
      { line: 2, reason: 'not a record but a JSON string' },
      { line: 3, reason: 'not valid JSON at character 17' },
      { line: 5, reason: 'not a record but a JSON array' },
      { line: 6, reason: 'unknown type of record: hologram' },
      { line: 7, reason: 'not valid JSON: the line is cut off' },
      { line: 8, reason: 'a record without a type' },
    ])
    expect(told(memory)).toEqual(['user: one', 'user: two'])
  })

  it('are counted beyond the thousand that are listed', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('one')
    for (let index = 0; index < 1200; index += 1) story.raw('{')
    const file = await importOne(memory.db, story.write())
    expect([file.skipped.length, file.skippedCount]).toEqual([1000, 1200])
  })

  it('may hold two records, both of which are stored', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('braces } { in "text"')
    story.user('two')
    story.lines.splice(0, 2, story.lines.join(''))
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 2, skippedCount: 0 })
  })

  it('are stored and marked when they hold bytes that are no UTF-8', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('caf?')
    const path = story.write()
    writeFileSync(path, Buffer.from(readFileSync(path, 'latin1').replace('caf?', 'caf\xe9'), 'latin1'))
    await importOne(memory.db, path)
    expect(told(memory)).toEqual(['user: caf\ufffd'])
    expect(parts(memory)[0]?.metadata).toBe('{"replacedBytes":true}')
  })

  it('do not end at Unicode line separators inside text', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('a\u2028b\u0085c\u000bd')
    await importOne(memory.db, story.write())
    expect(told(memory)).toEqual(['user: a\u2028b\u0085c\u000bd'])
  })
})

describe('an import', () => {
  it('takes the session id from the content, not from the file name', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('hello')
    expect(await importOne(memory.db, story.write('renamed.jsonl'))).toMatchObject({
      sessionId: SESSION,
      format: 'claude-code',
    })
  })

  it('reports a file that is no transcript and goes on', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.jsonl'), '{"type":"measurement","value":{}}\n')
    writeFileSync(join(folder, 'b.jsonl'), '')
    const story = new TranscriptBuilder()
    story.user('hello')
    story.write('c.jsonl', folder)
    const result = await runImport(memory.db, [folder])
    expect(result.files).toMatchObject([{ error: null, added: 1 }])
    expect(result.passedOver).toEqual([
      { path: join(folder, 'a.jsonl'), reason: expect.stringMatching(/not a transcript in a known format/) },
      { path: join(folder, 'b.jsonl'), reason: expect.stringMatching(/^empty: /) },
    ])
    expect(result.passedOverCount).toBe(2)
    const named = await runImport(memory.db, [join(folder, 'a.jsonl'), join(folder, 'c.jsonl')])
    expect(named.files).toMatchObject([
      { error: expect.stringMatching(/not a transcript/), added: 0 },
      { error: null, alreadyThere: 1 },
    ])
  })

  it('fails when nothing given is a transcript, or nothing is there', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    await expect(runImport(memory.db, [folder])).rejects.toMatchObject({ code: 'transcript_unreadable' })
    await expect(runImport(memory.db, [join(folder, 'none')])).rejects.toMatchObject({ code: 'file_missing' })
    writeFileSync(join(folder, 'x.jsonl'), 'hello\n')
    await expect(runImport(memory.db, [folder])).rejects.toMatchObject({ code: 'transcript_unreadable' })
  })

  it('stops when cancelled, and leaves what was stored before consistent', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    for (let index = 0; index < 4000; index += 1) story.user(`message ${index}`)
    const stop = new AbortController()
    const path = story.write()
    const run = runImport(memory.db, [path], {
      signal: stop.signal,
      onProgress: () => {
        if ((memory.db.value<number>('SELECT count(*) FROM messages') ?? 0) > 0) stop.abort()
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'cancelled' })
    const stored = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(4000)
    memory.db.exec("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)")
    expect(await importOne(memory.db, path)).toMatchObject({ added: 4000 - stored, alreadyThere: stored })
  })

  it('reports how many bytes are done, from none to all', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    for (let index = 0; index < 3000; index += 1) story.user(`message ${index} ${'x'.repeat(600)}`)
    const seen: number[] = []
    const result = await runImport(memory.db, [story.write()], { onProgress: ({ done }) => seen.push(done) })
    expect(seen[0]).toBe(0)
    expect(seen.at(-1)).toBe(result.bytes)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  })

  it('gives messages without a time the time of those before them', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    story.user('dated')
    story.user('undated', { timestamp: 'yesterday' })
    await importOne(memory.db, story.write())
    const [first, second] = memory.db.column<number>('SELECT created_at FROM messages ORDER BY seq')
    expect(second).toBe(first)
  })
})
