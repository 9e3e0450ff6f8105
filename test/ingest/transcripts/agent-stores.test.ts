import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { ConversationsInput } from '#core/contract/memory.ts'
import { NOTHING_STORED } from '#core/ingest/transcripts/format.ts'
import { formatOf } from '#core/ingest/transcripts/formats.ts'
import { readHead } from '#core/ingest/transcripts/head.ts'
import { previewImport } from '#core/ingest/transcripts/preview-import.ts'
import { openLcm } from '#core/lcm.ts'
import { probePath } from '#core/machine/probe.ts'
import { type ReadDb, type SqlParams, wrapConnection } from '#core/sqlite/read-db.ts'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { openCodeDb, START } from '#test/builders/opencode-db.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, windowOf, writeJson, writeLines } from '#test/builders/transcript-rows.ts'

const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()
const first = (lines: readonly string[]): string[] => lines.map((line) => line.split(' in many words')[0] ?? '')

/** Writes the database of an agent of OpenClaw. Every second event is compressed. */
function openClawDb(events: readonly Record<string, unknown>[], sessionId = 'demo'): string {
  const path = join(temporaryFolder(), 'openclaw-agent.sqlite')
  const db = new DatabaseSync(path)
  db.exec(`
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
      event_zstd BLOB, PRIMARY KEY (session_id, seq));
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT);
    CREATE INDEX node_of ON session_nodes (current_session_id);
    BEGIN`)
  events.forEach((event, seq) => {
    const text = JSON.stringify(event)
    const isPacked = seq % 2 === 1
    db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, ?)').run(
      sessionId,
      seq,
      isPacked ? null : text,
      isPacked ? zstdCompressSync(text) : null,
    )
  })
  db.prepare('INSERT INTO session_nodes VALUES (?, ?, ?)').run(
    'agent:main:chat',
    sessionId,
    JSON.stringify({ label: 'The chat' }),
  )
  db.exec('COMMIT')
  db.close()
  return path
}

const at = (second: number): string => new Date(START + second * 1000).toISOString()
const chat = [
  { type: 'session', version: 4, id: 'demo', timestamp: at(0), cwd: '/home/me' },
  { type: 'message', id: 'a', parentId: null, timestamp: at(1), message: { role: 'user', content: long('question') } },
  { type: 'custom', customType: 'x', id: 'b', parentId: 'a', timestamp: at(2), data: {} },
  {
    type: 'message',
    id: 'c',
    parentId: 'b',
    timestamp: at(3),
    message: { role: 'assistant', content: long('answer') },
  },
]

/** Names and bytes of everything in the folder of a file. */
const folderOf = (path: string): [string, string][] =>
  readdirSync(join(path, '..'))
    .sort()
    .map((name) => [name, readFileSync(join(path, '..', name)).toString('base64')])

