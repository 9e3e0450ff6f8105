import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()

const marked = ({ db }: TestMemory, mark: string): string[] =>
  db.column<string>(
    `SELECT DISTINCT m.content FROM messages AS m JOIN message_parts AS p USING (message_id)
     WHERE p.metadata ->> :mark IS NOT NULL ORDER BY m.message_id`,
    { mark: `$.${mark}` },
  )

const parents = ({ db }: TestMemory) =>
  db.all(
    `SELECT c.session_id AS child, p.session_id AS parent FROM conversations AS c
     LEFT JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY c.session_id`,
  )

describe('an import of Codex', () => {
  const line = (type: string, payload: unknown, second: number) => ({ timestamp: at(second), type, payload })
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  })
  const typed = (text: string, second: number) => [
    line('response_item', said('user', text), second),
    line('event_msg', { type: 'user_message', message: text }, second),
  ]

  it('takes content from response items once, and separates typed text from injected text', async () => {
    using memory = buildMemory()
    const path = writeLines([
      line('session_meta', { id: 's-1', cwd: '/work/shop', cli_version: '0.140' }, 0),
      line('response_item', said('developer', '<permissions instructions>'), 0),
      line('response_item', said('user', '<environment_context>'), 0),
      line('response_item', said('user', 'injected without a tag'), 0),
      line('turn_context', { turn_id: 't', model: 'gpt-test' }, 1),
      ...typed('fix the shop', 1),
      line('response_item', { type: 'reasoning', summary: [], encrypted_content: 'x' }, 2),
      line('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thinking' }] }, 2),
      line('event_msg', { type: 'agent_message', message: 'Looking.' }, 2),
      line('response_item', said('assistant', 'Looking.'), 2),
      line(
        'response_item',
        { type: 'function_call', name: 'exec', arguments: '{"cmd": "ls", "n": 1.50}', call_id: 'c1' },
        3,
      ),
      line('response_item', { type: 'function_call_output', call_id: 'c1', output: 'a.ts' }, 4),
      line('event_msg', { type: 'exec_command_end', call_id: 'c1', stdout: 'a.ts' }, 4),
      line('response_item', { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' }, 5),
      line(
        'response_item',
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'ok' }] },
        6,
      ),
      line('response_item', { type: 'hologram', beam: 1 }, 7),
      line('telepathy', { text: 'hm' }, 7),
    ])
    const file = await importOne(memory.db, path)
    expect(file).toMatchObject({ format: 'codex', sessionId: 's-1', added: 10, otherRecords: 6 })
    expect(file.skipped).toEqual([
      { line: 17, reason: 'unknown type of response item: hologram' },
      { line: 18, reason: 'unknown type of record: telepathy' },
    ])
    expect(told(memory)).toEqual([
      'system: <permissions instructions>',
      'user: <environment_context>',
      'user: injected without a tag',
      'user: fix the shop',
      'assistant: ',
      'assistant: Looking.',
      'assistant: ',
      'tool: a.ts',
      'assistant: ',
      'tool: ok',
    ])
    expect(marked(memory, 'harness')).toEqual(['<environment_context>', 'injected without a tag'])
    const tools = memory.db.all(
      "SELECT tool_call_id, tool_name, tool_input FROM message_parts WHERE part_type = 'tool'",
    )
    expect(tools).toEqual([
      { tool_call_id: 'c1', tool_name: 'exec', tool_input: '{"cmd": "ls", "n": 1.50}' },
      { tool_call_id: 'c1', tool_name: 'exec', tool_input: null },
      { tool_call_id: 'c2', tool_name: 'apply_patch', tool_input: '{"input":"*** Begin"}' },
      { tool_call_id: 'c2', tool_name: 'apply_patch', tool_input: null },
    ])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('fix the shop')
  })

  it('stores of a fork only what its parent does not have, and names the parent, in either order of import', async () => {
    const folder = temporaryFolder()
    const history = [...typed('yes', 1), line('response_item', said('assistant', 'done'), 2), ...typed('yes', 3)]
    const parent = writeLines([line('session_meta', { id: 'parent' }, 0), ...history], 'a.jsonl', folder)
    const copied = history.map((record) => ({ ...record, timestamp: at(20) }))
    const child = writeLines(
      [
        line('session_meta', { id: 'child', forked_from_id: 'parent' }, 20),
        line('session_meta', { id: 'parent' }, 20),
        ...copied,
        ...typed('yes', 25),
        line('response_item', said('assistant', 'of the fork'), 26),
      ],
      'b.jsonl',
      folder,
    )
    using memory = buildMemory()
    await runImport(memory.db, [folder])
    expect(told(memory, 'parent')).toEqual(['user: yes', 'assistant: done', 'user: yes'])
    expect(told(memory, 'child')).toEqual(['user: yes', 'assistant: of the fork'])
    expect(parents(memory)).toEqual([
      { child: 'child', parent: 'parent' },
      { child: 'parent', parent: null },
    ])
    using turned = buildMemory()
    await importOne(turned.db, child)
    await importOne(turned.db, parent)
    expect(parents(turned)).toEqual(parents(memory))
    for (const session of ['parent', 'child']) {
      expect(told(turned, session)).toEqual(told(memory, session))
      expect(sentWindow(turned, session).texts).toEqual(sentWindow(memory, session).texts)
    }
    expect(sentWindow(turned, 'child').texts).toEqual(['yes', 'done', 'yes', 'yes', 'of the fork'])
    expect(await findings(turned.path)).toEqual([])
    expect(await importOne(turned.db, child)).toMatchObject({ added: 0, conflicts: 0 })
  })

  it('adds no message when the header is repeated after a resumption', async () => {
    using memory = buildMemory()
    const meta = line('session_meta', { id: 's-1' }, 0)
    const path = writeLines([meta, ...typed('one', 1), meta, ...typed('two', 2)])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2 })
    expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(1)
  })

  it('reads transcripts of the first versions, whose records have no wrapper', async () => {
    using memory = buildMemory()
    const path = writeLines([
      { id: 'old-1', timestamp: at(0), instructions: null, git: {} },
      { record_type: 'state' },
      said('user', 'hello'),
      { type: 'reasoning', summary: [], id: 'rs_1' },
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: '{"output":"a","metadata":{"exit_code":0}}' },
      said('assistant', 'hi'),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'codex', sessionId: 'old-1', added: 4 })
    expect(memory.db.value('SELECT DISTINCT created_at FROM messages')).toBe(Date.parse(at(0)))
  })
})

