import Database from 'better-sqlite3'
import { MESSAGE_TEXT_VIEW, view } from '#core/systems/deriving/canonical.ts'
import { lineageViews } from '#core/systems/deriving/derived-views.ts'
import type { ForeignSystem } from '#core/systems/system.ts'
import { usualFacts } from '#core/systems/system-facts.ts'

const queries = {
  derived: /* sql */ `
    DROP TABLE IF EXISTS temp.threads;
    CREATE TEMP TABLE threads AS
    SELECT min(id) AS conversation_id, thread, min(at) AS first_at, max(at) AS last_at FROM main.notes GROUP BY thread;
    DROP TABLE IF EXISTS temp.digest_notes;
    CREATE TEMP TABLE digest_notes AS
    SELECT 'digest_' || d.id AS summary_id, n.id AS message_id,
      row_number() OVER (PARTITION BY d.id ORDER BY n.id) - 1 AS ordinal
    FROM main.digests AS d JOIN main.notes AS n ON n.thread = d.thread AND n.id BETWEEN d.covers_from AND d.covers_to;
    CREATE INDEX temp.digest_notes_summary ON digest_notes (summary_id, message_id, ordinal);
    CREATE INDEX temp.digest_notes_message ON digest_notes (message_id, summary_id);
    DROP TABLE IF EXISTS temp.no_sources;
    CREATE TEMP TABLE no_sources (summary_id TEXT, source_summary_id TEXT, ordinal INTEGER);
    DROP TABLE IF EXISTS temp.windows;
    CREATE TEMP TABLE windows AS
    SELECT conversation_id, row_number() OVER (PARTITION BY conversation_id ORDER BY place) - 1 AS ordinal, item_type,
      message_id, summary_id
    FROM (
      SELECT t.conversation_id, d.covers_from AS place, 'summary' AS item_type, NULL AS message_id,
        'digest_' || d.id AS summary_id
      FROM main.digests AS d JOIN temp.threads AS t ON t.thread = d.thread
      UNION ALL
      SELECT t.conversation_id, n.id, 'message', n.id, NULL
      FROM main.notes AS n JOIN temp.threads AS t ON t.thread = n.thread
      WHERE n.id NOT IN (SELECT message_id FROM temp.digest_notes)
    );
    CREATE INDEX temp.windows_conversation ON windows (conversation_id, ordinal);`,
}

/**
 * A small system of two tables: notes, and digests of every note of one thread from a first to a last. Its window is the
 * digests of a thread, then what comes after the last of them.
 */
export const notebook: ForeignSystem = {
  id: 'notebook',
  facts: usualFacts,
  valueRules: [],
  ownIndexes: [],
  tokenRules: [(text) => text.length],
  knownExceptions: [],
  rules: [],
  preset: null,
  places: ({ home }) => [{ path: `${home}/notebook.db` }],
  summaries: 'replace',
  ledger: null,
  label: () => 'Notebook',
  detect: (probe) => probe.has('notes', 'said') && probe.has('digests', 'covers_to'),
  version: () => '1',
  capabilities: () => ({
    parts: false,
    files: false,
    runs: false,
    storedWindow: false,
    derivedWindow: 'The digests of a thread, then the notes after the last of them.',
    levels: false,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: () => ['Who asked for a digest is not recorded.'],
  *deriving({ db }) {
    db.exec(queries.derived)
    yield
  },
  views: () =>
    [
      view(
        'conversations',
        {
          conversation_id: 'conversation_id',
          session_id: 'thread',
          importer: `'notebook'`,
          created_at: 'first_at',
          updated_at: 'last_at',
        },
        'temp.threads',
      ),
      view(
        'messages',
        {
          message_id: 'n.id',
          conversation_id: '(SELECT t.conversation_id FROM temp.threads AS t WHERE t.thread = n.thread)',
          seq: 'n.id',
          role: `iif(n.who = 'me', 'user', 'assistant')`,
          token_count: 'length(n.said)',
          created_at: 'n.at',
          content: 'n.said',
        },
        'main.notes AS n',
      ),
      MESSAGE_TEXT_VIEW,
      view(
        'summaries',
        {
          summary_rowid: 'd.id',
          summary_id: `'digest_' || d.id`,
          conversation_id: '(SELECT t.conversation_id FROM temp.threads AS t WHERE t.thread = d.thread)',
          kind: `'leaf'`,
          depth: '0',
          token_count: 'length(d.text)',
          source_token_count:
            '(SELECT sum(length(n.said)) FROM main.notes AS n WHERE n.thread = d.thread AND n.id BETWEEN d.covers_from AND d.covers_to)',
          descendant_count: '0',
          earliest_at: '(SELECT n.at FROM main.notes AS n WHERE n.id = d.covers_from)',
          latest_at: '(SELECT n.at FROM main.notes AS n WHERE n.id = d.covers_to)',
          created_at: 'd.at',
          level: `'unknown'`,
          file_ids: `'[]'`,
          content: 'd.text',
        },
        'main.digests AS d',
      ),
      lineageViews({ messages: 'temp.digest_notes', sources: 'temp.no_sources', window: 'temp.windows' }),
    ].join(''),
}

/** Writes a notebook of two threads: eight notes under a digest and four after it, and three notes of their own. */
export function writeNotebook(path: string): void {
  const db = new Database(path)
  db.exec(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, thread TEXT, who TEXT, said TEXT, at INTEGER);
    CREATE TABLE digests (id INTEGER PRIMARY KEY, thread TEXT, covers_from INTEGER, covers_to INTEGER, text TEXT, at INTEGER);
  `)
  const note = db.prepare('INSERT INTO notes (thread, who, said, at) VALUES (?, ?, ?, ?)')
  const beganAtMs = Date.UTC(2026, 0, 1)
  for (let at = 0; at < 12; at += 1)
    note.run('garden', at % 2 === 0 ? 'me' : 'them', `note ${at} about tomatoes and basil`, beganAtMs + at * 60_000)
  for (let at = 0; at < 3; at += 1)
    note.run('kitchen', at % 2 === 0 ? 'me' : 'them', `note ${at} about an oven`, beganAtMs + (20 + at) * 60_000)
  db.prepare('INSERT INTO digests (thread, covers_from, covers_to, text, at) VALUES (?, 1, 8, ?, ?)').run(
    'garden',
    'They planned a bed of tomatoes.',
    beganAtMs + 480_000,
  )
  db.close()
}
