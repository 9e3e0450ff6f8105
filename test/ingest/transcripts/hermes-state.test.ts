import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { probePath } from '#core/machine/probe.ts'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, windowOf } from '#test/builders/transcript-rows.ts'

const START = Date.UTC(2026, 2, 2, 9) / 1000
const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()
const first = (lines: readonly string[]): string[] => lines.map((line) => line.split(' in many words')[0] ?? '')
const SUMMARY = `[CONTEXT COMPACTION — REFERENCE ONLY] ${long('what was said before')}`

type Row = Readonly<Record<string, string | number | null>>

/** Writes the database of Hermes Agent with the columns of its version 30 that hold what was said. */
class StateDb {
  readonly path = join(temporaryFolder(), 'state.db')
  readonly #db = new DatabaseSync(this.path)

  constructor() {
    this.#db.exec(`
      CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT,
        system_prompt TEXT, system_prompt_hash TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,
        end_reason TEXT, cwd TEXT, title TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
        content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT,
        reasoning TEXT, reasoning_content TEXT, observed INTEGER DEFAULT 0,
        _compressed_summary INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
        compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT, display_identity BLOB);
      CREATE INDEX idx_messages_session_id ON messages (session_id, id);
      INSERT INTO system_prompts VALUES ('h', 'You are Hermes.')`)
  }

  session(id: string, more: Row = {}): this {
    return this.#insert('sessions', { id, source: 'cli', model: 'm-1', started_at: START, ...more })
  }

  say(session_id: string, role: string, content: string | null, second: number, more: Row = {}): this {
    return this.#insert('messages', { session_id, role, content, timestamp: START + second, ...more })
  }

  run(sql: string): this {
    this.#db.exec(sql)
    return this
  }

  close(): string {
    this.#db.close()
    return this.path
  }

  #insert(table: string, row: Row): this {
    const names = Object.keys(row)
    const values = names.map(() => '?').join(', ')
    this.#db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`).run(...Object.values(row))
    return this
  }
}

