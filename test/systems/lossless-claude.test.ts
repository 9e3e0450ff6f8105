import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { knownPlaces } from '#core/systems/known-places.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'
import { stored } from './foreign-files.ts'

const SMALL = 'lossless-claude/small.sqlite'
const cacheDir = join(temporaryFolder(), 'cache')

async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  using lcm = await openLcm(path, { cacheDir })
  return await body(lcm)
}

function changed(sql: string): string {
  const path = copyOf(SMALL)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
  return path
}

type Recorded = { id: number; pass: string; summaryId: string; tokensAfter: number }
const small = join(FIXTURES, SMALL)
const recorded = stored<Recorded>(
  small,
  `SELECT message_id AS id, metadata ->> 'pass' AS pass, metadata ->> 'createdSummaryId' AS summaryId,
     metadata ->> 'tokensAfter' AS tokensAfter
   FROM message_parts WHERE part_type = 'compaction' ORDER BY message_id`,
)

describe('a file of lossless-claude', () => {
  it('has compactions as events, and not as messages that nothing covers', () =>
    withLcm(small, ({ strata, transcript, read }) => {
      const events = recorded.map(({ id }) => id)
      expect(events).not.toEqual([])
      expect(read.column('SELECT message_id FROM event_messages ORDER BY 1')).toEqual(events)
      expect(strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
      const { messages } = transcript.page({ conversationId: 1, offset: 0, limit: 200, contentChars: 20 })
      expect(messages.flatMap((message) => (message.isEvent ? [message.id] : []))).toEqual(
        events.map((id) => `msg_${id}`),
      )
    }))

  it('has a history of its compactions, exact to the token', () =>
    withLcm(small, ({ timeTravel }) => {
      const timeline = timeTravel.timeline(1)
      expect(timeline.isExact).toBe(true)
      expect(timeline.events.map(({ summaryId, pass }) => [summaryId, pass])).toEqual(
        recorded.map(({ summaryId, pass }) => [summaryId, pass]),
      )
      const windows = timeline.events.map(({ eventId }) =>
        timeTravel.contextAt({ conversationId: 1, budgetTokens: 1_000_000, moment: { eventId } }),
      )
      expect(windows.map(({ reconstructed, activeTokens }) => [reconstructed, activeTokens])).toEqual(
        recorded.map(({ tokensAfter }) => [false, tokensAfter]),
      )
    }))

  it('limits an event with a broken or empty record to itself', async () => {
    const [one, two, three, four] = recorded.map(({ id }) => id)
    const broken = changed(
      `UPDATE message_parts SET metadata = '{"pass":' WHERE message_id = ${one};
       UPDATE message_parts SET metadata = '[1]' WHERE message_id = ${two};
       UPDATE message_parts SET metadata = NULL WHERE message_id = ${three};
       UPDATE message_parts SET metadata = '{"createdSummaryIds":"sum_x","createdSummaryId":"sum_gone"}' WHERE message_id = ${four}`,
    )
    await withLcm(broken, ({ timeTravel, read, strata }) => {
      const timeline = timeTravel.timeline(1)
      expect(timeline.isExact).toBe(false)
      expect(timeline.events).toHaveLength(recorded.length - 3)
      expect(timeline.events[0]).toMatchObject({ summaryId: 'sum_gone', tokens: 0 })
      expect(read.value('SELECT count(*) FROM event_messages')).toBe(recorded.length)
      expect(strata.get({ conversationId: 1, axis: 'messages' }).marks).toEqual([])
    })
  })

  it('is copied with conversations of one session as separate conversations', async () => {
    const [own] = stored<{ session: string; title: string | null }>(
      small,
      'SELECT session_id AS session, title FROM conversations',
    )
    const twice = changed(
      `INSERT INTO conversations (session_id, title) VALUES ('${own?.session}', 'again');
       INSERT INTO messages (conversation_id, seq, role, content, token_count) VALUES (2, 0, 'user', 'hello', 2)`,
    )
    const to = join(temporaryFolder(), 'copy.db')
    const from = openMemory(twice, { cacheDir })
    await runToEnd(copyMemory({ from, to }, new AbortController().signal))
    from.close()
    await withLcm(to, ({ stats }) =>
      expect(stats.conversations().map(({ sessionId, title }) => [sessionId, title])).toEqual([
        [own?.session, own?.title],
        [own?.session, 'again'],
      ]),
    )
  })

  it('recomputes time ranges that were stored shifted, and keeps what the file says', async () => {
    const shifted = changed(
      `UPDATE summaries SET earliest_at = strftime('%Y-%m-%dT%H:%M:%fZ', earliest_at, '+5 hours'),
        latest_at = strftime('%Y-%m-%dT%H:%M:%fZ', latest_at, '+5 hours')`,
    )
    const ranges = (view: string) => (lcm: Lcm) =>
      lcm.read.all<{ from: number }>(`SELECT summary_id, earliest_at AS "from" FROM ${view} ORDER BY summary_id`)
    const sound = await withLcm(copyOf(SMALL), ranges('summaries'))
    expect(await withLcm(shifted, ranges('summaries'))).toEqual(sound)
    const stored = await withLcm(shifted, ranges('stored_ranges'))
    expect(stored.map(({ from }, index) => from - (sound[index]?.from ?? 0))).toEqual(sound.map(() => 5 * 3_600_000))
  })

  it('has a sub-agent below the session that started it, called by what it was asked for', async () => {
    const columns = ['parent_session_id', 'subagent_type', 'subagent_desc', 'opened_by_entry_id']
    const path = changed(
      `${columns.map((name) => `ALTER TABLE conversations ADD COLUMN ${name} TEXT DEFAULT NULL;`).join('')}
       CREATE INDEX conversations_session_idx ON conversations (session_id);
       UPDATE conversations SET session_id = 'one';
       INSERT INTO conversations (session_id, parent_session_id, subagent_type, subagent_desc) VALUES
         ('agent-a', 'one', 'Explore', 'Find the port'), ('agent-b', 'agent-a', NULL, NULL), ('agent-c', 'gone', NULL, NULL),
         ('agent-d', 'agent-d', NULL, NULL)`,
    )
    await withLcm(path, ({ read }) =>
      expect(
        read.all(
          'SELECT session_id AS id, parent_conversation_id AS parent, title FROM conversations WHERE conversation_id > 1',
        ),
      ).toEqual([
        { id: 'agent-a', parent: 1, title: 'Find the port' },
        { id: 'agent-b', parent: 2, title: null },
        { id: 'agent-c', parent: null, title: null },
        { id: 'agent-d', parent: null, title: null },
      ]),
    )
  })

  it('shows skills and commands by their names, and misses no result of them', async () => {
    const [message] = stored<{ id: number }>(small, `SELECT message_id AS id FROM messages WHERE role = 'user' LIMIT 1`)
    const parts = stored<{ sql: string }>(small, `SELECT sql FROM sqlite_schema WHERE name = 'message_parts'`)
    const path = changed(
      `DROP TABLE message_parts; ${parts[0]?.sql.replace("'retry'", "'retry', 'skill', 'command'")};
       INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_name, tool_input) VALUES
         ('a', ${message?.id}, 's', 'skill', 0, 'docs:write', NULL), ('b', ${message?.id}, 's', 'command', 1, '/model', 'opus')`,
    )
    await withLcm(path, ({ transcript }) => {
      expect(transcript.message(`msg_${message?.id}`).parts).toMatchObject([
        { type: 'tool', toolName: 'docs:write', toolInput: null },
        { type: 'tool', toolName: '/model', toolInput: 'opus' },
      ])
    })
  })

  it('is looked for in the folder that LCM_HOME names', () => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'moved', 'projects', 'abc'), { recursive: true })
    const path = join(home, 'moved', 'projects', 'abc', 'db.sqlite')
    expect(knownPlaces({ home, env: { LCM_HOME: join(home, 'moved') }, cwd: '/' })).toContainEqual({
      path,
      label: 'abc',
    })
    expect(knownPlaces({ home, env: {}, cwd: '/' })).not.toContainEqual(expect.objectContaining({ path }))
  })

  it('names the project whose hash its folder has', async () => {
    const copy = copyOf(SMALL, 'db.sqlite')
    const meta = join(dirname(copy), 'meta.json')
    const project = async () => [(await identifyMemory(copy, { cacheDir })).project, opened(copy)]
    const opened = (file: string) => {
      const memory = openMemory(file, { cacheDir })
      memory.close()
      return memory.info.project
    }
    expect(await project()).toEqual([null, null])
    for (const text of ['{"cwd":', '[]', '{"cwd":7}', '""']) {
      writeFileSync(meta, text)
      expect(await project()).toEqual([null, null])
    }
    writeFileSync(meta, '{"cwd":"/home/me/shop","lastIngest":1}')
    expect(await project()).toEqual(['/home/me/shop', '/home/me/shop'])
  })
})