describe('an import of Pi', () => {
  const header = { type: 'session', version: 3, id: 'pi-1', timestamp: at(0), cwd: '/work/shop' }
  const entry = (id: string, parentId: string | null, role: string, text: string) => ({
    type: 'message',
    id,
    parentId,
    timestamp: at(Number.parseInt(id, 10)),
    message: { role, content: [{ type: 'text', text }] },
  })

  it('marks the branch that was left, and takes the branch of the last entry as the session', async () => {
    using memory = buildMemory()
    const path = writeLines([
      header,
      entry('1', null, 'user', 'start'),
      entry('2', '1', 'assistant', 'left'),
      entry('3', '1', 'assistant', 'taken'),
      { type: 'session_info', id: '4', parentId: '3', timestamp: at(4), name: 'Shop' },
    ])
    await importOne(memory.db, path)
    expect(told(memory)).toEqual(['user: start', 'assistant: left', 'assistant: taken'])
    expect(marked(memory, 'abandoned')).toEqual(['left'])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('Shop')
  })

  it('takes each entry of a session once, from its file and from the files that a reset put aside', async () => {
    const folder = temporaryFolder()
    const first = [header, entry('1', null, 'user', 'one'), entry('2', '1', 'assistant', 'two')]
    writeLines([...first, entry('3', '2', 'user', 'three'), entry('3', '2', 'user', 'three')], 's.jsonl', folder)
    writeLines(first, 's.jsonl.reset.2026-03-02T09-00-00', folder)
    writeJson(
      { 'agent:main:telegram': { sessionId: 'pi-1', updatedAt: 1, label: 'Family chat' } },
      'sessions.json',
      folder,
    )
    using memory = buildMemory()
    const result = await runImport(memory.db, [folder])
    expect(result.files).toMatchObject([
      { format: 'openclaw', added: 3, alreadyThere: 1 },
      { format: 'openclaw', added: 0, alreadyThere: 2 },
    ])
    expect(result.passedOver).toEqual([])
    expect(memory.db.all('SELECT title, importer FROM conversations')).toEqual([
      { title: 'Family chat', importer: 'openclaw' },
    ])
  })

  it('stores of a fork only what its parent does not have', async () => {
    const folder = temporaryFolder()
    const shared = [entry('1', null, 'user', 'one'), entry('2', '1', 'assistant', 'two')]
    writeLines([header, ...shared], '2026-03-02T09-00-00_pi-1.jsonl', folder)
    const fork = {
      ...header,
      id: 'pi-2',
      timestamp: at(10),
      parentSession: '/elsewhere/2026-03-02T09-00-00_pi-1.jsonl',
    }
    writeLines([fork, ...shared, entry('11', '2', 'user', 'other')], '2026-03-02T09-00-10_pi-2.jsonl', folder)
    using memory = buildMemory()
    await runImport(memory.db, [folder])
    expect(told(memory, 'pi-2')).toEqual(['user: other'])
    expect(parents(memory)).toEqual([
      { child: 'pi-1', parent: null },
      { child: 'pi-2', parent: 'pi-1' },
    ])
  })
})