/** Writes values into a database that its own program would not write there. */
function spoil(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

describe('the database of opencode', () => {
  it('is read to its end whatever stands in the times of its messages', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['one', 'two', 'three', 'four'] }])
    spoil(path, "UPDATE message SET time_created = 'yesterday' WHERE id IN ('msg_ses_1_0', 'msg_ses_1_2')")
    expect(await importOne(memory.db, path)).toMatchObject({ added: 4, error: null })
    expect(told(memory, 'ses_1').toSorted()).toEqual(['assistant: four', 'assistant: two', 'user: one', 'user: three'])
  })

  it('is imported session by session without a trace, and adds only what is new later', async () => {
    using memory = buildMemory()
    const path = openCodeDb([
      { id: 'ses_1', said: ['one', 'two', 'three', 'four'] },
      { id: 'ses_2', said: ['other'] },
    ])
    const before = folderOf(path)
    const file = await importOne(memory.db, path)
    expect(file).toMatchObject({ format: 'opencode', added: 5, skippedCount: 0, error: null, conversationCount: 2 })
    expect(told(memory, 'ses_1')).toEqual(['user: one', 'assistant: two', 'user: three', 'assistant: four'])
    expect(memory.db.column('SELECT title FROM conversations ORDER BY session_id')).toEqual([
      'About ses_1',
      'About ses_2',
    ])
    expect(folderOf(path)).toEqual(before)
    expect(await findings(memory.path)).toEqual([])
    const folder = join(path, '..')
    openCodeDb([{ id: 'ses_2', said: ['other', 'and more'] }], folder)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 1, alreadyThere: 5 })
    expect((await compare(memory.path, path)).counts).toMatchObject({ missing: 0, differing: 0 })
  })

  it('is found in a folder beside the sessions that older versions wrote as files', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['one', 'two'] }])
    writeFileSync(join(path, '..', 'notes.db'), 'no database')
    const result = await runImport(memory.db, [join(path, '..')])
    expect(result).toMatchObject({ added: 2, passedOverCount: 0 })
  })

  it('is shown by a preview, and offered for import when it is opened as a memory', async () => {
    const path = openCodeDb([{ id: 'ses_1', said: ['one', 'two'] }])
    const preview = await previewImport({ paths: [path], db: null, clock: () => START })
    expect(preview.files).toMatchObject([{ format: 'opencode', messages: 2, conversations: 1, title: 'About ses_1' }])
    expect((await probePath(path, temporaryFolder())).kind).toBe('transcript')
  })

  it('keeps messages that were taken back, and leaves them out of the window', async () => {
    using memory = buildMemory()
    const said = ['start', 'answer', 'taken back', 'with its answer'].map(long)
    const path = openCodeDb([{ id: 'ses_1', said, revert: 'msg_ses_1_2' }])
    await importOne(memory.db, path)
    expect(first(told(memory))).toHaveLength(4)
    const window = first(windowOf(memory)).slice(0, 2)
    expect(window).toEqual(['user: start', 'assistant: answer'])
  })

  it('keeps messages that opencode removed since, and leaves them out of the window until they are there again', async () => {
    using memory = buildMemory()
    const said = ['start', 'answer', 'removed', 'with its answer', 'removed last'].map(long)
    const path = openCodeDb([{ id: 'ses_1', said }])
    await importOne(memory.db, path)
    const gone = "('msg_ses_1_2', 'msg_ses_1_3', 'msg_ses_1_4')"
    spoil(path, `DELETE FROM message WHERE id IN ${gone}; DELETE FROM part WHERE message_id IN ${gone}`)
    await importOne(memory.db, path)
    expect(first(told(memory)).map((text) => text.split(': ')[1])).toEqual(first(said))
    expect(first(sentWindow(memory).texts)).toEqual(['start', 'answer'])
    expect(await findings(memory.path)).toEqual([])
    openCodeDb([{ id: 'ses_1', said }], join(path, '..'))
    await importOne(memory.db, path)
    expect(first(sentWindow(memory).texts)).toEqual(first(said))
  })

  it('leaves a result that was removed with its part out of the window', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'more'] }])
    const state = { status: 'completed', input: {}, output: 'the output', time: { start: START + 1, end: START + 1 } }
    const part = JSON.stringify({ type: 'tool', callID: 'call_1', tool: 'bash', state })
    spoil(path, `INSERT INTO part VALUES ('prt_tool', 'msg_ses_1_1', 'ses_1', '${part}')`)
    await importOne(memory.db, path)
    expect(sentWindow(memory).texts).toContain('the output')
    spoil(path, "DELETE FROM part WHERE id = 'prt_tool'")
    await importOne(memory.db, path)
    expect(told(memory)).toContain('tool: the output')
    expect(sentWindow(memory).texts).not.toContain('the output')
  })

  describe('a part that opencode removed from a message that stays', () => {
    const tool = JSON.stringify({
      ...{ type: 'tool', callID: 'call_1', tool: 'bash' },
      state: {
        status: 'completed',
        input: { command: 'ls' },
        output: 'the output',
        time: { start: START, end: START },
      },
    })
    const question = ['prt_a', 'prt_b', 'prt_c'] as const
    const partOf = (text: string): string => JSON.stringify({ type: 'text', text })
    const insert = (id: string, message: string, data: string): string =>
      `INSERT INTO part VALUES ('${id}', '${message}', 'ses_1', '${data}');`

    /** A question of three texts, and an answer that calls a tool. */
    function sessionOfParts(completed = true): string {
      const path = openCodeDb([{ id: 'ses_1', said: ['first text', 'answer', 'more'] }])
      const done = JSON.stringify({ role: 'assistant', time: { created: START + 1, completed: START + 1 } })
      spoil(
        path,
        `DELETE FROM part WHERE message_id = 'msg_ses_1_0';
        ${question.map((id) => insert(id, 'msg_ses_1_0', partOf(`text ${id.slice(-1)}`))).join('\n')}
        ${insert('prt_tool', 'msg_ses_1_1', tool)}
        ${completed ? `UPDATE message SET data = '${done}' WHERE id = 'msg_ses_1_1';` : ''}`,
      )
      return path
    }

    it('leaves the window when it is a text, stays in the history, and is sent again when it is there again', async () => {
      using memory = buildMemory()
      const path = sessionOfParts()
      await importOne(memory.db, path)
      const before = sentWindow(memory).context.activeTokens
      spoil(path, "DELETE FROM part WHERE id = 'prt_b'")
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
      expect(told(memory)[0]).toBe('user: text a\n\ntext b\n\ntext c')
      expect(sentWindow(memory).texts[0]).toBe('text a\n\ntext c')
      expect(sentWindow(memory).context.activeTokens).toBeLessThan(before)
      spoil(path, "DELETE FROM part WHERE id = 'prt_a'")
      await importOne(memory.db, path)
      await importOne(memory.db, path)
      expect(sentWindow(memory).texts[0]).toBe('text c')
      expect(await findings(memory.path)).toEqual([])
      spoil(path, insert('prt_b', 'msg_ses_1_0', partOf('text b')))
      await importOne(memory.db, path)
      expect(sentWindow(memory).texts[0]).toBe('text b\n\ntext c')
      spoil(path, insert('prt_a', 'msg_ses_1_0', partOf('text a')))
      await importOne(memory.db, path)
      expect(sentWindow(memory).texts[0]).toBe('text a\n\ntext b\n\ntext c')
      expect(sentWindow(memory).context.activeTokens).toBe(before)
    })

    it('leaves the window together with its result when it is a call', async () => {
      using memory = buildMemory()
      const path = sessionOfParts()
      await importOne(memory.db, path)
      expect(sentWindow(memory).texts).toEqual([
        ...['text a\n\ntext b\n\ntext c', 'answer', 'call bash', 'the output', 'more'],
      ])
      spoil(path, "DELETE FROM part WHERE id = 'prt_tool'")
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
      expect(sentWindow(memory).texts).toEqual(['text a\n\ntext b\n\ntext c', 'answer', 'more'])
      expect(await findings(memory.path)).toEqual([])
    })

    it('stays in the window and is reported when another text of the message was changed, too', async () => {
      using memory = buildMemory()
      const path = sessionOfParts()
      await importOne(memory.db, path)
      spoil(
        path,
        `DELETE FROM part WHERE id = 'prt_b'; UPDATE part SET data = '${partOf('another')}' WHERE id = 'prt_c'`,
      )
      expect(await importOne(memory.db, path)).toMatchObject({ conflicts: 1 })
      expect(sentWindow(memory).texts[0]).toBe('text a\n\ntext b\n\ntext c')
    })

    it('is not missed in an answer that an older copy has unfinished', async () => {
      using memory = buildMemory()
      await importOne(memory.db, sessionOfParts())
      const older = sessionOfParts(false)
      spoil(older, "DELETE FROM part WHERE id = 'prt_ses_1_1'")
      await importOne(memory.db, older)
      expect(sentWindow(memory).texts).toContain('answer')
    })
  })

  it('takes nothing out of the window for an older copy, which has no message of later', async () => {
    using memory = buildMemory()
    await importOne(memory.db, openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'later', 'with its answer'] }]))
    const older = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
    spoil(older, `UPDATE session SET time_updated = ${START + 1}`)
    await importOne(memory.db, older)
    expect(sentWindow(memory).texts).toEqual(['start', 'answer', 'later', 'with its answer'])
  })

  describe('a fork in the database of opencode', () => {
    /** Forks a session as opencode does: copies of its first messages, then what is said in the fork. */
    function fork(path: string, [from, to]: readonly [string, string], copies: number, said: readonly string[]): void {
      const at = START + 1000 * Number(to.slice(-1))
      spoil(
        path,
        `INSERT INTO session SELECT '${to}', project_id, NULL, directory, 'About it (fork #1)', NULL, ${at}, ${at}
           FROM session WHERE id = '${from}';
        INSERT INTO message SELECT replace(id, '${from}', '${to}'), '${to}', time_created, data
           FROM message WHERE session_id = '${from}' ORDER BY time_created LIMIT ${copies};
        INSERT INTO part SELECT replace(id, '${from}', '${to}'), replace(message_id, '${from}', '${to}'), '${to}', data
           FROM part WHERE session_id = '${from}' AND replace(message_id, '${from}', '${to}') IN (SELECT id FROM message);`,
      )
      for (const [n, text] of said.entries()) {
        const data = JSON.stringify({ role: n % 2 === 0 ? 'user' : 'assistant', time: { created: at + n } })
        const part = JSON.stringify({ type: 'text', text })
        spoil(
          path,
          `INSERT INTO message VALUES ('own_${to}_${at + n}', '${to}', ${at + n}, '${data}');
          INSERT INTO part VALUES ('part_${to}_${at + n}', 'own_${to}_${at + n}', '${to}', '${part}')`,
        )
      }
    }

    const tool = JSON.stringify({
      type: 'tool',
      callID: 'call_1',
      tool: 'bash',
      state: { status: 'completed', input: {}, output: 'the output', time: { start: START + 1, end: START + 1 } },
    })

    it('stores what both have once, and begins the window of the fork with it', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'later', 'with its answer'] }])
      spoil(path, `INSERT INTO part VALUES ('prt_ses_1_tool', 'msg_ses_1_1', 'ses_1', '${tool}')`)
      fork(path, ['ses_1', 'ses_2'], 2, ['another way', 'goes on'])
      fork(path, ['ses_2', 'ses_3'], 3, ['a third way'])
      expect(await importOne(memory.db, path)).toMatchObject({ added: 8, skippedCount: 0, conflicts: 0 })
      expect(told(memory, 'ses_2')).toEqual(['user: another way', 'assistant: goes on'])
      expect(told(memory, 'ses_3')).toEqual(['user: a third way'])
      const beginning = ['start', 'answer', 'call bash', 'the output']
      expect(sentWindow(memory, 'ses_1').texts).toEqual([...beginning, 'later', 'with its answer'])
      expect(sentWindow(memory, 'ses_2').texts).toEqual([...beginning, 'another way', 'goes on'])
      expect(sentWindow(memory, 'ses_3').texts).toEqual([...beginning, 'another way', 'a third way'])
      expect(await findings(memory.path)).toEqual([])
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
    })

    it('is still known by its copies when a person gives it another title', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, ['another way'])
      await importOne(memory.db, path)
      spoil(path, "UPDATE session SET title = 'My try' WHERE id = 'ses_2'")
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
      expect(sentWindow(memory, 'ses_2').texts).toEqual(['start', 'answer', 'another way'])
    })

    it('leaves out of the window what was said after a copy to which the person went back', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, ['taken back', 'with its answer'])
      spoil(path, `UPDATE session SET revert = '{"messageID":"msg_ses_2_1"}' WHERE id = 'ses_2'`)
      await importOne(memory.db, path)
      expect(told(memory, 'ses_2')).toHaveLength(2)
      expect(sentWindow(memory, 'ses_2').texts).not.toContain('taken back')
      expect(sentWindow(memory, 'ses_1').texts).toEqual(['start', 'answer'])
    })

    it('takes back copies in its own window alone, and its origin in that of the origin alone', async () => {
      using memory = buildMemory()
      const said = ['start', 'answer', 'more', 'its answer'].map(long)
      const path = openCodeDb([{ id: 'ses_1', said }])
      fork(path, ['ses_1', 'ses_2'], 4, [])
      fork(path, ['ses_2', 'ses_3'], 4, ['goes on'])
      spoil(path, `UPDATE session SET revert = '{"messageID":"msg_ses_2_2"}' WHERE id = 'ses_2'`)
      await importOne(memory.db, path)
      const sent = (session: string): string[] => first(sentWindow(memory, session).texts)
      expect([sent('ses_1'), sent('ses_2')]).toEqual([first(said), ['start', 'answer']])
      expect(sent('ses_3')).toEqual([...first(said), 'goes on'])
      spoil(
        path,
        `UPDATE session SET revert = NULL WHERE id = 'ses_2';
        UPDATE session SET revert = '{"messageID":"msg_ses_1_2"}' WHERE id = 'ses_1'`,
      )
      await importOne(memory.db, path)
      expect([sent('ses_1'), sent('ses_2')]).toEqual([['start', 'answer'], first(said)])
      expect(sent('ses_3')).toEqual([...first(said), 'goes on'])
      expect(await findings(memory.path)).toEqual([])
    })

    it('has no longer a copy that was removed from the fork alone', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'more'] }])
      fork(path, ['ses_1', 'ses_2'], 3, ['goes on'])
      await importOne(memory.db, path)
      spoil(path, "DELETE FROM message WHERE id = 'msg_ses_2_1'; DELETE FROM part WHERE message_id = 'msg_ses_2_1'")
      await importOne(memory.db, path)
      expect(sentWindow(memory, 'ses_1').texts).toEqual(['start', 'answer', 'more'])
      expect(sentWindow(memory, 'ses_2').texts).toEqual(['start', 'more', 'goes on'])
    })

    it('prunes a result in its own window alone, and its origin in that of the origin alone', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'more'] }])
      const output = long('the output')
      spoil(
        path,
        `INSERT INTO part VALUES ('prt_ses_1_t', 'msg_ses_1_1', 'ses_1', '${tool.replace('the output', output)}')`,
      )
      fork(path, ['ses_1', 'ses_2'], 3, ['another way'])
      fork(path, ['ses_1', 'ses_3'], 3, ['a third way'])
      const prune = (session: string): void =>
        spoil(
          path,
          `UPDATE part SET data = json_set(data, '$.state.time.compacted', ${START + 9000}) WHERE id = 'prt_${session}_t'`,
        )
      const isSent = (session: string): boolean => sentWindow(memory, session).texts.includes(output)
      const whole = ['ses_1', 'ses_2', 'ses_3']
      prune('ses_2')
      await importOne(memory.db, path)
      expect(whole.filter(isSent)).toEqual(['ses_1', 'ses_3'])
      prune('ses_1')
      await importOne(memory.db, path)
      expect(whole.filter(isSent)).toEqual(['ses_3'])
      const lcm = await openLcm(memory.path)
      const listed = lcm.stats.conversations().map(({ activeTokens }) => activeTokens)
      lcm.close()
      expect(listed.toSorted()).toEqual(whole.map((one) => sentWindow(memory, one).context.activeTokens).toSorted())
      expect(await findings(memory.path)).toEqual([])
    })

    it('stores a result once of whose message the origin lost another part', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      spoil(path, `INSERT INTO part VALUES ('prt_ses_1_tool', 'msg_ses_1_1', 'ses_1', '${tool}')`)
      fork(path, ['ses_1', 'ses_2'], 2, ['another way'])
      spoil(path, "DELETE FROM part WHERE id = 'prt_ses_1_1'")
      expect(await importOne(memory.db, path)).toMatchObject({ added: 4 })
      expect(told(memory, 'ses_2')).toEqual(['user: another way'])
    })

    it('has its window in the list of conversations also before something is said in it', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, [])
      await importOne(memory.db, path)
      const lcm = await openLcm(memory.path)
      const rows = lcm.stats.conversations()
      await lcm.stats.measure()
      const { conversations } = lcm.stats.page(ConversationsInput.parse({}))
      lcm.close()
      const { activeTokens } = sentWindow(memory, 'ses_2').context
      expect(activeTokens).toBeGreaterThan(0)
      for (const list of [rows, conversations])
        expect(list.find(({ sessionId }) => sessionId === 'ses_2')).toMatchObject({ activeTokens, contextItems: 2 })
    })

    it('is read with what it was forked from when only it is asked for, and an import of all adds the rest', async () => {
      using memory = buildMemory()
      const path = openCodeDb([
        { id: 'ses_1', said: ['start', 'answer', 'later'] },
        { id: 'ses_9', said: ['something else', 'noted'] },
      ])
      fork(path, ['ses_1', 'ses_2'], 2, ['another way', 'goes on'])
      fork(path, ['ses_2', 'ses_3'], 3, ['a third way'])
      expect(await runImport(memory.db, [path], { sessions: ['ses_3'] })).toMatchObject({ added: 6 })
      expect(told(memory, 'ses_3')).toEqual(['user: a third way'])
      expect(sentWindow(memory, 'ses_3').texts).toEqual(['start', 'answer', 'another way', 'a third way'])
      expect(await runImport(memory.db, [path], { sessions: ['ses_3'] })).toMatchObject({ added: 0 })
      expect(await importOne(memory.db, path)).toMatchObject({ added: 2, conflicts: 0 })
    })

    it('counts its copies once in its family when an export of it alone was imported before', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, ['another way'])
      const said = (id: string, text: string, created: number) => ({
        info: { id, sessionID: 'ses_2', role: id.endsWith('_1') ? 'assistant' : 'user', time: { created } },
        parts: [{ id: `prt_${id}`, sessionID: 'ses_2', messageID: id, type: 'text', text }],
      })
      const time = { created: START + 2000, updated: START + 2000 }
      const exported = writeJson({
        info: { id: 'ses_2', title: 'About it (fork #1)', directory: '/home/me/shop', time },
        messages: [said('msg_ses_2_0', 'start', START), said('msg_ses_2_1', 'answer', START + 1)],
      })
      await importOne(memory.db, exported)
      await importOne(memory.db, path)
      using lcm = await openLcm(memory.path)
      const family = await lcm.families.of(1)
      expect(family).toMatchObject({ messages: 3, members: [{ relation: null }, { relation: 'fork' }] })
      expect(family.members.map(({ messages, copies }) => [messages, copies])).toEqual([
        [2, 0],
        [1, 2],
      ])
    })

    it('adds nothing twice when the session is deleted from which it was forked', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, ['another way'])
      await importOne(memory.db, path)
      for (const table of ['message', 'part']) spoil(path, `DELETE FROM ${table} WHERE session_id = 'ses_1'`)
      spoil(path, "DELETE FROM session WHERE id = 'ses_1'")
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
      expect(sentWindow(memory, 'ses_2').texts).toEqual(['start', 'answer', 'another way'])
    })

    it('is whole by itself when its origin is not there at the first import', async () => {
      using memory = buildMemory()
      const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
      fork(path, ['ses_1', 'ses_2'], 2, ['another way'])
      for (const table of ['message', 'part']) spoil(path, `DELETE FROM ${table} WHERE session_id = 'ses_1'`)
      await importOne(memory.db, path)
      expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
      expect(told(memory, 'ses_2')).toEqual(['user: start', 'assistant: answer', 'user: another way'])
    })
  })

  it('keeps a message in the window whose row cannot be read any more', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
    await importOne(memory.db, path)
    spoil(path, "UPDATE message SET data = 'x' WHERE id = 'msg_ses_1_0'")
    await importOne(memory.db, path)
    expect(sentWindow(memory).texts).toEqual(['start', 'answer'])
  })

  it('keeps a message with a role that opencode has not yet in the window when its session goes on', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['start', 'answer'] }])
    const said = 'What a developer message would say.'
    const info = JSON.stringify({ role: 'developer', time: { created: START + 1 } })
    const part = JSON.stringify({ type: 'text', text: said })
    spoil(
      path,
      `INSERT INTO message VALUES ('msg_developer', 'ses_1', ${START + 1}, '${info}');
      INSERT INTO part VALUES ('prt_developer', 'msg_developer', 'ses_1', '${part}')`,
    )
    await importOne(memory.db, path)
    const isSent = () => sentWindow(memory).texts.some((text) => text.includes(said))
    expect(isSent()).toBe(true)
    openCodeDb([{ id: 'ses_1', said: ['start', 'answer', 'more'] }], join(path, '..'))
    await importOne(memory.db, path)
    expect(isSent()).toBe(true)
  })

  it('reports rows that are not JSON, and reads the others', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: ['one', 'two'] }])
    const db = new DatabaseSync(path)
    db.exec(`UPDATE part SET data = '{"type":' WHERE id = 'prt_ses_1_1'; UPDATE message SET data = 'x' WHERE rowid = 1`)
    db.close()
    const file = await importOne(memory.db, path)
    expect(file.skipped.map(({ reason }) => reason)).toEqual([
      'the row of message msg_ses_1_0 is not JSON',
      'the row of part prt_ses_1_1 is not JSON',
    ])
  })
})

