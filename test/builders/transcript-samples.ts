import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TranscriptFormatId } from '#core/contract/import.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Returns the words of a sample. `where` makes them different. */
export type Say = (where: string) => string

/** A small transcript of a format with every field that may hold text of the conversation. */
export type TranscriptSample = {
  readonly name: string
  readonly format: TranscriptFormatId
  /** The name of the file, which distinguishes formats with the same lines. */
  readonly fileName: string
  readonly write: (say: Say, isTimed?: boolean) => string
}

/** The samples as short plain words. */
export const plainWords: Say = (where) => `The words of ${where}.`

export function writeSample(
  { fileName, write }: Pick<TranscriptSample, 'fileName' | 'write'>,
  { folder = temporaryFolder(), say = plainWords, isTimed = true } = {},
): string {
  const path = join(folder, fileName)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, write(say, isTimed))
  return path
}

const BEGINS = Date.UTC(2026, 2, 2, 9)
const at = (second: number): string => new Date(BEGINS + second * 1000).toISOString()
const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')
type Fields = Record<string, unknown>

/** Adds times to records, or none. */
const timing =
  (isTimed: boolean, name = 'timestamp') =>
  (record: Fields, second: number): Fields =>
    isTimed ? { ...record, [name]: at(second) } : record

const claudeCode = (say: Say, isTimed = true): string => {
  let last: string | null = null
  let second = 0
  const out: Fields[] = []
  const add = (fields: Fields): string => {
    second += 1
    const uuid = `00000000-0000-4000-8000-${String(second).padStart(12, '0')}`
    const record = { parentUuid: last, uuid, sessionId: 'session-1', cwd: '/work/shop', isSidechain: false, ...fields }
    out.push(timing(isTimed)(record, second))
    last = uuid
    return uuid
  }
  const bare = (fields: Fields): void => {
    second += 1
    out.push(timing(isTimed)({ sessionId: 'session-1', ...fields }, second))
  }
  const user = (content: unknown, fields: Fields = {}) =>
    add({ type: 'user', message: { role: 'user', content }, ...fields })
  const answer = (id: string, block: unknown, tokens: number, fields: Fields = {}) =>
    add({
      type: 'assistant',
      message: {
        id,
        role: 'assistant',
        model: 'claude',
        content: [block],
        usage: { input_tokens: 3, output_tokens: tokens },
      },
      ...fields,
    })
  const result = (id: string, content: unknown) => user([{ type: 'tool_result', tool_use_id: id, content }])
  user(say('the first question'))
  answer('msg_1', { type: 'thinking', thinking: say('a thought'), signature: 's' }, 1)
  answer('msg_1', { type: 'text', text: say('an answer') }, 2)
  answer('msg_1', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: say('a command') } }, 3)
  result('toolu_1', say('an output'))
  answer('msg_1', { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { path: say('a path') } }, 4)
  result('toolu_2', [{ type: 'text', text: say('an output in blocks') }])
  bare({ type: 'queue-operation', operation: 'enqueue', content: say('a queued prompt') })
  bare({ type: 'queue-operation', operation: 'enqueue', content: say('a queued prompt that came as an attachment') })
  bare({ type: 'queue-operation', operation: 'remove', content: say('a queued prompt') })
  bare({ type: 'queue-operation', operation: 'remove', content: say('a queued prompt that came as an attachment') })
  add({
    type: 'attachment',
    attachment: { type: 'queued_command', prompt: say('a queued prompt that came as an attachment') },
  })
  bare({ type: 'queue-operation', operation: 'enqueue', content: say('a queued prompt that was never sent') })
  add({
    type: 'system',
    subtype: 'local_command',
    content: `<command-name>/mcp</command-name> ${say('a local command')}`,
  })
  add({ type: 'system', subtype: 'away_summary', content: say('a recap') })
  user([say('a question in a list of plain strings')])
  answer('msg_2', { type: 'text', text: say('another answer') }, 5)
  answer('msg_2', say('a plain string in an answer'), 6)
  const boundary = { trigger: 'auto', preTokens: 9000 }
  add({
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    parentUuid: null,
    logicalParentUuid: last,
    compactMetadata: boundary,
  })
  user(say('a summary'), { isCompactSummary: true })
  const fork = last
  user(say('a question that was given up'))
  answer('msg_3', { type: 'text', text: say('an answer that was given up') }, 7)
  user(say('a question after that'), { parentUuid: fork })
  answer('msg_4', { type: 'text', text: say('the last answer') }, 8)
  const spawn = (fields: Fields): void => {
    second += 1
    out.push(
      timing(isTimed)(
        { uuid: `agent-${second}`, sessionId: 'session-1', isSidechain: true, agentId: 'a1', ...fields },
        second,
      ),
    )
  }
  spawn({ type: 'user', parentUuid: null, message: { role: 'user', content: say('the task of a sub-agent') } })
  spawn({
    type: 'assistant',
    message: { id: 'msg_5', role: 'assistant', content: [{ type: 'text', text: say('its answer') }] },
  })
  return lines(out)
}