const call = JSON.stringify([
  { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
])

describe('the database of Hermes Agent', () => {
  it('is imported with thoughts, calls, results, pictures and the system prompt, without a trace', async () => {
    using memory = buildMemory()
    const picture = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    const path = new StateDb()
      .session('s1', { title: 'A look around', cwd: '/home/me/shop', system_prompt_hash: 'h' })
      .say('s1', 'user', 'Look around.', 1)
      .say('s1', 'assistant', 'I look.', 2, {
        tool_calls: call,
        reasoning: 'Where to look?',
        finish_reason: 'tool_calls',
      })
      .say('s1', 'tool', 'two files', 3, { tool_call_id: 'c1', tool_name: 'terminal' })
      .say('s1', 'user', `\0json:${JSON.stringify(picture)}`, 4)
      .say('s1', 'assistant', 'A dot.', 5)
      .close()
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'hermes', added: 6, skippedCount: 0, error: null })
    expect(told(memory)).toEqual([
      'system: You are Hermes.',
      'user: Look around.',
      'assistant: I look.',
      'tool: two files',
      'user: What is this?\n\n[image image/png 3 bytes]',
      'assistant: A dot.',
    ])
    expect(memory.db.get('SELECT title, session_id AS id FROM conversations')).toEqual({
      title: 'A look around',
      id: 's1',
    })
    expect(memory.db.value("SELECT text_content FROM message_parts WHERE part_type = 'reasoning'")).toBe(
      'Where to look?',
    )
    expect(await findings(memory.path)).toEqual([])
    expect(await compare(memory.path, path)).toMatchObject({ ok: true, isEverything: true })
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 6, conflicts: 0 })
    expect((await probePath(path, temporaryFolder())).kind).toBe('transcript')
  })

  it('knows a summary that stands behind what the next message had said, without a column for it', async () => {
    using memory = buildMemory()
    const said = ['one', 'two', 'three', 'four'].map(long)
    const state = new StateDb().session('s1', { end_reason: 'compression' })
    for (const [at, text] of said.entries()) state.say('s1', at % 2 === 0 ? 'user' : 'assistant', text, at)
    const carrier = [
      `[PRIOR CONTEXT — for reference only; not a new message]\n${said[3]}`,
      `[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n${SUMMARY}`,
    ].join('\n\n')
    state.session('s2', { parent_session_id: 's1', started_at: START + 10 }).say('s2', 'user', said[0] ?? '', 10)
    const path = state.say('s2', 'assistant', carrier, 11).say('s2', 'user', long('five'), 12).close()
    expect(await importOne(memory.db, path)).toMatchObject({ conversationCount: 1, compactions: 1, added: 6 })
    const window = windowOf(memory)
    expect(window).toHaveLength(3)
    expect(window[1]).toContain('[PRIOR CONTEXT')
  })

  it('joins sessions that a compaction linked into one conversation, whose window is that of the last', async () => {
    using memory = buildMemory()
    const said = ['one', 'two', 'three', 'four'].map(long)
    const state = new StateDb().session('s1', { end_reason: 'compression' })
    for (const [at, text] of said.entries()) state.say('s1', at % 2 === 0 ? 'user' : 'assistant', text, at)
    state.session('s2', { parent_session_id: 's1', started_at: START + 10, title: 'The whole' })
    state.say('s2', 'user', said[0] ?? '', 10).say('s2', 'assistant', SUMMARY, 11, { _compressed_summary: 1 })
    state.say('s2', 'assistant', said[3] ?? '', 12).say('s2', 'user', long('five'), 13)
    const path = state.close()
    expect(await importOne(memory.db, path)).toMatchObject({ conversationCount: 1, compactions: 1, added: 6 })
    expect(first(windowOf(memory))).toEqual([
      'user: one',
      `leaf(unknown): ${first([SUMMARY])[0]}`,
      'assistant: four',
      'user: five',
    ])
    expect(memory.db.value('SELECT title FROM conversations')).toBe('The whole')
    expect(await findings(memory.path)).toEqual([])
  })

  it('follows a compaction inside of a session, and what a person took back', async () => {
    using memory = buildMemory()
    const state = new StateDb().session('s1')
    for (const [at, text] of ['one', 'two', 'three', 'four'].entries()) {
      state.say('s1', at % 2 === 0 ? 'user' : 'assistant', long(text), at, { active: 0, compacted: 1 })
    }
    state.say('s1', 'user', SUMMARY, 9, { _compressed_summary: 1 }).say('s1', 'assistant', long('four'), 3)
    state.say('s1', 'user', long('taken back'), 11, { active: 0 }).say('s1', 'user', long('five'), 12)
    const path = state.close()
    expect(await importOne(memory.db, path)).toMatchObject({ compactions: 1, added: 7 })
    const [summary, ...rest] = first(sentWindow(memory, 's1').texts)
    expect(summary).toContain(first([SUMMARY])[0])
    expect(rest).toEqual(['four', 'five'])
  })

  it('keeps a result of which a compaction kept only a line, with that line in the window', async () => {
    using memory = buildMemory()
    const stub = `[terminal output demoted at compaction — 2,000 chars preserved in session history. Recover with it]`
    const state = new StateDb().session('s1', { end_reason: 'compression' })
    state.say('s1', 'user', long('one'), 1).say('s1', 'assistant', long('two'), 2)
    state.say('s1', 'assistant', 'I look.', 3, { tool_calls: call })
    state.say('s1', 'tool', long('files').repeat(9), 4, { tool_call_id: 'c1', tool_name: 'terminal' })
    state.say('s1', 'user', long('three'), 5)
    for (const [id, parent] of [
      ['s2', 's1'],
      ['s3', 's2'],
    ] as const) {
      const at = id === 's2' ? 10 : 20
      const end_reason = id === 's2' ? 'compression' : null
      state.session(id, { parent_session_id: parent, started_at: START + at, end_reason })
      state.say(id, 'user', `${SUMMARY} ${id}`, at, { _compressed_summary: 1 })
      state.say(id, 'assistant', 'I look.', at + 1, { tool_calls: call })
      state.say(id, 'tool', stub, at + 2, { tool_call_id: 'c1', tool_name: 'terminal' })
      state.say(id, 'user', long('three'), at + 3).say(id, 'assistant', `answer ${id}`, at + 4)
    }
    const path = state.close()
    expect(await importOne(memory.db, path)).toMatchObject({ compactions: 2, added: 9 })
    const [summary, ...rest] = first(sentWindow(memory, 's1').texts)
    expect(summary).toContain(first([SUMMARY])[0])
    const sent = ['I look.', 'call terminal', stub, 'three', 'answer s3']
    expect(rest).toEqual(sent)
    expect(await compare(memory.path, path)).toMatchObject({ ok: true })
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
    expect(first(sentWindow(memory, 's1').texts).slice(1)).toEqual(sent)
    expect(await findings(memory.path)).toEqual([])
  })

  it('keeps branches and sub-agents as conversations of their own below the one that they came from', async () => {
    using memory = buildMemory()
    const path = new StateDb()
      .session('s1', { end_reason: 'compression' })
      .say('s1', 'user', 'one', 1)
      .session('s2', { parent_session_id: 's1', started_at: START + 2 })
      .say('s2', 'user', SUMMARY, 2, { _compressed_summary: 1 })
      .session('d1', { parent_session_id: 's2', started_at: START + 3, model_config: '{"_delegate_from":"s2"}' })
      .say('d1', 'user', 'a task', 3)
      .close()
    await importOne(memory.db, path)
    expect(
      memory.db.all(
        `SELECT c.session_id AS id, p.session_id AS parent FROM conversations AS c
         LEFT JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY c.session_id`,
      ),
    ).toEqual([
      { id: 'd1', parent: 's1' },
      { id: 's1', parent: null },
    ])
  })

  it('is read from a version without newer columns, and reports rows of an unknown role', async () => {
    using memory = buildMemory()
    const state = new StateDb().session('s1').say('s1', 'user', 'one', 1).say('s1', 'session_meta', '{"x":1}', 2)
    for (const column of ['_compressed_summary', 'active', 'compacted', 'display_kind', 'observed'])
      state.run(`ALTER TABLE messages DROP COLUMN ${column}`)
    const path = state.run('DROP TABLE system_prompts').close()
    expect(await importOne(memory.db, path)).toMatchObject({
      added: 1,
      skipped: [{ line: 2, reason: 'unknown role of a message: session_meta' }],
    })
    expect((await runImport(memory.db, [join(path, '..')])).alreadyThere).toBe(1)
  })
})