it('what Kilo says that it is doing until an answer begins is no part of the answer', async () => {
  using memory = buildMemory()
  const path = openCodeDb([{ id: 'ses_1', said: ['question', '⠋ Initializing snapshot…'] }])
  const transient = '{"type":"text","text":"⠋ Initializing snapshot…","metadata":{"kilocode.lifecycle":"transient"}}'
  spoil(path, `UPDATE part SET data = '${transient}' WHERE id = 'prt_ses_1_1'`)
  expect(await importOne(memory.db, path)).toMatchObject({ skippedCount: 0 })
  spoil(path, `UPDATE part SET id = 'prt_2', data = '{"type":"text","text":"the answer"}' WHERE id = 'prt_ses_1_1'`)
  await importOne(memory.db, path)
  expect(sentWindow(memory).texts).toEqual(['question', 'the answer'])
  expect(told(memory).filter((text) => text.includes('Initializing'))).toEqual([])
})

describe('recorded events of opencode', () => {
  it('keep messages and texts that were removed later in the history, and out of the window', async () => {
    using memory = buildMemory()
    let second = 0
    const event = (type: string, properties: Record<string, unknown>) => {
      second += 1
      return { timestamp: START + second, event: { type, properties } }
    }
    const message = (id: string, role: string) =>
      event('message.updated', { info: { id, sessionID: 'ses_1', role, time: { created: START + second } } })
    const text = (messageID: string, id: string, said: string) =>
      event('message.part.updated', { part: { id, messageID, sessionID: 'ses_1', type: 'text', text: said } })
    const removed = { sessionID: 'ses_1', messageID: 'msg_2' }
    const state = { status: 'completed', input: {}, output: 'an output too much' }
    const call = { id: 'prt_5', messageID: 'msg_3', sessionID: 'ses_1', type: 'tool', callID: 'c', tool: 'bash', state }
    const path = writeLines([
      ...[message('msg_1', 'user'), text('msg_1', 'prt_1', 'start'), text('msg_1', 'prt_2', 'a text too much')],
      ...[message('msg_2', 'assistant'), text('msg_2', 'prt_3', 'an answer too much')],
      event('message.part.removed', { sessionID: 'ses_1', messageID: 'msg_1', partID: 'prt_2' }),
      event('message.removed', removed),
      ...[message('msg_3', 'assistant'), text('msg_3', 'prt_4', 'the answer')],
      event('message.part.updated', { part: call }),
      event('message.part.removed', { sessionID: 'ses_1', messageID: 'msg_3', partID: 'prt_5' }),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'opencode', added: 4, skippedCount: 0 })
    expect(told(memory)).toEqual([
      ...['user: start', 'assistant: an answer too much', 'assistant: the answer', 'tool: an output too much'],
    ])
    expect(memory.db.column('SELECT text_content FROM message_parts WHERE is_ignored = 1')).toEqual([
      ...['a text too much', null],
    ])
    expect(sentWindow(memory).texts).toEqual(['start', 'the answer'])
  })
})

