import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { CompactInput } from '#core/contract/compaction.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openHere, permissionOf } from '../builders/ledgers.ts'
import { type OldSqlite, openIn338, openIn341 } from '../builders/old-sqlite.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** "A native lcm.db opens, answers and accepts reads in SQLite 3.37 and later (schema, views and triggers included)." */
let path: string
beforeAll(async () => {
  // The old build says on the console what it lacks of a browser.
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {})
  path = join(temporaryFolder(), 'lcm.db')
  using lcm = await openHere(path, { create: true })
  const db = lcm.requireWrite('test')
  new LedgerWriter(db, Date.now, permissionOf(path)).enable(`${path}.jsonl`)
  const store = new ConversationStore(db, createTokenEstimator(), Date.now)
  const conversationId = store.ensureConversation({ importer: 'test', sessionId: 's' })
  const call: NewPart = { type: 'tool', text: null, toolName: 'look', toolInput: 'first argument', toolOutput: null }
  store.append(
    conversationId,
    Array.from({ length: 40 }, (_, index) => ({
      externalId: null,
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Message ${index} about the lease of the naïve café. `.repeat(20),
      createdAtMs: 1_770_000_000_000 + index,
      parts: [{ type: 'text' as const, text: null, isContent: true }, call, { ...call, toolInput: 'second argument' }],
    })),
  )
  const run = lcm
    .compactionEngine()
    .compact(CompactInput.parse({ conversationId, mode: 'full' }), new AbortController().signal)
  while (!(await run.next()).done);
})

const builds: [string, (file: string) => Promise<OldSqlite>][] = [
  ['3.38', openIn338],
  ['3.41', openIn341],
]

describe.each(builds)('SQLite %s', (version, open) => {
  let old: OldSqlite
  beforeAll(async () => {
    old = await open(path)
  })

  it('is the build with the named version', () => {
    expect(old.version).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`))
  })

  it('opens a native file and finds it sound, with every table, view and trigger', () => {
    expect(old.query('PRAGMA quick_check')).toEqual([['ok']])
    const there = (kind: string): string[] =>
      old.query(`SELECT name FROM sqlite_schema WHERE type = '${kind}' ORDER BY name`).map(([name]) => String(name))
    expect(there('view')).toEqual(['message_text', 'summary_parents'])
    expect(there('trigger')).toContain('message_parts_index_insert')
    expect(there('trigger')).toContain('ledger_messages_insert')
  })

  it('returns the same rows of every ordinary table and view as the current version', () => {
    const now = new Database(path, { readonly: true })
    const names = old
      .query(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
      )
      .map(([name]) => String(name))
    expect(names).toEqual(
      expect.arrayContaining(['messages', 'summaries', 'message_text', 'ledger_outbox', 'lcm_meta']),
    )
    for (const name of names.filter((one) => !/_(fts|trigram)_/.test(one))) {
      const rows = now.prepare(`SELECT * FROM ${name}`).raw(true).all()
      expect(old.query(`SELECT * FROM ${name}`), name).toEqual(rows)
    }
    now.close()
    expect(old.query('SELECT DISTINCT tool_input FROM message_text')).toEqual([['first argument\nsecond argument']])
  })

  it('reads the messages of a summary', () => {
    const [row] = old.query(`
      SELECT count(*) FROM summaries AS s
      JOIN summary_messages AS l USING (summary_id) JOIN messages AS m USING (message_id)`)
    expect(Number(row?.[0])).toBeGreaterThan(20)
  })
})

describe('SQLite 3.41 with FTS5', () => {
  it('searches the full-text and trigram tables of a native file', async () => {
    const old = await openIn341(path)
    expect(old.query(`SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'cafe AND naive'`)).toEqual([[40]])
    expect(old.query(`SELECT count(*) FROM messages_trigram WHERE messages_trigram MATCH 'eas'`)).toEqual([[40]])
    expect(old.query(`SELECT tool_input FROM messages_fts WHERE messages_fts MATCH 'second' LIMIT 1`)).toEqual([
      ['first argument\nsecond argument'],
    ])
    expect(
      Number(old.query(`SELECT count(*) FROM summaries_fts WHERE summaries_fts MATCH 'lease'`)[0]?.[0]),
    ).toBeGreaterThan(0)
    for (const table of ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'])
      old.query(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)
  })

  it('fires the triggers of a native file, and the current version finds what it wrote', async () => {
    const old = await openIn341(path)
    const last = old.query('SELECT max(outbox_id) FROM ledger_outbox')[0]?.[0]
    old.query(`
      INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
      VALUES (900, 1, 900, 'user', 3, 5, '${'0'.repeat(64)}', 'Written by an old build.');
      INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_input)
      VALUES ('p2', 900, 's', 'tool', 2, 'zebra later'), ('p1', 900, 's', 'tool', 1, 'zebra earlier')`)
    expect(() => old.query('DELETE FROM messages WHERE message_id = 900')).toThrow(/never deleted/)
    expect(old.query('SELECT tool_input FROM message_text WHERE message_id = 900')).toEqual([
      ['zebra earlier\nzebra later'],
    ])
    expect(old.query(`SELECT table_name, op FROM ledger_outbox WHERE outbox_id > ${last}`)).toEqual([
      ['messages', 'insert'],
      ['message_parts', 'insert'],
      ['message_parts', 'insert'],
    ])
    const written = join(temporaryFolder(), 'written.db')
    writeFileSync(written, old.bytes())
    using lcm = await openHere(written)
    const hits = await lcm.retrieval.grep(GrepInput.parse({ query: 'zebra' }))
    expect(hits.hits.map(({ id }) => id)).toEqual(['msg_900'])
  })
})
