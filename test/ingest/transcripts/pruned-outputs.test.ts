import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exported } from '#core/browse/export/exported.ts'
import type { Pruned } from '#core/contract/message.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { asHash } from '#core/sanitize.ts'
import { runToEnd } from '#core/yielding.ts'
import { call, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { dump, underSummaries, windowOf, writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const CLEARED = '[Old tool result content cleared]'
const long = (what: string): string => `${what} ${'with many words about it '.repeat(40)}`.trim()

async function withLcm<T>({ path }: TestMemory, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  using lcm = await openLcm(path, { readOnly: true })
  return await body(lcm)
}

/** What every message says that something was pruned of, by the beginning of its text. */
const prunedIn = (memory: TestMemory, conversationId = 1): Promise<Record<string, Pruned>> =>
  withLcm(memory, (lcm) =>
    Object.fromEntries(
      lcm.transcript
        .page({ conversationId, offset: 0, limit: 500, contentChars: 100_000 })
        .messages.flatMap(({ content, parts }) =>
          parts.flatMap(({ pruned }) => (pruned ? [[content.split(' with ')[0] ?? '', pruned]] : [])),
        ),
    ),
  )

const pruneRuns = ({ db }: TestMemory) =>
  db.all<Record<string, unknown>>("SELECT * FROM compaction_runs WHERE mode = 'prune' ORDER BY started_at")

/** Three calls with long results. */
function story(): TranscriptBuilder {
  const built = new TranscriptBuilder()
  built.user('look around')
  for (const n of [1, 2, 3]) {
    built.answer(`msg_${n}`, [call(`toolu_${n}`)])
    built.result(`toolu_${n}`, long(`result ${n}`))
  }
  return built
}

const microcompact = (built: TranscriptBuilder, ids: readonly string[], fields: Record<string, unknown> = {}): string =>
  built.record({
    type: 'system',
    subtype: 'microcompact_boundary',
    content: 'Context microcompacted',
    microcompactMetadata: {
      trigger: 'auto',
      preTokens: 60_000,
      tokensSaved: 480,
      compactedToolIds: ids,
      clearedAttachmentUUIDs: [],
    },
    ...fields,
  })

const MARKER_TOKENS = createTokenEstimator().count(CLEARED)

describe('a microcompaction of Claude Code', () => {
  it('marks the results that it cleared with its time, its cause and the tokens that it freed', async () => {
    using memory = buildMemory()
    const built = story()
    microcompact(built, ['toolu_1', 'toolu_2'])
    built.answer('msg_end', [text('done')])
    const path = built.write()
    await importOne(memory.db, path)
    const atMs = Date.parse(JSON.parse(built.lines[7] ?? '').timestamp)
    const freed = memory.db.column<number>("SELECT token_count FROM messages WHERE role = 'tool' ORDER BY seq")
    expect(await prunedIn(memory)).toEqual({
      'result 1': { atMs, by: 'microcompaction', tokens: (freed[0] ?? 0) - MARKER_TOKENS, seen: CLEARED },
      'result 2': { atMs, by: 'microcompaction', tokens: (freed[1] ?? 0) - MARKER_TOKENS, seen: CLEARED },
    })
    expect(pruneRuns(memory)).toMatchObject([{ summarizer: 'claude-code', owner: 'import', started_at: atMs }])
    expect(await findings(memory.path)).toEqual([])
  })

  it('frees exactly these tokens in every figure of the window, and clears them in the payload', async () => {
    using memory = buildMemory()
    const built = story()
    microcompact(built, ['toolu_1', 'toolu_2'])
    built.answer('msg_end', [text('done')])
    await importOne(memory.db, built.write())
    const stored = memory.db.value<number>('SELECT sum(token_count) FROM messages') ?? 0
    await withLcm(memory, (lcm) => {
      const context = lcm.context.assemble({ conversationId: 1 })
      const pruned = context.prunedTokens ?? 0
      expect(pruned).toBeGreaterThan(300)
      expect(context.activeTokens).toBe(stored - pruned)
      expect(context.items.filter((item) => item.pruned).map((item) => item.tokens)).toEqual([
        MARKER_TOKENS,
        MARKER_TOKENS,
      ])
      expect(lcm.stats.conversations().map((row) => row.contextTokens)).toEqual([stored - pruned])
      for (const provider of ['anthropic', 'openai'] as const) {
        const sent = JSON.stringify(lcm.context.render({ conversationId: 1 }, provider).messages)
        expect(sent.split(CLEARED)).toHaveLength(3)
        expect(sent).not.toContain('result 1')
        expect(sent).toContain('result 3')
      }
      const run = pruneRuns(memory)[0]
      expect(run?.tokens_before).toBe(stored - 1)
      expect(run?.tokens_after).toBe(stored - 1 - pruned)
    })
  })

  it('is the same in a working copy', async () => {
    using memory = buildMemory()
    const built = story()
    microcompact(built, ['toolu_1', 'toolu_2'])
    await importOne(memory.db, built.write())
    const to = join(temporaryFolder(), 'copy.db')
    await withLcm(memory, async (lcm) => {
      await runToEnd(copyMemory({ from: lcm, to }, new AbortController().signal))
      using copy = await openLcm(to, { readOnly: true })
      expect(copy.context.assemble({ conversationId: 1 })).toEqual(lcm.context.assemble({ conversationId: 1 }))
      expect(copy.timeTravel.timeline(1).prunings).toMatchObject([{ outputs: 2, by: 'microcompaction' }])
    })
  })

  it('has no effect on moments before it, and is named in the hits of a search', async () => {
    using memory = buildMemory()
    const built = story()
    microcompact(built, ['toolu_1'])
    built.user('go on')
    await importOne(memory.db, built.write())
    const stored = memory.db.value<number>('SELECT sum(token_count) FROM messages WHERE seq <= 6') ?? 0
    const last = memory.db.value<number>('SELECT message_id FROM messages WHERE seq = 6')
    await withLcm(memory, async (lcm) => {
      const before = lcm.timeTravel.contextAt({ conversationId: 1, moment: { messageId: `msg_${last}` } })
      expect(before.activeTokens).toBe(stored)
      const now = lcm.timeTravel.contextAt({ conversationId: 1, moment: { now: true } })
      expect(now.prunedTokens).toBeGreaterThan(150)
      const runId = String(pruneRuns(memory)[0]?.run_id)
      const then = lcm.timeTravel.contextAt({ conversationId: 1, moment: { runId } })
      expect(then).toMatchObject({ prunedTokens: now.prunedTokens, activeTokens: stored - (now.prunedTokens ?? 0) })
      const { hits } = await lcm.retrieval.grep(
        GrepInput.parse({ query: 'with many words', mode: 'literal', sort: 'oldest' }),
      )
      expect(hits.map(({ inContext, isPruned }) => [inContext, isPruned ?? false])).toEqual([
        [false, true],
        [true, false],
        [true, false],
      ])
      const outside = await lcm.retrieval.grep(
        GrepInput.parse({ query: 'with many words', mode: 'literal', inContext: false }),
      )
      expect(outside.hits).toHaveLength(1)
      expect(lcm.retrieval.describe(outside.hits[0]?.id ?? '', 100).pruned).toMatchObject({ by: 'microcompaction' })
    })
  })

  it('is stored once, later ones are added, and the messages stay unchanged', async () => {
    using memory = buildMemory()
    const built = story()
    const path = built.write()
    await importOne(memory.db, path)
    const whole = dump(memory)
    const lines = built.lines.length
    microcompact(built, ['toolu_1'])
    appendFileSync(path, `${built.lines.slice(lines).join('\n')}\n`)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    expect(Object.keys(await prunedIn(memory))).toEqual(['result 1'])
    expect(dump(memory)).toEqual(whole)
    const noted = pruneRuns(memory)
    await importOne(memory.db, path)
    expect(pruneRuns(memory)).toEqual(noted)
    const more = built.lines.length
    built.user('go on')
    microcompact(built, ['toolu_1', 'toolu_2'])
    appendFileSync(path, `${built.lines.slice(more).join('\n')}\n`)
    await importOne(memory.db, path)
    expect(Object.keys(await prunedIn(memory))).toEqual(['result 1', 'result 2'])
    expect(pruneRuns(memory)).toHaveLength(2)
  })

  it('has no effect when its branch was given up, also when it was imported before', async () => {
    using memory = buildMemory()
    const built = story()
    const back = built.lastUuid
    built.user('one way')
    built.answer('msg_way', [text('as you say')])
    microcompact(built, ['toolu_1'])
    const path = built.write()
    await importOne(memory.db, path)
    expect(Object.keys(await prunedIn(memory))).toEqual(['result 1'])
    const lines = built.lines.length
    built.user('another way', { parentUuid: back })
    built.answer('msg_other', [text('as you say now')])
    appendFileSync(path, `${built.lines.slice(lines).join('\n')}\n`)
    await importOne(memory.db, path)
    expect(Object.values(await prunedIn(memory)).map(({ by }) => by)).toEqual(['branch', 'branch'])
  })

  it('is not stored when the window is to hold the whole history', async () => {
    using memory = buildMemory()
    const built = story()
    microcompact(built, ['toolu_1'])
    await runImport(memory.db, [built.write()], { window: 'history' })
    expect(pruneRuns(memory)).toEqual([])
  })

  it('keeps the whole result when a copied session has only the placeholder', async () => {
    using memory = buildMemory()
    await importOne(memory.db, story().write())
    const built = new TranscriptBuilder()
    built.user('look around')
    built.answer('msg_1', [call('toolu_1')])
    built.result('toolu_1', CLEARED)
    const path = built.write()
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    expect(await prunedIn(memory)).toMatchObject({ 'result 1': { by: 'microcompaction', seen: CLEARED } })
    using fresh = buildMemory()
    expect(await importOne(fresh.db, path)).toMatchObject({ added: 3 })
    expect(await prunedIn(fresh)).toMatchObject({ [CLEARED]: { tokens: 0 } })
  })

  it('clears attachments too', async () => {
    using memory = buildMemory()
    const built = story()
    const attached = built.record({ type: 'attachment', attachment: { type: 'file', content: long('a file') } })
    built.answer('msg_4', [text('read')])
    microcompact(built, [], {
      microcompactMetadata: { trigger: 'manual', compactedToolIds: [], clearedAttachmentUUIDs: [attached] },
    })
    await importOne(memory.db, built.write())
    expect(await prunedIn(memory)).toMatchObject({ 'a file': { seen: null } })
    expect(pruneRuns(memory)).toMatchObject([{ reason: 'manual' }])
    await withLcm(memory, (lcm) => {
      expect(JSON.stringify(lcm.context.render({ conversationId: 1 }, 'openai'))).not.toContain('a file')
    })
  })
})

describe('an import of pruned outputs', () => {
  it('marks a part of opencode as pruned at the time at which it was compacted', async () => {
    using memory = buildMemory()
    const message = (id: string, role: string, parts: unknown[]) => ({
      info: { id, sessionID: 'ses_1', role, time: { created: 1_772_000_000_000 } },
      parts,
    })
    const tool = (n: number, compacted?: number) => ({
      id: `prt_t${n}`,
      type: 'tool',
      callID: `c${n}`,
      tool: 'bash',
      state: { status: 'completed', input: {}, output: long(`output ${n}`), time: { start: 1, end: 2, compacted } },
    })
    const session = (later?: number) => ({
      info: { id: 'ses_1', time: { created: 1_772_000_000_000 } },
      messages: [
        message('msg_1', 'user', [{ id: 'prt_1', type: 'text', text: 'go' }]),
        message('msg_2', 'assistant', [tool(1, 1_772_000_009_003), tool(2, 1_772_000_009_001), tool(3, later)]),
      ],
    })
    await importOne(memory.db, writeJson(session()))
    expect(await prunedIn(memory)).toMatchObject({
      'output 1': { atMs: 1_772_000_009_003, by: 'pruning', seen: CLEARED },
      'output 2': { atMs: 1_772_000_009_003, by: 'pruning', seen: CLEARED },
    })
    expect(pruneRuns(memory)).toHaveLength(1)
    const before = dump(memory)
    await importOne(memory.db, writeJson(session(1_772_000_999_000)))
    // The mark of the part is all that is new.
    const marked = JSON.stringify(dump(memory)).replaceAll('"{\\"prunedAtMs\\":1772000999000}"', 'null')
    expect(JSON.parse(marked)).toEqual(before)
    expect(Object.keys(await prunedIn(memory))).toEqual(['output 1', 'output 2', 'output 3'])
    expect(pruneRuns(memory)).toHaveLength(2)
    expect(await findings(memory.path)).toEqual([])
  })

  it('keeps the result of Gemini CLI that was masked, and shows what the agent sees instead', async () => {
    const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
    const masked =
      '<tool_output_masked>\n[Output too large. Full output available at: /tmp/read_1.txt]\n</tool_output_masked>'
    const record = (output: string) => ({
      id: 'g',
      type: 'gemini',
      timestamp: at(1),
      content: 'Reading.',
      toolCalls: [
        {
          id: 'c1',
          name: 'read',
          args: {},
          status: 'success',
          result: [{ functionResponse: { id: 'c1', name: 'read', response: { output } } }],
          timestamp: at(2),
        },
      ],
    })
    const user = { id: 'u', type: 'user', timestamp: at(0), content: 'read it' }
    const header = { sessionId: 'g-1', projectHash: 'abc', startTime: at(0) }
    const expected = { 'file text': { by: 'masking', seen: masked } }
    using lines = buildMemory()
    const path = writeLines([header, user, record(long('file text')), record(masked)])
    await importOne(lines.db, path)
    expect(await prunedIn(lines)).toMatchObject(expected)
    const before = [dump(lines), pruneRuns(lines)]
    expect(await importOne(lines.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    expect([dump(lines), pruneRuns(lines)]).toEqual(before)
    await withLcm(lines, (lcm) => {
      const told = JSON.stringify([...exported(lcm, 1, asHash).messages()])
      expect(told).toContain('masking')
      expect(told).not.toContain('read_1.txt')
    })
    using document = buildMemory()
    await importOne(document.db, writeJson({ ...header, messages: [user, record(long('file text'))] }))
    const again = writeJson({ ...header, messages: [user, record(masked)] })
    expect(await importOne(document.db, again)).toMatchObject({ added: 0, conflicts: 0, alreadyThere: 3 })
    expect(await prunedIn(document)).toMatchObject(expected)
    using late = buildMemory()
    await importOne(late.db, again)
    expect(Object.values(await prunedIn(late))).toMatchObject([{ by: 'masking', tokens: 0 }])
  })

  it('puts what a condensation of OpenHands forgot under its summary, or under a note when it has none', async () => {
    const event = (id: number, rest: object) => ({ id, timestamp: `2025-03-02T09:00:${10 + id}`, ...rest })
    const said = (id: number, source: string) =>
      event(id, { source, action: 'message', args: { content: long(`said ${id}`) } })
    const condensed = (id: number, args: object) => event(id, { source: 'agent', action: 'condensation', args })
    const task = (events: unknown[]) => writeLines([{ instance_id: 'shop-1', instruction: 'x', history: events }])
    using memory = buildMemory()
    const begin = [said(1, 'user'), said(2, 'agent'), said(3, 'user'), said(4, 'agent')]
    const first = condensed(5, { forgotten_events_start_id: 2, forgotten_events_end_id: 3, summary: 'Two and three.' })
    const second = condensed(8, { forgotten_event_ids: [4, 6], summary: 'All but the ends.', summary_offset: 1 })
    const path = task([...begin, first, said(6, 'user'), said(7, 'agent'), second, said(9, 'agent')])
    await importOne(memory.db, path)
    expect(windowOf(memory).map((line) => line.split(' with ')[0])).toEqual([
      'user: said 1',
      'condensed(unknown): All but the ends.',
      'assistant: said 7',
      'assistant: said 9',
    ])
    expect(underSummaries(memory)['Two and three.']?.map((line) => line.split(' with ')[0])).toEqual([
      'said 2',
      'said 3',
      'Two and three.',
    ])
    expect(await findings(memory.path)).toEqual([])
    using silent = buildMemory()
    await importOne(silent.db, task([...begin, condensed(5, { forgotten_event_ids: [2, 3] }), said(6, 'user')]))
    expect(windowOf(silent)[1]).toMatch(/^leaf\(deterministic\): \[The agent took 3 messages/)
  })

  it('removes turns of Codex that were taken back from the window', async () => {
    using memory = buildMemory()
    const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
    const line = (type: string, payload: unknown, second: number) => ({ timestamp: at(second), type, payload })
    const said = (role: string, words: string, second: number) =>
      line(
        'response_item',
        {
          type: 'message',
          role,
          content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
        },
        second,
      )
    const turn = (n: number) => [
      said('user', `<environment_context>${n}</environment_context>`, n),
      said('user', `question ${n}`, n),
      line('event_msg', { type: 'user_message', message: `question ${n}` }, n),
      said('assistant', `answer ${n}`, n),
    ]
    const path = writeLines([
      line('session_meta', { id: 's-1', cwd: '/work/shop' }, 0),
      ...[1, 2, 3].flatMap(turn),
      line('event_msg', { type: 'thread_rolled_back', num_turns: 2 }, 4),
      ...turn(5),
    ])
    await importOne(memory.db, path)
    expect(sentWindow(memory).texts).toEqual([
      '<environment_context>1</environment_context>',
      'question 1',
      'answer 1',
      '<environment_context>5</environment_context>',
      'question 5',
      'answer 5',
    ])
    const before = dump(memory)
    await importOne(memory.db, path)
    expect(dump(memory)).toEqual(before)
    expect(await findings(memory.path)).toEqual([])
  })

  it('puts what was said in aider before the chat was cleared under a note', async () => {
    using memory = buildMemory()
    const said = ['#### rename the total  ', '', long('Of course.'), '']
    const path = writeLines(
      [
        '# aider chat started at 2024-08-20 09:00:00',
        '',
        ...said,
        '#### /clear  ',
        '',
        '#### and now  ',
        '',
        long('Yes.'),
        '',
        '#### /reset  ',
        '',
        '#### at last  ',
        '',
        'Done.',
        '',
      ],
      '.aider.chat.history.md',
    )
    await importOne(memory.db, path)
    expect(windowOf(memory)).toEqual([
      expect.stringMatching(/^leaf\(deterministic\): \[The window was cleared by hand here: 3 messages left it/),
      expect.stringMatching(/^leaf\(deterministic\): \[The window was cleared by hand here: 3 messages left it/),
      'user: at last',
      'assistant: Done.',
    ])
    const before = dump(memory)
    await importOne(memory.db, path)
    expect(dump(memory)).toEqual(before)
    expect(await findings(memory.path)).toEqual([])
  })

  it('marks observations of SWE-agent of which the model was last sent only their length', async () => {
    using memory = buildMemory()
    const history = [
      { role: 'system', content: 'You fix bugs.', agent: 'main' },
      { role: 'user', content: 'Fix it.', agent: 'main' },
      ...[1, 2].flatMap((n) => [
        { role: 'assistant', content: `I run ${n}.`, agent: 'main' },
        { role: 'user', content: long(`observation ${n}`), agent: 'main' },
      ]),
      { role: 'assistant', content: 'Done.', agent: 'main' },
    ]
    const query = history
      .slice(0, 6)
      .map((item, index) => (index === 3 ? { ...item, content: 'Old environment output: (1 lines omitted)' } : item))
    const step = { action: 'run', observation: 'x', response: 'y', thought: 'z', state: '{}', query }
    const path = writeJson({ environment: 'main', trajectory: [step], history, info: {} }, 'a.traj')
    await importOne(memory.db, path)
    expect(await prunedIn(memory)).toMatchObject({
      'observation 1': { by: 'elision', seen: 'Old environment output: (1 lines omitted)' },
    })
  })
})