describe('the database of OpenClaw', () => {
  it('is imported like the lines of its older transcripts, with compressed events', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    const before = folderOf(path)
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'openclaw', added: 2, skippedCount: 0 })
    expect(first(windowOf(memory))).toEqual(['user: question', 'assistant: answer'])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('The chat')
    expect(folderOf(path)).toEqual(before)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 2 })
    expect(await findings(memory.path)).toEqual([])
  })

  it('is read without its other sessions when only one is asked for', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    spoil(path, "INSERT INTO transcript_events SELECT 'other', seq, event_json, event_zstd FROM transcript_events")
    expect(await runImport(memory.db, [path], { sessions: ['demo'] })).toMatchObject({ added: 2, alreadyThere: 0 })
    expect(memory.db.column('SELECT session_id FROM conversations')).toEqual(['demo'])
  })

  it('gives no error for a session that is asked for before anything was said in it', async () => {
    using memory = buildMemory()
    const { files, added } = await runImport(memory.db, [openClawDb(chat)], { sessions: ['begun'] })
    expect([added, files.map(({ error }) => error)]).toEqual([0, [null]])
    expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(0)
  })

  it('is refused by name where the numbers of its events are none, and never read forever', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    spoil(path, "UPDATE transcript_events SET seq = 'last' WHERE seq = 3")
    await expect(importOne(memory.db, path)).rejects.toThrow('the numbers of the events of session demo do not ascend')
  })

  it('is refused by name where the id of a session is no UTF-8, and never read forever', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    spoil(path, "UPDATE transcript_events SET session_id = CAST(x'ff' AS TEXT)")
    await expect(importOne(memory.db, path)).rejects.toThrow('the ids of sessions do not ascend')
  })

  it('reports an event that cannot be read, and reads the others', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    const db = new DatabaseSync(path)
    db.exec(`UPDATE transcript_events SET event_zstd = x'00' WHERE seq = 1`)
    db.close()
    expect(await importOne(memory.db, path)).toMatchObject({
      added: 1,
      skipped: [{ reason: 'event 1 of session demo cannot be read' }],
    })
  })

  it('reports an event of some bytes that stands for more than a line may have, and does not unpack it', async () => {
    using memory = buildMemory()
    const path = openClawDb(chat)
    const db = new DatabaseSync(path)
    const packed = zstdCompressSync(`{"type": "message", "text": "${' '.repeat(65 * 2 ** 20)}"}`)
    db.prepare('UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE seq = 1').run(packed)
    db.close()
    expect(await importOne(memory.db, path)).toMatchObject({
      added: 1,
      skipped: [{ reason: 'event 1 of session demo cannot be read' }],
    })
  })
})