const codex = (say: Say, isTimed = true): string => {
  let second = 0
  const line = (type: string, payload: Fields): Fields => {
    second += 1
    return timing(isTimed)({ type, payload }, second)
  }
  const item = (payload: Fields) => line('response_item', payload)
  const said = (role: string, text: string) =>
    item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] })
  return lines([
    line('session_meta', { id: 'codex-session-1', cwd: '/work/shop' }),
    said('user', say('the first question')),
    line('event_msg', { type: 'user_message', message: say('the first question') }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: say('a thought') }] }),
    said('assistant', say('an answer')),
    item({
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ cmd: say('a command') }),
      call_id: 'call_1',
    }),
    item({ type: 'function_call_output', call_id: 'call_1', output: say('an output') }),
    item({ type: 'custom_tool_call', name: 'apply_patch', input: say('a patch'), call_id: 'call_2' }),
    item({
      type: 'custom_tool_call_output',
      call_id: 'call_2',
      output: [{ type: 'input_text', text: say('an output in blocks') }],
    }),
    line('event_msg', { type: 'user_message', message: say('a second question') }),
    item({ type: 'message', role: 'user', content: say('a second question') }),
    item({ type: 'message', role: 'assistant', content: [say('a plain string in an answer')] }),
    line('compacted', {
      message: '',
      replacement_history: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: say('the first question') }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: say('a summary') }] },
      ],
    }),
    said('user', say('a last question')),
    said('assistant', say('the last answer')),
  ])
}

const pi =
  (version: 1 | 3) =>
  (say: Say, isTimed = true): string => {
    let second = 0
    let last: string | null = null
    const entry = (fields: Fields): Fields => {
      second += 1
      const id = `0000000${second}`.slice(-8)
      const linked = version === 1 ? fields : { id, parentId: last, ...fields }
      last = id
      return timing(isTimed)(linked, second)
    }
    const message = (fields: Fields) => entry({ type: 'message', message: fields })
    const header = {
      type: 'session',
      ...(version === 1 ? {} : { version }),
      id: `pi-session-${version}`,
      timestamp: at(0),
      cwd: '/work/shop',
    }
    const records = [
      header,
      message({ role: 'user', content: say('the first question') }),
      message({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: say('a thought') },
          { type: 'text', text: say('an answer') },
          { type: 'toolCall', id: 'call_1', name: 'bash', arguments: { command: say('a command') } },
        ],
      }),
      message({
        role: 'toolResult',
        toolCallId: 'call_1',
        toolName: 'bash',
        content: [{ type: 'text', text: say('an output') }],
      }),
      message({
        role: 'bashExecution',
        command: say('a command of the person'),
        output: say('its output'),
        exitCode: 0,
      }),
      message({ role: 'user', content: [say('a question in a list of plain strings')] }),
      entry({ type: 'custom_message', customType: 'note', content: say('a note of an extension'), display: true }),
      entry({
        type: 'compaction',
        summary: say('a summary'),
        tokensBefore: 900,
        ...(version === 1 ? { firstKeptEntryIndex: 5 } : { firstKeptEntryId: '00000005' }),
      }),
      message({ role: 'user', content: say('a second question') }),
      message({ role: 'assistant', content: [{ type: 'text', text: say('an answer that was given up') }] }),
    ]
    if (version === 3) last = '00000008'
    return lines([
      ...records,
      entry({ type: 'branch_summary', fromId: '00000009', summary: say('a summary of a branch') }),
      message({ role: 'assistant', content: [{ type: 'text', text: say('the last answer') }] }),
    ])
  }

