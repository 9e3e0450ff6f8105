import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf } from '../sqlite/fixtures.ts'
import { askEveryService, withLcm } from './every-service.ts'

const cacheDir = join(temporaryFolder(), 'cache')

/** The least that any release had. */
const BASE = `
  CREATE TABLE conversations (conversation_id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, created_at TEXT, updated_at TEXT);
  CREATE TABLE messages (message_id INTEGER PRIMARY KEY, conversation_id INTEGER, seq INTEGER, role TEXT, content TEXT,
    token_count INTEGER, created_at TEXT, UNIQUE (conversation_id, seq));
  CREATE TABLE summaries (summary_id TEXT PRIMARY KEY, conversation_id INTEGER, kind TEXT, content TEXT,
    token_count INTEGER, created_at TEXT);
  CREATE TABLE summary_messages (summary_id TEXT, message_id INTEGER, ordinal INTEGER, PRIMARY KEY (summary_id, message_id));
  CREATE TABLE summary_parents (summary_id TEXT, parent_summary_id TEXT, ordinal INTEGER,
    PRIMARY KEY (summary_id, parent_summary_id));
  CREATE TABLE context_items (conversation_id INTEGER, ordinal INTEGER, item_type TEXT, message_id INTEGER,
    summary_id TEXT, PRIMARY KEY (conversation_id, ordinal));
  INSERT INTO conversations VALUES (1, 's', '2026-01-01 00:00:00', '2026-01-01 00:10:00');
  INSERT INTO messages
    SELECT value, 1, value, iif(value % 2, 'user', 'assistant'), 'text ' || value, 10, '2026-01-01 00:0' || value || ':00'
    FROM generate_series(1, 6);
  INSERT INTO summaries VALUES ('sum_a', 1, 'leaf', 'a', 3, '2026-01-01T00:03:00Z'), ('sum_b', 1, 'leaf', 'b', 3, '2026-01-01T00:05:00Z'),
    ('sum_c', 1, 'condensed', 'c', 3, '2026-01-01T00:06:00Z'), ('sum_d', 1, 'condensed', 'd', 3, '2026-01-01T00:07:00Z');
  INSERT INTO summary_messages VALUES ('sum_a', 1, 0), ('sum_a', 2, 1), ('sum_b', 3, 0), ('sum_b', 4, 1);
  INSERT INTO summary_parents VALUES ('sum_c', 'sum_a', 0), ('sum_c', 'sum_b', 1), ('sum_d', 'sum_c', 0);
  INSERT INTO context_items VALUES (1, 0, 'summary', NULL, 'sum_d'), (1, 1, 'message', 5, NULL), (1, 2, 'message', 6, NULL);`

function baseFile(more = ''): string {
  const path = join(temporaryFolder(), 'lcm.db')
  const db = new Database(path)
  const series = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const rows = series(1, 6)
    .map((n) => `SELECT ${n} AS value`)
    .join(' UNION ALL ')
  db.exec(BASE.replace('generate_series(1, 6)', `(${rows})`) + more)
  db.close()
  return path
}

describe('a file of the first release', () => {
  it('is read completely, and what it does not store is computed', async () => {
    using lcm = await openLcm(baseFile(), { cacheDir })
    expect(lcm.info).toMatchObject({ systemLabel: 'lossless-claw, early', systemVersion: null })
    expect(lcm.info.lacks).toContain('No depth of summaries: it is worked out from their sources.')
    const at = (minute: number) => Date.UTC(2026, 0, 1, 0, minute)
    expect(
      lcm.read.all(`SELECT summary_id AS id, depth, descendant_count AS below, source_token_count AS tokens,
          earliest_at AS "from", latest_at AS "to" FROM summaries ORDER BY 1`),
    ).toEqual([
      { id: 'sum_a', depth: 0, below: 0, tokens: 20, from: at(1), to: at(2) },
      { id: 'sum_b', depth: 0, below: 0, tokens: 20, from: at(3), to: at(4) },
      { id: 'sum_c', depth: 1, below: 2, tokens: 40, from: at(1), to: at(4) },
      { id: 'sum_d', depth: 2, below: 3, tokens: 40, from: at(1), to: at(4) },
    ])
    expect(lcm.retrieval.describe('msg_2', 9)).toMatchObject({ coveredBy: ['sum_a', 'sum_c', 'sum_d'] })
    await askEveryService(lcm)
  })

  it('is read also when its lineage is a cycle', async () => {
    using lcm = await openLcm(
      baseFile(`INSERT INTO summary_parents VALUES ('sum_a', 'sum_d', 0), ('sum_b', 'sum_b', 0);`),
      {
        cacheDir,
      },
    )
    await askEveryService(lcm)
  })
})