it('a memory is refused as a transcript, also one of another program, with what to do', async () => {
  using memory = buildMemory()
  const path = join(temporaryFolder(), 'other.db')
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE things (id INTEGER)')
  db.close()
  for (const refused of [buildMemory().path, path]) {
    await expect(runImport(memory.db, [refused])).rejects.toMatchObject({
      code: 'transcript_unreadable',
      message: expect.stringMatching(/an SQLite database without sessions .* open it/),
    })
  }
})

describe('a large database', () => {
  const COUNT = 2000
  const events = Array.from({ length: COUNT }, (_, at) => {
    const message = { role: at % 2 === 0 ? 'user' : 'assistant', content: `turn ${at}` }
    return { type: 'message', id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: START + at, message }
  })
  const said = Array.from({ length: COUNT }, (_, at) => `turn ${at}`)

  /** Both sessions have messages of the same times, and the first is younger than its own. */
  function forkOfMany(): string {
    const path = openCodeDb(['ses_1', 'ses_2'].map((id) => ({ id, said })))
    spoil(
      path,
      `UPDATE session SET time_created = ${START + COUNT} WHERE id = 'ses_1'; DELETE FROM message WHERE rowid = 1`,
    )
    return path
  }

  it.each([
    ['opencode', () => openCodeDb([{ id: 'ses_1', said }])],
    ['opencode', forkOfMany],
    ['openclaw', () => openClawDb(events)],
  ] as const)('is read by keys and no further than a preview needs: %s %#', async (id, write) => {
    const path = write()
    const db = wrapConnection(new Database(path, { readonly: true }), path)
    let rows = 0
    const asked = new Map<string, SqlParams>()
    const counting: ReadDb = {
      ...db,
      all: (sql, params = {}) => {
        asked.set(sql, params)
        const found = db.all(sql, params)
        rows += found.length
        return found as never
      },
      get: (sql, params = {}) => {
        asked.set(sql, params)
        return db.get(sql, params) as never
      },
      value: (sql, params = {}) => {
        asked.set(sql, params)
        return db.value(sql, params) as never
      },
    }
    const { store } = formatOf(id)
    if (!store) throw new Error(`${id} has no store`)
    const source = { path, bytes: 1_000_000, head: readHead(path), nowMs: START, ...NOTHING_STORED }
    const kinds = new Map<string, number>()
    // A preview of a twentieth of the file.
    for await (const { records } of store.read(counting, { ...source, limitBytes: 50_000 }))
      for (const { kind } of records) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    expect(kinds.get('session')).toBe(1)
    expect(rows).toBeLessThan(COUNT / 2)
    const plans = [...asked].flatMap(([sql, params]) => db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params))
    // The pairs of copies and originals are made of the rows of one batch.
    const scanned = plans.filter(({ detail }) =>
      /^SCAN (?!json_each|pragma_table_info|CONSTANT|copy|original|\(subquery)/.test(detail),
    )
    expect(scanned).toEqual([])
    db.close()
  })
})