describe('an import of Gemini CLI', () => {
  const record = (id: string, type: string, content: unknown, more = {}) => ({
    id,
    type,
    timestamp: at(1),
    content,
    ...more,
  })
  const header = { sessionId: 'g-1', projectHash: 'abc', startTime: at(0) }
  const call = (result: unknown) => ({
    toolCalls: [
      {
        id: 'c1',
        name: 'read',
        args: { path: 'a' },
        status: result ? 'success' : 'executing',
        result,
        timestamp: at(2),
      },
    ],
    model: 'gemini-test',
    tokens: { input: 5, output: 7, cached: 1 },
  })
  const answered = [{ functionResponse: { id: 'c1', name: 'read', response: { output: 'file text' } } }]

  it('takes the last record of an id that is repeated, and the result of a call', async () => {
    using memory = buildMemory()
    const path = writeLines([
      header,
      record('u', 'user', [{ text: 'hello' }]),
      record('g', 'gemini', 'Read'),
      record('g', 'gemini', 'Reading.', call(null)),
      record('g', 'gemini', 'Reading.', call(answered)),
      { $set: { lastUpdated: at(3) } },
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'gemini-cli', sessionId: 'g-1', added: 3 })
    expect(told(memory)).toEqual(['user: hello', 'assistant: Reading.', 'tool: file text'])
  })

  it('takes a result that is in the file again once, in its order, and names the session after words of a person', async () => {
    using memory = buildMemory()
    const context = record('s', 'user', [{ text: '<session_context>\nThe setup.\n</session_context>' }])
    const asked = record('u', 'user', [{ text: 'Read it.' }])
    const answer = record('g', 'gemini', 'Reading.', call(answered))
    const again = (id: string) => record(id, 'user', answered)
    const other = { functionResponse: { id: 'c2', name: 'read', response: { error: 'not found' } } }
    const path = writeLines([
      header,
      { $set: { messages: [context] } },
      asked,
      answer,
      again('r'),
      record('g2', 'gemini', 'Done.'),
      { $set: { messages: [context, asked, answer, again('g'), again('r2'), record('g2', 'gemini', 'Done.')] } },
      record('u2', 'user', [{ text: 'More?' }]),
      record('r3', 'user', [other]),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 7, skippedCount: 0, compactions: 0 })
    expect(told(memory).slice(1)).toEqual([
      'user: Read it.',
      'assistant: Reading.',
      'tool: file text',
      'assistant: Done.',
      'user: More?',
      'tool: not found',
    ])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('Read it.')
    expect(memory.db.value("SELECT count(*) FROM message_parts WHERE metadata LIKE '%harness%'")).toBe(1)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 7, conflicts: 0 })
    const tokens = memory.db.value("SELECT token_count FROM messages WHERE content = 'file text'")
    expect(sentWindow(memory).context.sentAgain).toEqual({ results: 1, tokens })
  })

  it('says nothing of results that are sent again while the session was not resumed', async () => {
    using memory = buildMemory()
    const asked = record('u', 'user', [{ text: 'Read it.' }])
    const answer = record('g', 'gemini', 'Reading.', call(answered))
    await importOne(memory.db, writeLines([header, asked, answer, record('r', 'user', answered)]))
    expect(sentWindow(memory).context).not.toHaveProperty('sentAgain')
  })

  it('keeps what the program tells the person only, and leaves it out of the window', async () => {
    using memory = buildMemory()
    const told = [record('i', 'info', 'A new version is there.'), record('e', 'error', 'The model is overloaded.')]
    await importOne(memory.db, writeLines([header, record('a', 'user', 'hello'), ...told, record('b', 'gemini', 'hi')]))
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(4)
    expect(sentWindow(memory).texts).toEqual(['hello', 'hi'])
    expect(await findings(memory.path)).toEqual([])
  })

  it('marks messages that were taken back', async () => {
    using memory = buildMemory()
    const path = writeLines([
      header,
      record('a', 'user', 'stays'),
      record('b', 'gemini', 'goes'),
      record('c', 'user', 'goes too'),
      { $rewindTo: 'b' },
      record('d', 'gemini', 'new'),
    ])
    await importOne(memory.db, path)
    expect(told(memory)).toHaveLength(4)
    expect(marked(memory, 'abandoned')).toEqual(['goes', 'goes too'])
  })

  it('adds later records to an answer that was imported half written', async () => {
    using memory = buildMemory()
    const session = (messages: unknown[]) => ({ ...header, messages })
    const path = writeJson(session([record('u', 'user', 'hello'), record('g', 'gemini', 'Reading.', call(null))]))
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2 })
    const later = {
      ...call(answered),
      toolCalls: [...call(answered).toolCalls, { id: 'c2', name: 'ls', args: {}, result: null }],
    }
    writeFileSync(
      path,
      JSON.stringify(session([record('u', 'user', 'hello'), record('g', 'gemini', 'Reading.', later)])),
    )
    expect(await importOne(memory.db, path)).toMatchObject({ added: 1, alreadyThere: 2, completed: 1, conflicts: 0 })
    expect(told(memory)).toEqual(['user: hello', 'assistant: Reading.', 'tool: file text'])
    const names = memory.db.column(
      'SELECT tool_name FROM message_parts WHERE tool_input IS NOT NULL ORDER BY message_id',
    )
    expect(names).toEqual(['read', 'ls'])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 3, conflicts: 0 })
  })
})