const geminiRecords = (say: Say, isTimed: boolean): Fields[] => {
  const timed = timing(isTimed)
  return [
    timed({ id: 'g-1', type: 'user', content: say('the first question') }, 1),
    timed({ id: 'g-2', type: 'info', content: say('a notice') }, 2),
    timed(
      {
        id: 'g-3',
        type: 'gemini',
        content: say('an answer'),
        thoughts: [{ subject: say('the subject of a thought'), description: say('a thought') }],
        toolCalls: [
          {
            id: 'call_1',
            name: 'shell',
            args: { command: say('a command') },
            status: 'success',
            result: [{ functionResponse: { id: 'call_1', name: 'shell', response: { output: say('an output') } } }],
          },
        ],
        model: 'gemini',
        tokens: { input: 5, output: 2 },
      },
      3,
    ),
    timed(
      { id: 'g-4', type: 'user', content: [{ text: say('a question in parts') }, say('a plain string among parts')] },
      4,
    ),
    timed({ id: 'g-5', type: 'gemini', content: say('the last answer') }, 5),
  ]
}

const gemini = (say: Say, isTimed = true): string =>
  JSON.stringify(
    {
      sessionId: 'gemini-session-1',
      projectHash: 'p',
      ...(isTimed ? { startTime: at(0) } : {}),
      messages: geminiRecords(say, isTimed),
    },
    null,
    2,
  )

const geminiLines = (say: Say, isTimed = true): string => {
  const timed = timing(isTimed)
  const [question, notice, answer, ...rest] = geminiRecords(say, isTimed)
  return lines([
    timing(isTimed, 'startTime')({ sessionId: 'gemini-session-2', projectHash: 'p' }, 0),
    question,
    notice,
    // An intermediate state. Only the last one counts.
    { ...answer, content: '', thoughts: [], toolCalls: [] },
    { ...answer, toolCalls: [] },
    answer,
    ...rest,
    timed({ id: 'g-6', type: 'user', content: say('a question that was taken back') }, 6),
    { $rewindTo: 'g-6' },
    timed({ id: 'g-7', type: 'user', content: say('a question after that') }, 7),
  ])
}

const openCodeParts = (say: Say): { readonly user: Fields[]; readonly assistant: Fields[] } => ({
  user: [
    { id: 'prt_1', messageID: 'msg_1', type: 'text', text: say('the first question') },
    { id: 'prt_2', messageID: 'msg_1', type: 'text', synthetic: true, text: say('what the program added') },
  ],
  assistant: [
    { id: 'prt_3', messageID: 'msg_2', type: 'reasoning', text: say('a thought') },
    { id: 'prt_4', messageID: 'msg_2', type: 'text', text: say('an answer') },
    {
      id: 'prt_5',
      messageID: 'msg_2',
      type: 'tool',
      callID: 'call_1',
      tool: 'bash',
      state: { status: 'completed', input: { command: say('a command') }, output: say('an output'), title: 'ls' },
    },
    {
      id: 'prt_6',
      messageID: 'msg_2',
      type: 'tool',
      callID: 'call_2',
      tool: 'bash',
      state: { status: 'error', input: {}, error: say('an error of a tool') },
    },
    { id: 'prt_7', messageID: 'msg_2', type: 'subtask', prompt: say('the task of a sub-agent') },
  ],
})

const openCodeTimes = (isTimed: boolean, second: number): Fields =>
  isTimed ? { time: { created: BEGINS + second * 1000 } } : {}