describe('a row with a number that is not exact or negative', () => {
  it('is left out of the memory and of its copy, and counted', async () => {
    const path = baseFile(`
      UPDATE messages SET message_id = 9223372036854775807 WHERE message_id = 6;
      UPDATE messages SET message_id = -7 WHERE message_id = 5;
      UPDATE messages SET seq = 9223372036854775807 WHERE message_id = 4;
      INSERT INTO conversations VALUES (-1, 'before', NULL, NULL), (9007199254740993, 'behind', NULL, NULL);
      INSERT INTO context_items VALUES (1, 9223372036854775807, 'message', 3, NULL);`)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.lacks).toContain(
        'Damaged: 3 messages have no number, conversation or place that can be used and are not shown.',
      )
      expect(lcm.stats.stats()).toMatchObject({ conversations: 1, messages: 3, contextItems: 3 })
      await askEveryService(lcm)
      const to = join(temporaryFolder(), 'copy.db')
      const report = await runToEnd(copyMemory({ from: lcm, to }, new AbortController().signal))
      expect(report).toMatchObject({ messages: 3, verified: true, adjusted: [] })
    })
  })
})

describe('a lineage of thousands of levels', () => {
  it('is read quickly, with the times of its sources', async () => {
    const path = baseFile(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO summaries SELECT 'c' || i, 1, 'condensed', 'x', 1, '2026-01-01' FROM n;
      INSERT INTO summary_parents SELECT summary_id, iif(summary_id = 'c1', 'sum_d', 'c' || (substr(summary_id, 2) - 1)), 0
        FROM summaries WHERE summary_id LIKE 'c%';
      ALTER TABLE summaries ADD COLUMN depth INTEGER; ALTER TABLE summaries ADD COLUMN descendant_count INTEGER;`)
    await withLcm(path, cacheDir, ({ read }) => {
      expect(
        read.get(`SELECT earliest_at AS "from", latest_at AS "to" FROM summaries WHERE summary_id = 'c3000'`),
      ).toEqual({ from: Date.UTC(2026, 0, 1, 0, 1), to: Date.UTC(2026, 0, 1, 0, 4) })
    })
  })
})

/** Each structure that a release brought, as a change that takes it away from the newest file. */
const WITHOUT = [
  'ALTER TABLE summaries DROP COLUMN descendant_token_count',
  'ALTER TABLE summaries DROP COLUMN model',
  'ALTER TABLE summaries DROP COLUMN file_ids',
  'ALTER TABLE summaries DROP COLUMN earliest_at',
  'ALTER TABLE conversations DROP COLUMN title',
  'ALTER TABLE conversations DROP COLUMN archived_at',
  'ALTER TABLE conversations DROP COLUMN session_key',
  'ALTER TABLE messages DROP COLUMN large_content',
  'ALTER TABLE message_parts DROP COLUMN is_synthetic; ALTER TABLE message_parts DROP COLUMN is_ignored',
  'ALTER TABLE message_parts DROP COLUMN metadata',
  'ALTER TABLE large_files DROP COLUMN line_count',
  'DROP TABLE conversation_bootstrap_state',
  'DROP TABLE lcm_migration_state',
  'DROP TABLE conversation_compaction_maintenance',
  'DROP TABLE message_parts',
  'DROP TABLE large_files',
  'DROP INDEX summary_messages_message_idx; DROP INDEX summary_parents_parent_summary_idx',
]

describe('a file of a release in between', () => {
  it.each(WITHOUT)('is read after %s', async (sql) => {
    const path = copyOf('lossless-claw/small.db')
    const db = new Database(path)
    db.exec(
      `DROP INDEX IF EXISTS conversations_session_key_idx; DROP INDEX IF EXISTS conversations_active_session_key_idx;`,
    )
    for (const { name } of db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'conversations' AND sql IS NOT NULL`)
      .all() as { name: string }[])
      db.exec(`DROP INDEX "${name}"`)
    db.exec(sql)
    db.close()
    using lcm = await openLcm(path, { cacheDir })
    expect(lcm.info.system).toBe('lossless-claw')
    expect(lcm.stats.stats()).toMatchObject({ messages: 68, summaries: 20, contextItems: 12 })
    await askEveryService(lcm)
  })
})
