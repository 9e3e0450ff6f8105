import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { OpenClawSessions } from '#core/ingest/transcripts/formats/pi/origins.ts'
import { wrapConnection } from '#core/sqlite/read-db.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { START } from '#test/builders/opencode-db.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told } from '#test/builders/transcript-rows.ts'

type Event = Readonly<Record<string, unknown>> & { readonly id: string; readonly timestamp: string }

const at = (second: number): string => new Date(START + second * 1000).toISOString()
const header = (id: string, second: number): Event => ({ type: 'session', version: 4, id, timestamp: at(second) })
const event = (second: number, parentId: number | null, type: string, more: object = {}): Event => ({
  ...{ type, id: `e${second}`, parentId: parentId === null ? null : `e${parentId}`, timestamp: at(second) },
  ...more,
})
const said = (second: number, parentId: number | null, role: string, content: string): Event =>
  event(second, parentId, 'message', { message: { role, content } })
const turn = (second: number, parentId: number | null, word: string): Event[] => [
  said(second, parentId, 'user', word),
  said(second + 1, second, 'assistant', `answer ${word}`),
]

/** Writes sessions into a database, with the ids and times of their events beside them, as OpenClaw does. */
function database(...sessions: readonly (readonly Event[])[]): string {
  const path = join(temporaryFolder(), 'openclaw-agent.sqlite')
  const db = new DatabaseSync(path)
  db.exec(`
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
      event_zstd BLOB, PRIMARY KEY (session_id, seq));
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT);
    CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, event_id TEXT NOT NULL, seq INTEGER NOT NULL,
      created_at INTEGER NOT NULL, PRIMARY KEY (session_id, event_id));`)
  for (const events of sessions) {
    const sessionId = events[0]?.id ?? ''
    for (const [seq, one] of events.entries()) {
      db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, NULL)').run(sessionId, seq, JSON.stringify(one))
      const atMs = Date.parse(one.timestamp)
      db.prepare('INSERT INTO transcript_event_identities VALUES (?, ?, ?, ?)').run(sessionId, one.id, seq, atMs)
    }
  }
  db.close()
  return path
}

async function imported(...sessions: readonly (readonly Event[])[]): Promise<TestMemory> {
  const memory = buildMemory()
  const path = database(...sessions)
  expect(await importOne(memory.db, path)).toMatchObject({ format: 'openclaw', skippedCount: 0, conflicts: 0 })
  expect(await importOne(memory.db, path)).toMatchObject({ added: 0 })
  expect(await findings(memory.path)).toEqual([])
  return memory
}

const [one, two] = [turn(1, null, 'one'), turn(3, 2, 'two')]

it('OpenClaw sends the branch to which somebody went back, also before anything was said in it', async () => {
  const back = event(10, 4, 'leaf', { targetId: 'e2' })
  using memory = await imported([header('a', 0), ...one, ...two, back])
  expect(sentWindow(memory).texts).toEqual(['one', 'answer one'])
  using later = await imported([header('a', 0), ...one, ...two, back, ...turn(11, 2, 'three')])
  expect(sentWindow(later).texts).toEqual(['one', 'answer one', 'three', 'answer three'])
  expect(told(later)).toHaveLength(6)
})

it('OpenClaw sends nothing from before the session was begun anew', async () => {
  const reset = event(10, 4, 'reset', { reason: 'reset' })
  using memory = await imported([header('a', 0), ...one, ...two, reset])
  expect(sentWindow(memory).texts).toEqual([])
  using later = await imported([header('a', 0), ...one, ...two, reset, ...turn(11, 10, 'three')])
  expect(sentWindow(later).texts).toEqual(['three', 'answer three'])
  expect(told(later)).toHaveLength(6)
})

it('a session of OpenClaw that begins with copies is stored behind the session that has them, also a copy of a copy', async () => {
  const first = [header('b', 0), ...one, ...two]
  const second = [header('c', 10), ...one, ...two, event(11, 4, 'leaf', { targetId: 'e2' }), ...turn(12, 2, 'three')]
  const third = [header('a', 20), ...second.slice(1), ...turn(21, 13, 'four')]
  using memory = await imported(first, second, third)
  expect(told(memory)).toHaveLength(8)
  expect(sentWindow(memory, 'b').texts).toEqual(['one', 'answer one', 'two', 'answer two'])
  expect(sentWindow(memory, 'c').texts).toEqual(['one', 'answer one', 'three', 'answer three'])
  expect(sentWindow(memory, 'a').texts).toEqual(['one', 'three', 'four'].flatMap((word) => [word, `answer ${word}`]))
  const parents = `
    SELECT c.session_id || ' of ' || p.session_id FROM conversations AS c
    JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY 1`
  expect(memory.db.column(parents)).toEqual(['a of c', 'c of b'])
})

it('an import of one session of OpenClaw also reads the sessions of which it has copies', async () => {
  using memory = buildMemory()
  const copy = [header('a', 10), ...one, event(11, 2, 'leaf', { targetId: 'e2' }), ...turn(12, 2, 'three')]
  const path = database([header('b', 0), ...one, ...two], copy, [header('c', 5), ...turn(6, null, 'else')])
  await runImport(memory.db, [path], { sessions: ['a'] })
  expect(memory.db.column('SELECT session_id FROM conversations ORDER BY 1')).toEqual(['a', 'b'])
  expect(sentWindow(memory, 'a').texts).toEqual(['one', 'answer one', 'three', 'answer three'])
})

it('the model of OpenClaw is not sent what the program said in its place', async () => {
  const message = { role: 'assistant', content: 'A new session.', provider: 'openclaw', model: 'gateway-injected' }
  using memory = await imported([header('a', 0), ...one, event(3, 2, 'message', { message }), ...turn(4, 3, 'two')])
  expect(sentWindow(memory).texts).toEqual(['one', 'answer one', 'two', 'answer two'])
})

it('asks the database of OpenClaw no more for each session when every session copies the one before it', () => {
  const sessions: Event[][] = []
  for (let begun = 0; begun < 30 * 10; begun += 10)
    sessions.push([header(`s${begun}`, begun), ...(sessions.at(-1)?.slice(1) ?? []), ...turn(begun + 1, null, 'more')])
  const path = database(...sessions)
  using db = wrapConnection(new Database(path, { readonly: true }), path)
  const value = vi.spyOn(db, 'value')
  const stored = new OpenClawSessions(db)
  expect(stored.ids().map((id) => stored.originsOf(id).length)).toEqual(sessions.map((_, at) => at))
  expect(value.mock.calls.length).toBeLessThan(sessions.length * 10)
})