const openCode = (say: Say, isTimed = true): string => {
  const parts = openCodeParts(say)
  const info = (id: string, role: string, second: number): Fields => ({
    id,
    sessionID: 'ses_1',
    role,
    ...openCodeTimes(isTimed, second),
  })
  return JSON.stringify(
    {
      info: { id: 'ses_1', directory: '/work/shop', title: 'Shop', time: isTimed ? { created: BEGINS } : {} },
      messages: [
        { info: info('msg_1', 'user', 1), parts: parts.user },
        {
          info: { ...info('msg_2', 'assistant', 2), modelID: 'm', tokens: { input: 4, output: 2 } },
          parts: parts.assistant,
        },
        { info: info('msg_3', 'user', 3), parts: [{ id: 'prt_8', type: 'text', text: say('a last question') }] },
      ],
    },
    null,
    2,
  )
}

const openCodeEvents = (say: Say, isTimed = true): string => {
  let second = 0
  const event = (type: string, properties: Fields): Fields => {
    second += 1
    return { timestamp: isTimed ? BEGINS + second * 1000 : null, event: { type, properties } }
  }
  const info = (id: string, role: string, more: Fields = {}): Fields =>
    event('message.updated', {
      info: { id, sessionID: 'ses_2', role, ...openCodeTimes(isTimed, Number(id.slice(4))), ...more },
    })
  const part = (fields: Fields): Fields => event('message.part.updated', { part: fields })
  const { user, assistant } = openCodeParts(say)
  const [thought, text, tool, ...others] = assistant as [Fields, Fields, Fields, ...Fields[]]
  const answer = String(text.text)
  return lines([
    event('session.created', { info: { id: 'ses_2', directory: '/work/shop', time: {} } }),
    info('msg_1', 'user'),
    ...user.map(part),
    info('msg_2', 'assistant'),
    part({ ...thought, text: String(thought.text).slice(0, 8) }),
    event('message.part.delta', {
      messageID: 'msg_2',
      partID: 'prt_3',
      field: 'text',
      delta: String(thought.text).slice(8),
    }),
    part({ ...text, text: answer.slice(0, 5) }),
    part({ ...text, text: answer.slice(0, 9) }),
    part({ ...text, text: answer }),
    part({ ...tool, state: { status: 'pending', input: {} } }),
    part({ ...tool, state: { ...(tool.state as Fields), status: 'running', output: undefined } }),
    part(tool),
    ...others.map(part),
    info('msg_2', 'assistant', { modelID: 'm', tokens: { input: 4, output: 2 } }),
    info('msg_3', 'user'),
    part({ id: 'prt_8', messageID: 'msg_3', type: 'text', text: say('a last question') }),
  ])
}

const entire = (say: Say, isTimed = true): string => {
  let second = 0
  const record = (fields: Fields): Fields => {
    second += 1
    return { v: 1, agent: 'claude-code', cli_version: '1', ts: isTimed ? at(second) : null, ...fields }
  }
  return lines([
    record({ type: 'user', content: [{ text: say('the first question') }] }),
    record({
      type: 'assistant',
      id: 'msg_1',
      input_tokens: 4,
      output_tokens: 2,
      content: [
        { type: 'text', text: say('an answer') },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'Bash',
          input: { command: say('a command') },
          result: { output: say('an output'), status: 'success' },
        },
        { type: 'tool_use', id: 'toolu_2', name: 'Bash', input: {}, result: say('a result that is a plain string') },
      ],
    }),
    record({ type: 'user', content: say('content that is a plain string') }),
    record({ type: 'assistant', content: [say('a plain string among blocks')] }),
    record({ type: 'assistant', content: say('the last answer') }),
  ])
}

const aider = (say: Say): string =>
  [
    '',
    '# aider chat started at 2026-03-02 09:00:00',
    '',
    '> Aider v0.80.0  ',
    `> ${say('a notice')}  `,
    '',
    `#### ${say('the first question')}  `,
    `#### ${say('its second line')}  `,
    '',
    say('an answer'),
    '',
    '```python',
    say('a block of code'),
    '```',
    '',
    '> Tokens: 2.1k sent, 100 received.  ',
    '',
    '#### /clear  ',
    '> All chat history cleared.  ',
    '',
    `#### ${say('a second question')}  `,
    '',
    say('a second answer'),
    '',
    '# aider chat started at 2026-03-02 10:00:00',
    '',
    `#### ${say('a question in a second session')}  `,
    '',
    say('the last answer'),
    '',
    '',
  ].join('\n')