describe('an import of opencode', () => {
  const info = {
    id: 'ses_1',
    projectID: 'p',
    directory: '/work/shop',
    parentID: 'ses_0',
    title: 'Shop',
    time: { created: 1_772_000_000_000 },
  }
  const message = (id: string, role: string, parts: unknown[]) => ({
    info: { id, sessionID: 'ses_1', role, time: { created: 1_772_000_000_000 } },
    parts,
  })
  const tool = (status: string, more = {}) => ({
    id: 'prt_t',
    type: 'tool',
    callID: 'c1',
    tool: 'bash',
    state: { status, input: { command: 'ls' }, ...more },
  })

  it('separates the call from its result, and marks outputs that the agent no longer sends', async () => {
    using memory = buildMemory()
    const done = tool('completed', {
      output: 'a.ts',
      time: { start: 1, end: 1_772_000_001_000, compacted: 1_772_000_009_000 },
    })
    const path = writeJson({
      messages: [
        message('msg_1', 'user', [
          { id: 'prt_1', type: 'text', text: 'go' },
          { id: 'prt_2', type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
        ]),
        message('msg_2', 'assistant', [{ id: 'prt_3', type: 'step-start' }, done, tool('running')]),
      ],
      info,
    })
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'opencode', sessionId: 'ses_1', added: 3 })
    expect(told(memory)).toEqual(['user: go\n\n[file image/png 3 bytes]', 'assistant: ', 'tool: a.ts'])
    expect(marked(memory, 'prunedAtMs')).toEqual(['a.ts'])
  })

  it('keeps patches, tasks for other agents, states of the files and costs in columns of their own', async () => {
    using memory = buildMemory()
    const answer = message('msg_2', 'assistant', [
      { id: 'p1', type: 'step-start', snapshot: 'before' },
      { id: 'p2', type: 'text', text: 'Done.' },
      { id: 'p3', type: 'patch', hash: 'abc', files: ['/work/a.ts', '/work/b.ts'] },
      { id: 'p4', type: 'snapshot', snapshot: 'now' },
      { id: 'p5', type: 'step-finish', reason: 'stop', cost: 0.5, tokens: {}, snapshot: 'after' },
    ])
    const info2 = { ...answer.info, modelID: 'm', finish: 'stop', cost: 0.5, tokens: { input: 7, output: 3 } }
    const task = { type: 'subtask', prompt: 'Find callers', description: 'callers', agent: 'explore', model: 'm' }
    const path = writeJson({
      messages: [message('msg_1', 'user', [{ id: 'p0', ...task }]), { ...answer, info: info2 }],
      info,
    })
    await importOne(memory.db, path)
    const rows = memory.db.all<Record<string, unknown>>(`
      SELECT part_type, patch_hash, patch_files, subtask_prompt, subtask_desc, subtask_agent, step_cost, snapshot_hash,
        text_content
      FROM message_parts ORDER BY message_id, ordinal`)
    expect(rows.map((row) => Object.values(row).filter((value) => value !== null))).toEqual([
      ['subtask', 'Find callers', 'callers', 'explore'],
      ['step_start', 'before'],
      ['text'],
      ['patch', 'abc', '["/work/a.ts","/work/b.ts"]'],
      ['snapshot', 'now'],
      ['step_finish', 0.5, 'after'],
    ])
    expect(told(memory)).toEqual(['user: Find callers', 'assistant: Done.'])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 2 })
  })

  it('keeps the error after which a request was made again where a search finds it, and out of the window', async () => {
    using memory = buildMemory()
    const error = { name: 'APIError', data: { message: 'The provider is overloaded until noon.', isRetryable: true } }
    const parts = [
      { id: 'p1', type: 'retry', attempt: 1, error, time: { created: 1_772_442_001_000 } },
      { id: 'p2', type: 'text', text: 'Done.' },
    ]
    const asked = message('msg_0', 'user', [{ id: 'p0', type: 'text', text: 'Go on.' }])
    const path = writeJson({ messages: [asked, message('msg_1', 'assistant', parts)], info })
    await importOne(memory.db, path)
    const lcm = await openLcm(memory.path, { readOnly: true })
    const { hits } = await lcm.retrieval.grep(GrepInput.parse({ query: 'overloaded until noon' }))
    lcm.close()
    expect(hits).toHaveLength(1)
    expect(told(memory)).toEqual([
      ...['user: Go on.', 'user: The provider is overloaded until noon.', 'assistant: Done.'],
    ])
    expect(sentWindow(memory).texts).toEqual(['Go on.', 'Done.'])
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    expect(await findings(memory.path)).toEqual([])
  })

  it('marks a text that is not sent to the model, and leaves it out of what the message says', async () => {
    using memory = buildMemory()
    const texts = [
      { id: 'p1', type: 'text', text: 'Only for you.', ignored: true },
      { id: 'p2', type: 'text', text: 'For the model.' },
    ]
    await importOne(memory.db, writeJson({ messages: [message('msg_1', 'user', texts)], info }))
    expect(told(memory)).toEqual(['user: For the model.'])
    const rows = memory.db.all('SELECT text_content AS text, is_ignored AS ignored FROM message_parts ORDER BY ordinal')
    expect(rows).toEqual([
      { text: 'Only for you.', ignored: 1 },
      { text: null, ignored: 0 },
    ])
  })

  it('reads a session of the storage folder with its messages and parts', async () => {
    const storage = temporaryFolder()
    const put = (path: string, value: unknown): void => {
      mkdirSync(join(storage, path, '..'), { recursive: true })
      writeFileSync(join(storage, path), JSON.stringify(value))
    }
    put('session/p/ses_1.json', info)
    put('message/ses_1/msg_2.json', message('msg_2', 'assistant', []).info)
    put('message/ses_1/msg_1.json', message('msg_1', 'user', []).info)
    put('part/msg_1/prt_1.json', { id: 'prt_1', type: 'text', text: 'go' })
    put('part/msg_2/prt_2.json', tool('completed', { output: 'a.ts' }))
    using memory = buildMemory()
    const result = await runImport(memory.db, [storage])
    expect(result.files).toMatchObject([{ format: 'opencode', sessionId: 'ses_1', added: 3 }])
    expect(result.passedOver).toEqual([])
    expect(told(memory)).toEqual(['user: go', 'assistant: ', 'tool: a.ts'])
  })
})

