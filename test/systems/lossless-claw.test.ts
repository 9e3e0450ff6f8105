import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { knownPlaces } from '#core/systems/known-places.ts'
import { type OpenedMemory, openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'

const CLAW = join(FIXTURES, 'lossless-claw')
const cacheDir = join(temporaryFolder(), 'cache')
const BUDGET = 10_000

function withMemory<T>(path: string, body: (memory: OpenedMemory) => T): T {
  using memory = openMemory(path, { cacheDir })
  return body(memory)
}

const statsOf = (path: string) =>
  withMemory(path, (memory) =>
    new MemoryStats(
      memory.read,
      memory.info,
      { budgetTokens: BUDGET, freshTailCount: 8 },
      createTokenEstimator(),
    ).stats(),
  )

/** The file as its own system sees it, counted without our views. */
function own<T>(path: string, sql: string): T[] {
  const image = readFileSync(path)
  image[18] = 1
  image[19] = 1
  const db = new Database(image)
  try {
    return db.prepare(sql).all() as T[]
  } finally {
    db.close()
  }
}

it('looks for a file of lossless-claw in the folder of OpenClaw, and of its port for Hermes Agent', () => {
  const asked = { home: '/home/me', env: { HERMES_HOME: '/srv/hermes' }, cwd: '/' }
  expect(knownPlaces(asked)).toEqual(
    expect.arrayContaining([
      { path: '/home/me/.openclaw/lcm.db', label: 'OpenClaw' },
      { path: '/srv/hermes/lossless-hermes/lcm.db', label: 'lossless-hermes' },
    ]),
  )
})

describe('a file of lossless-claw', () => {
  const files = readdirSync(CLAW, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'))
  let before: Record<string, string> = {}
  beforeAll(() => {
    before = folderState(CLAW)
  })
  afterAll(() => {
    expect(folderState(CLAW)).toEqual(before)
  })

  describe('counts', () => {
    it.each(files)('agree in every count with the own tables of %s', (name) => {
      const path = join(CLAW, name)
      const [counts] = own<Record<string, number>>(
        path,
        `SELECT (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM messages) AS messages,
          (SELECT count(*) FROM message_parts) AS messageParts, (SELECT count(*) FROM summaries) AS summaries,
          (SELECT count(*) FROM context_items) AS contextItems, (SELECT count(*) FROM large_files) AS largeFiles`,
      )
      const stats = statsOf(path)
      expect(stats).toMatchObject(counts ?? {})
      const tokens = own<{ id: number; stored: number; window: number; uncounted: number }>(
        path,
        `SELECT c.conversation_id AS id,
          (SELECT total(token_count) FROM messages AS m WHERE m.conversation_id = c.conversation_id) AS stored,
          (SELECT total(coalesce((SELECT token_count FROM messages AS m WHERE m.message_id = i.message_id),
                                 (SELECT token_count FROM summaries AS s WHERE s.summary_id = i.summary_id)))
            FROM context_items AS i WHERE i.conversation_id = c.conversation_id) AS window,
          (SELECT count(*) FROM context_items AS i JOIN messages AS m ON m.message_id = i.message_id
            WHERE i.conversation_id = c.conversation_id AND m.token_count = 0 AND m.content <> '') AS uncounted
        FROM conversations AS c ORDER BY id`,
      )
      expect(
        stats.perConversation.map((row) => ({
          id: row.conversationId,
          stored: row.storedTokens,
          window: row.activeTokens,
        })),
      ).toEqual(
        // The window estimates what has text and no count.
        tokens.map(({ uncounted, ...sums }) => (uncounted > 0 ? { ...sums, window: expect.any(Number) } : sums)),
      )
    })
  })

  describe('the version of a file', () => {
    it.each([
      ['legacy/v0.1.2.db', '0.1.2+'],
      ['legacy/v0.5.0.db', '0.5.0+'],
      ['legacy/v0.8.1.db', '0.8.1+'],
      ['legacy/v0.10.0.db', '0.10.0+'],
      ['legacy/v0.13.0.db', '0.13.0+'],
      ['legacy/v0.15.3.db', '0.15.2+'],
      ['legacy/v1.0.0-beta.4.db', '1.0.0-beta+'],
      ['small.db', '0.15.2+'],
    ])('is for %s at least the one that its structure shows', (name, version) => {
      expect(withMemory(join(CLAW, name), ({ info }) => info.systemVersion)).toBe(version)
    })

    it('is called early for the oldest releases, which cannot be told apart', () => {
      expect(withMemory(join(CLAW, 'legacy/v0.1.2.db'), ({ info }) => info.systemLabel)).toBe('lossless-claw, early')
    })

    it('does not matter when a file has the tables of two lines', () => {
      const path = copyOf('lossless-claw/legacy/v0.5.0.db')
      const db = new Database(path)
      db.exec(`CREATE TABLE pending_summary_nodes (node_id); ALTER TABLE messages ADD COLUMN stable_event_key TEXT`)
      db.pragma('journal_mode = DELETE')
      db.close()
      expect(
        withMemory(path, ({ info, read }) => [info.systemVersion, read.value('SELECT count(*) FROM messages')]),
      ).toEqual(['1.0.0-beta+', 0])
    })
  })

  describe('the views', () => {
    it.each(files)('have every canonical name and column in %s', (name) => {
      withMemory(join(CLAW, name), ({ read }) => {
        for (const [view, columns] of Object.entries(CANONICAL)) {
          expect(read.column(`SELECT name FROM pragma_table_xinfo('${view}', 'temp')`)).toEqual(columns)
          expect(() => read.all(`SELECT * FROM ${view}`)).not.toThrow()
        }
      })
    })

    it.each([
      ['a message by its number', 'SELECT content FROM messages WHERE message_id = 5'],
      ['a message by its place', 'SELECT content FROM messages WHERE conversation_id = 1 AND seq = 5'],
      [
        'a page of a conversation',
        'SELECT content FROM messages WHERE conversation_id = 1 AND seq > 5 ORDER BY seq LIMIT 9',
      ],
      ['the parts of a message', 'SELECT * FROM message_parts WHERE message_id = 5 ORDER BY ordinal'],
      ['the text of a message', 'SELECT * FROM message_text WHERE message_id = 5'],
      ['a summary', 'SELECT content, level FROM summaries WHERE summary_id = :id'],
      ['the summaries of a conversation', 'SELECT summary_id FROM summaries WHERE conversation_id = 1'],
      ['the messages of a leaf', 'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal'],
      ['the leaves of a message', 'SELECT summary_id FROM summary_messages WHERE message_id = 5'],
      ['the sources of a summary', 'SELECT source_summary_id FROM summary_sources WHERE summary_id = :id'],
      ['the dependents of a summary', 'SELECT summary_id FROM summary_sources WHERE source_summary_id = :id'],
      ['an item of the window', 'SELECT * FROM context_items WHERE conversation_id = 1 AND ordinal = 2'],
      [
        'the window with what it holds',
        `SELECT c.ordinal, m.token_count, s.token_count FROM context_items AS c
         LEFT JOIN messages AS m ON m.message_id = c.message_id
         LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
         WHERE c.conversation_id = 1 ORDER BY c.ordinal`,
      ],
      ['a large file', 'SELECT * FROM large_files WHERE file_id = :id'],
    ])('find %s by an index', (_what, sql) => {
      // Statistics of so small a file rightly say that reading it whole is cheaper.
      withMemory(changed('rich.db', 'DROP TABLE IF EXISTS sqlite_stat1'), ({ read }) => {
        const plan = read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, { id: 'sum_x' }).map((row) => row.detail)
        expect(plan.filter((step) => /^SCAN|MATERIALIZE|CO-ROUTINE/.test(step))).toEqual([])
      })
    })

    it('have times in milliseconds UTC, from both ways of storing them', () => {
      const path = join(CLAW, 'small.db')
      const messages = own<{ at: string }>(path, 'SELECT created_at AS at FROM messages ORDER BY message_id')
      const summaries = own<{ at: string }>(path, 'SELECT earliest_at AS at FROM summaries ORDER BY rowid')
      withMemory(path, ({ read }) => {
        expect(read.column('SELECT created_at FROM messages ORDER BY message_id')).toEqual(
          messages.map(({ at }) => Date.parse(`${at.replace(' ', 'T')}Z`)),
        )
        expect(read.column('SELECT earliest_at FROM summaries ORDER BY summary_rowid')).toEqual(
          summaries.map(({ at }) => Date.parse(at)),
        )
      })
    })

    it('have an unreadable time as unknown, not as 1970', () => {
      const path = changed('small.db', `UPDATE messages SET created_at = 'yesterday' WHERE message_id = 1`)
      expect(
        withMemory(path, ({ read }) => read.value('SELECT created_at FROM messages WHERE message_id = 1')),
      ).toBeNull()
    })

    it('have the result of a tool as a tool part, with its text', () => {
      withMemory(join(CLAW, 'small.db'), ({ read }) => {
        const results = read.all<Record<string, unknown>>(
          `SELECT p.part_type AS type, p.tool_call_id AS call, p.tool_input AS input, p.text_content = m.content AS same
           FROM message_parts AS p JOIN messages AS m ON m.message_id = p.message_id WHERE m.role = 'tool'`,
        )
        expect(results).toHaveLength(22)
        for (const result of results) {
          expect(result).toEqual({ type: 'tool', call: expect.stringMatching(/^call_/), input: null, same: 1 })
        }
        expect(read.value(`SELECT count(*) FROM message_parts WHERE tool_input IS NOT NULL`)).toBe(22)
        expect(read.value(`SELECT count(*) FROM message_parts WHERE part_type = 'reasoning'`)).toBe(3)
      })
    })

    it('keep the original block of a part, also when its JSON is broken', () => {
      withMemory(join(CLAW, 'small.db'), ({ read }) => {
        const raw = read.value<string>(
          `SELECT json_extract(metadata, '$.raw.type') FROM message_parts WHERE part_type = 'reasoning'`,
        )
        expect(raw).toBe('thinking')
      })
      withMemory(join(CLAW, 'corrupt/part_metadata_bad_json.db'), ({ read }) => {
        expect(read.all('SELECT * FROM message_parts')).toHaveLength(87)
        expect(read.value('SELECT count(*) FROM message_parts WHERE NOT json_valid(metadata)')).toBe(12)
      })
    })

    it('read a tool call from its original block when an early release left the columns empty', () => {
      const sql = `SELECT message_id, ordinal, part_type, tool_call_id, tool_name, json(tool_input) FROM message_parts
        ORDER BY message_id, ordinal`
      const filled = withMemory(join(CLAW, 'small.db'), ({ read }) => read.all(sql))
      const early = changed(
        'small.db',
        `DROP TABLE lcm_migration_state;
         UPDATE message_parts SET tool_call_id = NULL, tool_name = NULL, tool_input = NULL`,
      )
      expect(withMemory(early, ({ read }) => read.all(sql))).toEqual(filled)
      const broken = changed(
        'small.db',
        `DROP TABLE lcm_migration_state; UPDATE message_parts SET tool_call_id = NULL, metadata = '{"raw":'`,
      )
      expect(withMemory(broken, ({ read }) => read.all('SELECT * FROM message_parts'))).toHaveLength(87)
    })

    it('count the tokens that a summary covers, also when the file does not', () => {
      const sql = 'SELECT summary_id, source_token_count FROM summaries ORDER BY summary_id'
      const stored = withMemory(join(CLAW, 'small.db'), ({ read }) => read.all(sql))
      const zeros = changed('small.db', 'UPDATE summaries SET source_message_token_count = 0')
      expect(withMemory(zeros, ({ read }) => read.all(sql))).toEqual(stored)
      const early = changed('small.db', 'ALTER TABLE summaries DROP COLUMN source_message_token_count')
      expect(withMemory(early, ({ read }) => read.all(sql))).toEqual(stored)
    })

    it('have the level deterministic only where this system puts its marker', () => {
      const levels = (sql: string) =>
        withMemory(changed('small.db', sql), ({ read }) =>
          read.all('SELECT level, count(*) AS n FROM summaries GROUP BY level'),
        )
      const set = (text: string) => `UPDATE summaries SET content = ${text} WHERE rowid = 1`
      expect(
        levels(set(`'About [Truncated from 9 tokens] and [LCM fallback summary], ' || hex(zeroblob(99))`)),
      ).toEqual([{ level: 'unknown', n: 20 }])
      for (const text of [
        `hex(zeroblob(99)) || '[Truncated from 900 tokens]'`,
        `'[LCM fallback summary; truncated for context management]' || hex(zeroblob(99))`,
        `hex(zeroblob(99)) || '[LCM fallback summary; truncated for context management]'`,
      ]) {
        expect(levels(set(text))).toContainEqual({ level: 'deterministic', n: 1 })
      }
    })

    it('have an archived sibling as archived', () => {
      const rows = statsOf(join(CLAW, 'rich.db')).perConversation
      expect(rows.map(({ title, archivedAtMs }) => ({ title, isArchived: archivedAtMs !== null }))).toEqual([
        { title: null, isArchived: false },
        { title: 'Archived sibling', isArchived: true },
      ])
    })

    it('leave focus briefs out of the summaries', () => {
      expect(own(join(CLAW, 'rich.db'), 'SELECT brief_id FROM focus_briefs')).toHaveLength(3)
      expect(statsOf(join(CLAW, 'rich.db')).summaries).toBe(20)
    })

    it('have a running maintenance as a lock that ends with its run', () => {
      const locks = (name: string) =>
        withMemory(join(CLAW, name), ({ read }) => read.all('SELECT * FROM conversation_locks'))
      expect(locks('rich.db')).toEqual([])
      expect(locks('corrupt/stale_maintenance_running.db')).toEqual([
        expect.objectContaining({ conversation_id: 1, owner: 'lossless-claw maintenance' }),
      ])
    })

    it('leave out a table that a file does not have', () => {
      const path = changed('small.db', 'DROP TABLE large_files; DROP TABLE message_parts')
      withMemory(path, ({ info, read }) => {
        expect(info.capabilities).toMatchObject({ files: false, parts: false })
        expect(read.all('SELECT * FROM large_files')).toEqual([])
        expect(read.value('SELECT count(*) FROM message_text')).toBe(68)
      })
    })
  })
})

/** A copy of a fixture after some SQL of its own system. */
function changed(fixture: string, sql: string): string {
  const path = copyOf(`lossless-claw/${fixture}`)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
  return path
}