const specStory = (say: Say, isTimed = true): string => {
  const time = (second: number): string => (isTimed ? ` (2026-03-02 09:00:0${second}Z)` : '')
  const user = (second: number, ...text: string[]) => [`_**User${time(second)}**_`, '', ...text, '', '---', '']
  const agent = (second: number, ...text: string[]) => [
    `_**Agent${isTimed ? ` (gpt-5 2026-03-02 09:00:0${second}Z)` : ''}**_`,
    '',
    ...text,
    '',
  ]
  return [
    ...(isTimed
      ? [
          '<!-- Generated by SpecStory, Markdown v2.1.0 -->',
          '',
          '# 2026-03-02',
          '',
          '<!-- Codex CLI Session 0195-abc (2026-03-02 09:00:00Z) -->',
          '',
        ]
      : []),
    ...user(1, say('the first question'), '', say('its second paragraph')),
    ...agent(
      2,
      '<think><details><summary>Thought Process</summary>',
      say('a thought'),
      '</details></think>',
      '',
      say('an answer'),
      '',
      '<tool-use data-tool-type="shell" data-tool-name="exec"><details>',
      `<summary>Tool use: **exec** \`${say('a command')}\`</summary>`,
      '```',
      say('an output'),
      '',
      '_**User**_',
      '',
      say('a turn that is quoted in an output'),
      '```',
      '</details></tool-use>',
      '',
      say('what came after the tool'),
    ),
    ...user(3, say('a second question')),
    ...agent(4, say('the last answer')),
  ].join('\n')
}

const sweAgent = (say: Say): string => {
  const step = (n: number) => ({
    action: say(`the command of step ${n}`),
    observation: say(`what step ${n} saw`),
    response: say(`the response of step ${n}`),
    thought: say(`the thought of step ${n}`),
    state: '{}',
  })
  const said = (n: number): Fields[] => {
    const { action, observation, response, thought } = step(n)
    return [
      { role: 'assistant', content: response, thought, action, agent: 'main' },
      { role: 'user', content: observation, agent: 'main' },
    ]
  }
  return JSON.stringify(
    {
      environment: 'main',
      trajectory: [step(1), step(2), step(3)],
      history: [
        { role: 'system', content: say('the instructions'), agent: 'main' },
        {
          role: 'user',
          content: [{ type: 'text', text: say('the task') }, say('a plain string among blocks')],
          agent: 'main',
        },
        ...said(1),
        ...said(2),
      ],
      info: { exit_status: 'submitted' },
    },
    null,
    2,
  )
}

const sweAgentRows = (say: Say): string =>
  lines(
    ['a', 'b'].map((id) => ({
      instance_id: `shop-${id}`,
      trajectory: [
        { role: 'system', system_prompt: say(`the instructions of ${id}`), text: null },
        { role: 'user', text: say(`the task of ${id}`) },
        { role: 'ai', text: say(`the answer of ${id}`) },
      ],
    })),
  )

const openHandsEvents = (say: Say, isTimed: boolean): Fields[] => {
  const timed = timing(isTimed)
  return [
    timed({ id: 0, source: 'agent', action: 'system', args: { content: say('the instructions') } }, 0),
    timed({ id: 1, source: 'user', action: 'message', args: { content: say('the task') } }, 1),
    timed(
      {
        id: 2,
        source: 'user',
        observation: 'recall',
        content: 'Added workspace context',
        extras: { repo_instructions: say('the instructions of a repository') },
      },
      2,
    ),
    timed({ id: 3, source: 'agent', action: 'run', args: { command: say('a command'), thought: say('a thought') } }, 3),
    timed(
      { id: 4, source: 'agent', observation: 'run', content: say('an output'), cause: 3, extras: { exit_code: 0 } },
      4,
    ),
    timed(
      {
        id: 5,
        source: 'agent',
        action: 'condensation',
        args: { forgotten_event_ids: [3, 4], summary: say('a summary') },
      },
      5,
    ),
    timed({ id: 6, source: 'agent', action: 'finish', args: { final_thought: say('the last thought') } }, 6),
  ]
}