describe('an import of plain messages', () => {
  const list = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'What is in the file?' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'text of a' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'It says a.' },
        { type: 'tool_use', id: 't2', name: 'ls', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't2', content: 'b' },
        { type: 'text', text: 'thanks' },
      ],
    },
  ]
  const read = [
    'system: Be kind.',
    'user: What is in the file?',
    'assistant: ',
    'tool: text of a',
    'assistant: It says a.',
    'tool: b',
    'user: thanks',
  ]

  it('accepts a list, a list under a name, and one message a line', async () => {
    for (const path of [
      writeJson(list),
      writeJson(JSON.stringify(list, null, 2)),
      writeJson({ model: 'm', messages: list }),
      writeJson(JSON.stringify({ id: 1, messages: list }, null, 2)),
      writeLines(list),
      writeJson(`\uFEFF${list.map((message) => JSON.stringify(message)).join('\r\n')}`, 'crlf.jsonl'),
    ]) {
      using memory = buildMemory()
      expect(await importOne(memory.db, path)).toMatchObject({ format: 'messages', added: 7, skippedCount: 0 })
      expect(told(memory)).toEqual(read)
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 7, conflicts: 0 })
      const names = memory.db.column("SELECT tool_name FROM message_parts WHERE part_type = 'tool' ORDER BY message_id")
      expect(names).toEqual(['read', 'read', 'ls', 'ls'])
    }
  })

  it('makes several conversations from several lists', async () => {
    for (const path of [
      writeLines([{ messages: list }, { messages: list.slice(0, 2) }]),
      writeJson([{ messages: list }, { messages: list.slice(0, 2) }]),
    ]) {
      using memory = buildMemory()
      expect(await importOne(memory.db, path)).toMatchObject({ added: 9 })
      expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(2)
    }
  })

  it('skips only the odd messages of a list, in every way to write it', async () => {
    const odd = [...list, { role: 'assistant', content: null }, { role: 'narrator', content: 'x' }, 'words']
    for (const path of [
      writeJson(odd),
      writeJson({ messages: odd }),
      writeJson([{ messages: odd }]),
      writeLines(odd),
    ]) {
      using memory = buildMemory()
      const file = await importOne(memory.db, path)
      expect(file).toMatchObject({ format: 'messages', added: 7, skippedCount: 3 })
      expect(file.skipped.map(({ reason }) => reason)).toContain('a message with an unknown role')
    }
  })

  it('keeps the ids of earlier messages when more are appended, also when the same is said again', async () => {
    using memory = buildMemory()
    const path = writeLines([
      { role: 'user', content: 'yes' },
      { role: 'assistant', content: 'ok' },
    ])
    await importOne(memory.db, path)
    appendFileSync(path, '{"role":"user","content":"yes"}\n{"role":"assistant","content":"ok"}\n')
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2, alreadyThere: 2 })
    expect(told(memory)).toEqual(['user: yes', 'assistant: ok', 'user: yes', 'assistant: ok'])
  })
})

describe('an import of a compact transcript', () => {
  it('recognises it by its beginning, at any place and of any length', async () => {
    using memory = buildMemory()
    const line = (type: string, content: unknown[], second: number, more = {}) => ({
      v: 1,
      agent: 'codex',
      cli_version: '1',
      type,
      ts: at(second),
      content,
      ...more,
    })
    const lines = [
      line('user', [{ text: 'hello' }], 1),
      line(
        'assistant',
        [{ type: 'tool_use', id: 'c1', name: 'ls', input: {}, result: { output: 'a', status: 'success' } }],
        2,
      ),
    ]
    expect(await importOne(memory.db, writeLines(lines))).toMatchObject({ format: 'entire', added: 3 })
    const more = writeLines([...lines, line('assistant', [{ type: 'text', text: 'bye' }], 3)])
    expect(await importOne(memory.db, more)).toMatchObject({ added: 1, alreadyThere: 3 })
    expect(told(memory)).toEqual(['user: hello', 'assistant: ', 'tool: a', 'assistant: bye'])
  })
})
