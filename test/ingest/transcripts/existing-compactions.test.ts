import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { dump, told, underSummaries, windowOf, writeJson, writeLines } from '#test/builders/transcript-rows.ts'
import { travelIn } from '#test/window/time-travel/travel.ts'

const long = (what: string): string => `${what} ${'with many words about it '.repeat(12)}`.trim()

/** A turn of a person and the agent, each of some length. */
function turn(story: TranscriptBuilder, n: number): void {
  story.user(long(`question ${n}`))
  story.answer(`msg_${n}`, [text(long(`answer ${n}`))])
}

function compact(story: TranscriptBuilder, summary: string, metadata: Record<string, unknown> = {}): void {
  story.record({
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    parentUuid: null,
    logicalParentUuid: story.lastUuid,
    compactMetadata: { trigger: 'auto', preTokens: 155_000, ...metadata },
  })
  story.user(summary, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
}

const nodes = ({ db }: TestMemory) =>
  db.all<Record<string, unknown>>(
    'SELECT kind, depth, level, descendant_count AS below, content FROM summaries ORDER BY summary_rowid',
  )

describe('a compaction of Claude Code', () => {
  it('becomes a leaf over all that it replaced and over its own record, in their place in the window', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    turn(story, 2)
    compact(story, 'What was done so far.')
    turn(story, 3)
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 7, compactions: 1 })
    expect(nodes(memory)).toEqual([
      { kind: 'leaf', depth: 0, level: 'unknown', below: 0, content: 'What was done so far.' },
    ])
    expect(windowOf(memory)).toEqual([
      'leaf(unknown): What was done so far.',
      `user: ${long('question 3')}`,
      `assistant: ${long('answer 3')}`,
    ])
    expect(underSummaries(memory)['What was done so far.']).toEqual([
      long('question 1'),
      long('answer 1'),
      long('question 2'),
      long('answer 2'),
      'What was done so far.',
    ])
    expect(await findings(memory.path)).toEqual([])
  })

  it('leaves the same number of tokens in the timeline of the curve as in the window of the time slider', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    for (let n = 1; n <= 3; n += 1) {
      turn(story, n)
      turn(story, n + 10)
      compact(story, `Summary ${n}.`)
    }
    turn(story, 4)
    await importOne(memory.db, story.write())
    const travel = travelIn(memory.db)
    const { events } = travel.timeline(1)
    expect(events.length).toBeGreaterThan(2)
    for (const { eventId, activeTokens } of events) {
      expect(activeTokens).toBeGreaterThan(0)
      expect(activeTokens).toBe(travel.contextAt({ conversationId: 1, moment: { eventId } }).activeTokens)
    }
  })

  it('becomes a condensed summary of the previous summary and an extract of the messages since', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    compact(story, 'First summary.')
    turn(story, 2)
    turn(story, 3)
    compact(story, 'Second summary.')
    turn(story, 4)
    await importOne(memory.db, story.write())
    expect(nodes(memory)).toMatchObject([
      { kind: 'leaf', depth: 0, level: 'unknown', content: 'First summary.' },
      {
        kind: 'leaf',
        depth: 0,
        level: 'deterministic',
        content: expect.stringMatching(/^\[Extract of 5 messages .* It wrote no summary.*\]\n/),
      },
      { kind: 'condensed', depth: 1, level: 'unknown', below: 2, content: 'Second summary.' },
    ])
    expect(windowOf(memory)).toEqual([
      'condensed(unknown): Second summary.',
      `user: ${long('question 4')}`,
      `assistant: ${long('answer 4')}`,
    ])
    expect(await findings(memory.path)).toEqual([])
  })

  it('becomes a run of its own with its cause and its tokens before and after', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    compact(story, 'Summary.', { trigger: 'manual' })
    await importOne(memory.db, story.write())
    const [run] = memory.db.all<Record<string, number>>('SELECT * FROM compaction_runs')
    expect(run).toMatchObject({ reason: 'manual', summarizer: 'claude-code', owner: 'import', stop_reason: 'imported' })
    expect(run?.tokens_before).toBeGreaterThan(run?.tokens_after ?? Number.NaN)
    expect(run?.finished_at).toBe(memory.db.value('SELECT max(created_at) FROM messages'))
    const [event] = memory.db.all<{ removed: string }>('SELECT * FROM compaction_events')
    expect(JSON.parse(event?.removed ?? '')).toHaveLength(3)
  })

  it('leaves the messages in the window that the agent kept', async () => {
    for (const kept of [
      { preservedSegment: { headUuid: 'kept-1' } },
      { preservedMessages: { uuids: ['kept-1', 'kept-2'] } },
    ]) {
      using memory = buildMemory()
      const story = new TranscriptBuilder()
      turn(story, 1)
      story.user(long('kept question'), { uuid: 'kept-1' })
      story.answer('msg_kept', [text(long('kept answer'))], { uuid: 'kept-2' })
      compact(story, 'Summary.', kept)
      turn(story, 2)
      await importOne(memory.db, story.write())
      expect(windowOf(memory).map((item) => item.split(' with ')[0])).toEqual([
        'leaf(unknown): Summary.',
        'user: kept question',
        'assistant: kept answer',
        'user: question 2',
        'assistant: answer 2',
      ])
      expect(await findings(memory.path)).toEqual([])
    }
  })

  const partly = [
    [
      'up to a message that the person chose',
      'summary',
      ['Summary.', 'question 2', 'answer 2', 'question 3', 'answer 3', 'question 4', 'answer 4'],
    ],
    ['from there to the end', 'boundary', ['question 1', 'answer 1', 'Summary.', 'question 4', 'answer 4']],
  ] as const
  // The Agent SDK copies a boundary without its segment.
  it.each(partly.flatMap((one) => [[...one, false] as const, [...one, true] as const]))(
    'summarises a session %s, and no message counts as given up',
    async (_, anchorUuid, expected, isCopied) => {
      using memory = buildMemory()
      const story = new TranscriptBuilder()
      const first = story.user(long('question 1'))
      const logicalParentUuid = story.answer('msg_1', [text(long('answer 1'))])
      story.user(long('question 2'))
      story.answer('msg_2', [text(long('answer 2'))])
      turn(story, 3)
      const end = story.lines.slice(2).map((line): string => JSON.parse(line).uuid)
      const uuids = anchorUuid === 'summary' ? end : [first, logicalParentUuid]
      const segment = { headUuid: uuids[0], anchorUuid, tailUuid: uuids.at(-1) }
      const named = { uuid: 'boundary', parentUuid: null, logicalParentUuid }
      const preservedMessages = { anchorUuid, uuids }
      story.record({
        ...{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', ...named },
        compactMetadata: { trigger: 'manual', preservedMessages, ...(isCopied ? {} : { preservedSegment: segment }) },
      })
      story.user('Summary.', { isCompactSummary: true, uuid: 'summary' })
      turn(story, 4)
      await importOne(memory.db, story.write())
      expect(windowOf(memory).map((item) => item.split(' with ')[0]?.replace(/^[^:]*: /, ''))).toEqual(expected)
      expect(memory.db.value("SELECT count(*) FROM message_parts WHERE metadata LIKE '%abandoned%'")).toBe(0)
      expect(await findings(memory.path)).toEqual([])
    },
  )

  it('is imported once, and an import of the continued session adds only what is new', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    compact(story, 'First.')
    const path = story.write()
    await importOne(memory.db, path)
    const before = dump(memory)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, compactions: 1 })
    expect(dump(memory)).toEqual(before)
    const lines = story.lines.length
    turn(story, 2)
    compact(story, 'Second.')
    turn(story, 3)
    appendFileSync(path, `${story.lines.slice(lines).join('\n')}\n`)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 5, alreadyThere: 3, compactions: 2 })
    using fresh = buildMemory()
    await importOne(fresh.db, path)
    expect(windowOf(memory)).toEqual(windowOf(fresh))
    expect(nodes(memory)).toEqual(nodes(fresh))
    expect(await findings(memory.path)).toEqual([])
  })

  it('gives the same memory whether or not its summary was written before the first import', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    story.record({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'auto' },
    })
    const path = story.write()
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2, compactions: 0 })
    expect(nodes(memory)).toEqual([])
    story.user('The summary.', { isCompactSummary: true })
    turn(story, 2)
    appendFileSync(path, `${story.lines.slice(-3).join('\n')}\n`)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 3, compactions: 1 })
    expect(windowOf(memory)[0]).toBe('leaf(unknown): The summary.')
    expect(windowOf(memory)).toHaveLength(3)
    expect(await findings(memory.path)).toEqual([])
  })

  it('stays a message when the window is to hold the whole history', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    compact(story, 'Summary.')
    turn(story, 2)
    const result = await runImport(memory.db, [story.write()], { window: 'history' })
    expect(result.files).toMatchObject([{ added: 5, compactions: 0 }])
    expect(windowOf(memory)).toHaveLength(5)
    expect(nodes(memory)).toEqual([])
  })

  it('stays a message when what it replaced is not in the file', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    compact(story, 'Of an earlier file.')
    turn(story, 1)
    expect(await importOne(memory.db, story.write())).toMatchObject({ added: 3, compactions: 0 })
    expect(windowOf(memory)[0]).toBe('user: Of an earlier file.')
    expect(nodes(memory)).toEqual([])
  })

  it('replaces nothing when its branch was given up', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    const fork = story.lastUuid
    story.user(long('question on the branch'))
    compact(story, 'Of the branch.')
    story.user(long('another question'), { parentUuid: fork })
    story.answer('msg_live', [text(long('live answer'))])
    expect(await importOne(memory.db, story.write())).toMatchObject({ compactions: 0 })
    expect(nodes(memory)).toEqual([])
    expect(memory.db.value("SELECT count(*) FROM compaction_runs WHERE mode = 'prune'")).toBe(1)
  })

  it('makes one node when its file is imported twice under other names, and one node in each fork', async () => {
    using memory = buildMemory()
    const stories = [SESSION, '99999999-2222-4333-8444-555555555555'].map((session) => {
      const story = new TranscriptBuilder(session)
      turn(story, 1)
      compact(story, 'Alike.')
      return story
    })
    for (const story of stories) await importOne(memory.db, story.write())
    await importOne(memory.db, stories[0]?.write('copy.jsonl') ?? '')
    expect(memory.db.value('SELECT count(*) FROM summaries')).toBe(2)
    expect(await findings(memory.path)).toEqual([])
  })

  it('replaces summaries in the window that this app had made in the meantime', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    turn(story, 1)
    turn(story, 2)
    const path = story.write()
    await importOne(memory.db, path)
    const ids = memory.db.column<number>('SELECT message_id FROM messages WHERE seq IN (1, 2) ORDER BY seq')
    memory.leaf(memory.db.value<number>('SELECT conversation_id FROM conversations') ?? 0, ids, { content: 'Ours.' })
    compact(story, 'The agent’s.')
    turn(story, 3)
    appendFileSync(path, `${story.lines.slice(-4).join('\n')}\n`)
    await importOne(memory.db, path)
    expect(windowOf(memory)[0]).toBe('condensed(unknown): The agent’s.')
    expect(memory.db.column('SELECT level FROM summaries ORDER BY depth, summary_rowid')).toEqual([
      'normal',
      'deterministic',
      'deterministic',
      'unknown',
    ])
    expect(await findings(memory.path)).toEqual([])
  })
})