const openHands = (say: Say, isTimed = true): string =>
  lines([{ instance_id: 'shop-1', history: openHandsEvents(say, isTimed) }])

const openHandsList = (say: Say, isTimed = true): string => JSON.stringify(openHandsEvents(say, isTimed), null, 1)

const plainMessages = (say: Say): Fields[] => [
  { role: 'system', content: say('the instructions') },
  { role: 'user', content: say('the first question') },
  {
    role: 'assistant',
    content: say('an answer'),
    reasoning_content: say('a thought'),
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'bash', arguments: JSON.stringify({ command: say('a command') }) },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: say('an output') },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: say('an output in blocks') }] },
      { type: 'text', text: say('a question in blocks') },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'refusal', refusal: say('a refusal') },
      { type: 'output_text', text: say('an answer in blocks') },
    ],
  },
  { role: 'user', content: [say('a question in a list of plain strings')] },
  { role: 'assistant', content: say('the last answer') },
]

export const transcriptSamples: readonly TranscriptSample[] = [
  { name: 'Claude Code', format: 'claude-code', fileName: 'session-1.jsonl', write: claudeCode },
  { name: 'Codex', format: 'codex', fileName: 'rollout.jsonl', write: codex },
  { name: 'Pi 1', format: 'pi', fileName: 'pi-1.jsonl', write: pi(1) },
  { name: 'Pi 3', format: 'pi', fileName: 'pi-3.jsonl', write: pi(3) },
  { name: 'OpenClaw', format: 'openclaw', fileName: '.openclaw/agents/main/sessions/s.jsonl', write: pi(3) },
  { name: 'Gemini CLI, one document', format: 'gemini-cli', fileName: 'gemini.json', write: gemini },
  { name: 'Gemini CLI, lines', format: 'gemini-cli', fileName: 'gemini.jsonl', write: geminiLines },
  { name: 'opencode, an export', format: 'opencode', fileName: 'export.json', write: openCode },
  { name: 'opencode, events', format: 'opencode', fileName: 'events.jsonl', write: openCodeEvents },
  { name: 'Entire', format: 'entire', fileName: 'transcript.jsonl', write: entire },
  { name: 'aider', format: 'aider', fileName: '.aider.chat.history.md', write: aider },
  { name: 'SpecStory', format: 'specstory', fileName: 'story.md', write: specStory },
  { name: 'SWE-agent', format: 'swe-agent', fileName: 'shop.traj', write: sweAgent },
  { name: 'SWE-agent, rows', format: 'swe-agent', fileName: 'rows.jsonl', write: sweAgentRows },
  { name: 'OpenHands', format: 'openhands', fileName: 'output.jsonl', write: openHands },
  { name: 'OpenHands, a list of events', format: 'openhands', fileName: 'events.json', write: openHandsList },
  {
    name: 'messages, a line each',
    format: 'messages',
    fileName: 'messages.jsonl',
    write: (say) => lines(plainMessages(say)),
  },
  {
    name: 'messages, a list',
    format: 'messages',
    fileName: 'list.json',
    write: (say) => JSON.stringify(plainMessages(say), null, 1),
  },
  {
    name: 'messages, one conversation',
    format: 'messages',
    fileName: 'conversation.json',
    write: (say) => JSON.stringify({ id: 'conversation-0123456789', messages: plainMessages(say) }, null, 1),
  },
  {
    name: 'messages, a conversation each line',
    format: 'messages',
    fileName: 'conversations.jsonl',
    write: (say) =>
      lines([
        { messages: plainMessages(say) },
        { title: 'Second', messages: plainMessages((where) => say(`${where}, told again`)) },
      ]),
  },
]