describe('an import of a compaction', () => {
  const pi = (id: string, parentId: string | null, fields: Record<string, unknown>) => ({
    id,
    parentId,
    timestamp: new Date(Date.UTC(2026, 2, 2, 9, 0, Number.parseInt(id, 36) % 60)).toISOString(),
    ...fields,
  })
  const piMessage = (id: string, parentId: string | null, role: string, words: string) =>
    pi(id, parentId, { type: 'message', message: { role, content: [{ type: 'text', text: long(words) }] } })
  const header = {
    type: 'session',
    version: 3,
    id: 'pi-session',
    timestamp: '2026-03-02T08:59:00.000Z',
    cwd: '/work/shop',
  }

  it('keeps in the window of Pi the messages from the entry that it names', async () => {
    using memory = buildMemory()
    const path = writeLines([
      header,
      piMessage('1', null, 'user', 'one'),
      piMessage('2', '1', 'assistant', 'two'),
      piMessage('3', '2', 'user', 'three'),
      pi('4', '3', { type: 'compaction', summary: 'One and two.', firstKeptEntryId: '3', tokensBefore: 900 }),
      piMessage('5', '4', 'assistant', 'five'),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'pi', added: 5, compactions: 1 })
    expect(windowOf(memory)).toEqual([
      'leaf(unknown): One and two.',
      `user: ${long('three')}`,
      `assistant: ${long('five')}`,
    ])
    expect(await findings(memory.path)).toEqual([])
  })

  it('makes a summary of Pi for the branch that the person left', async () => {
    for (const fromId of ['3', '1']) {
      using memory = buildMemory()
      const path = writeLines([
        header,
        piMessage('1', null, 'user', 'one'),
        piMessage('2', '1', 'assistant', 'left'),
        piMessage('3', '2', 'user', 'left too'),
        pi('4', '1', { type: 'branch_summary', fromId, summary: 'What was tried there.' }),
        piMessage('5', '4', 'user', 'another way'),
      ])
      expect(await importOne(memory.db, path)).toMatchObject({ added: 5, compactions: 1 })
      expect(windowOf(memory)).toEqual([
        `user: ${long('one')}`,
        'leaf(unknown): What was tried there.',
        `user: ${long('another way')}`,
      ])
      expect(await findings(memory.path)).toEqual([])
    }
  })

  it('finds the summary of opencode in the answer to a request, and what it keeps in the request', async () => {
    for (const tail of [undefined, 'msg_3']) {
      using memory = buildMemory()
      const message = (id: string, role: string, parts: unknown[], more = {}) => ({
        info: { id, sessionID: 'ses_1', role, time: { created: Date.UTC(2026, 2, 2) + Number(id.slice(4)) }, ...more },
        parts,
      })
      const say = (words: string) => [{ id: `prt_${words}`, type: 'text', text: long(words) }]
      const path = writeJson({
        info: { id: 'ses_1', directory: '/work/shop', title: 'Shop', time: { created: Date.UTC(2026, 2, 2) } },
        messages: [
          message('msg_1', 'user', say('one')),
          message('msg_2', 'assistant', say('two')),
          message('msg_3', 'user', say('three')),
          message('msg_4', 'user', [{ id: 'prt_c', type: 'compaction', auto: true, tail_start_id: tail }]),
          message('msg_5', 'assistant', [{ id: 'prt_s', type: 'text', text: '## Goal' }], {
            summary: true,
            modelID: 'm-1',
          }),
          message('msg_6', 'user', say('six')),
        ],
      })
      expect(await importOne(memory.db, path)).toMatchObject({ format: 'opencode', added: 6, compactions: 1 })
      expect(windowOf(memory)).toEqual([
        'leaf(unknown): ## Goal',
        ...(tail ? [`user: ${long('three')}`] : []),
        `user: ${long('six')}`,
      ])
      expect(memory.db.value('SELECT model FROM summaries')).toBe('m-1')
      expect(await findings(memory.path)).toEqual([])
    }
  })

  it('keeps what the new window of Codex repeats, and reports a summary that cannot be read', async () => {
    const item = (role: string, words: string) => ({
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
    })
    const line = (type: string, payload: unknown, second: number) => ({
      timestamp: new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString(),
      type,
      payload,
    })
    const asked = (words: string, second: number) => [
      line('response_item', item('user', words), second),
      line('event_msg', { type: 'user_message', message: words }, second),
    ]
    for (const [summary, node] of [
      [
        item('user', 'Another language model started to solve this problem: all is well.'),
        'leaf(unknown): Another language',
      ],
      [{ type: 'compaction', encrypted_content: 'REDACTED' }, 'leaf(deterministic): [The agent took'],
    ] as const) {
      using memory = buildMemory()
      const path = writeLines([
        line('session_meta', { id: 'codex-1', cwd: '/work/shop' }, 0),
        ...asked(long('first'), 1),
        line('response_item', item('assistant', long('answer one')), 2),
        ...asked(long('second'), 3),
        line('response_item', item('assistant', long('answer two')), 4),
        line(
          'compacted',
          { message: '', replacement_history: [item('user', long('first')), item('user', long('second')), summary] },
          5,
        ),
        line('event_msg', { type: 'context_compacted' }, 5),
        line('response_item', item('assistant', long('answer three')), 6),
      ])
      expect(await importOne(memory.db, path)).toMatchObject({ format: 'codex', added: 6, compactions: 1 })
      const window = windowOf(memory)
      expect(window.map((entry) => entry.slice(0, node.length)).includes(node)).toBe(true)
      expect(window.filter((entry) => !entry.startsWith('leaf'))).toEqual([
        `user: ${long('first')}`,
        `user: ${long('second')}`,
        `assistant: ${long('answer three')}`,
      ])
      expect(await findings(memory.path)).toEqual([])
    }
  })

  it('finds the summary of Gemini CLI in the snapshot with which a checkpoint replaced messages', async () => {
    using memory = buildMemory()
    const record = (id: string, type: string, words: string) => ({
      id,
      type,
      timestamp: '2026-03-02T09:00:00Z',
      content: words,
    })
    const kept = record('c', 'user', long('kept'))
    const snapshot = record('s', 'user', '<state_snapshot>a and b</state_snapshot>')
    const path = writeLines([
      { sessionId: 'gemini-1', projectHash: 'abc', startTime: '2026-03-02T09:00:00Z' },
      record('a', 'user', long('gone one')),
      record('b', 'gemini', long('gone two')),
      kept,
      { $set: { messages: [snapshot, record('t', 'gemini', 'Got it.'), kept] } },
      record('d', 'gemini', long('after')),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'gemini-cli', added: 6, compactions: 1 })
    expect(windowOf(memory)).toEqual([
      'leaf(unknown): <state_snapshot>a and b</state_snapshot>',
      `user: ${long('kept')}`,
      'assistant: Got it.',
      `assistant: ${long('after')}`,
    ])
    expect(told(memory)).toHaveLength(6)
    expect(await findings(memory.path)).toEqual([])
  })
})
