import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { ENDLESS } from '../builders/hostile-schemas.ts'
import { buildMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Proves that the mark of a native file is trusted for nothing: its tables, views, indexes and triggers are ours to the
// letter, or the file is refused or read without being written to, with the way out.

const memory = buildMemory({ conversations: [{ messages: ['hello', 'world'] }] })
memory.db.close()

function changedFile(change: (db: Database.Database) => void): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(memory.path, path)
  const db = new Database(path)
  db.unsafeMode(true)
  db.pragma('foreign_keys = OFF')
  change(db)
  db.close()
  return path
}

function failure(path: string, options: { readonly readOnly?: boolean } = {}): LcmError {
  try {
    openMemory(path, options).close()
  } catch (error) {
    if (error instanceof LcmError) return error
    throw error
  }
  throw new Error(`${path} opened`)
}

const DAMAGES: readonly (readonly [what: string, sql: string, said: RegExp])[] = [
  [
    'a column that was renamed',
    'ALTER TABLE summaries RENAME COLUMN content TO body',
    /summaries has lost the column content/,
  ],
  [
    'a column that was dropped',
    'ALTER TABLE conversations DROP COLUMN title',
    /conversations has lost the column title/,
  ],
  ['a table that was dropped', 'DROP TABLE summary_sources', /lost the table summary_sources/],
  [
    'a table that became a view without end',
    `DROP TABLE large_files; CREATE VIEW large_files AS ${ENDLESS} SELECT x AS file_id FROM n`,
    /large_files is a view where a plain table belongs/,
  ],
  [
    'a view of ours with other words',
    `DROP VIEW message_text; CREATE VIEW message_text AS ${ENDLESS}
      SELECT x AS message_id, '' AS content, '' AS tool_input, '' AS tool_output, '' AS reasoning FROM n`,
    /message_text is not the one that LCM Inspector makes/,
  ],
  [
    'a full-text index over other texts',
    `DROP TABLE summaries_fts; CREATE VIRTUAL TABLE summaries_fts USING fts5 (content, content = 'elsewhere')`,
    /summaries_fts is not the one/,
  ],
  ['a version that its tables are not of', 'PRAGMA user_version = 1', /its message_text is not the one/],
  ['no version', 'PRAGMA user_version = 0', /header says schema 0/],
]

describe('a native file', () => {
  it.each(DAMAGES)('is refused as damaged, with the reason, when it has %s', (_what, sql, said) => {
    const path = changedFile((db) => db.exec(sql))
    const before = readFileSync(path)
    expect(failure(path)).toMatchObject({ code: 'file_corrupt', message: expect.stringMatching(said) })
    expect(failure(path).message).toMatch(/backup|salvage/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is damaged, and not a failed operation, when its header has an impossible format', () => {
    const path = changedFile(() => undefined)
    const bytes = readFileSync(path)
    bytes[47] = 9
    writeFileSync(path, bytes)
    expect(failure(path)).toMatchObject({ code: 'file_corrupt' })
    expect(failure(path, { readOnly: true })).toMatchObject({ code: 'file_corrupt' })
  })

  it('is read and never written to when it has triggers of somebody else', () => {
    const path = changedFile((db) =>
      db.exec(`CREATE TRIGGER spy AFTER INSERT ON messages BEGIN DELETE FROM context_items; END`),
    )
    const { info, read, write, close } = openMemory(path)
    try {
      expect(write).toBeNull()
      expect(info.readOnlyReason).toMatch(/triggers that LCM Inspector did not make \(spy\)/)
      expect(read.value('SELECT count(*) FROM messages')).toBe(2)
    } finally {
      close()
    }
  })

  it('is read and never written to when one of its own triggers was changed', () => {
    const path = changedFile((db) =>
      db.exec(`DROP TRIGGER summaries_index_delete;
        CREATE TRIGGER summaries_index_delete AFTER DELETE ON summaries BEGIN DELETE FROM lcm_meta; END`),
    )
    const { write, close } = openMemory(path)
    close()
    expect(write).toBeNull()
  })

  it.each(['', 'x'.repeat(600)])('leaves out a summary that nobody can ask for, and is never written to', (id) => {
    const path = changedFile((db) =>
      db.exec(`INSERT INTO summaries (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count,
          created_at, level, summary_hash, content)
        VALUES ('${id}', 1, 'leaf', 0, 1, 1, 0, 0, 'normal', '${'0'.repeat(64)}', 'a summary')`),
    )
    const { info, read, write, close } = openMemory(path)
    try {
      expect(write).toBeNull()
      expect(info.readOnlyReason).toMatch(/rows whose id is empty, or too long or too large to be shown \(summaries\)/)
      expect(read.value('SELECT count(*) FROM summaries')).toBe(0)
      expect(read.value('SELECT count(*) FROM main.summaries')).toBe(1)
    } finally {
      close()
    }
  })

  it('keeps views and tables that its user added', () => {
    const path = changedFile((db) =>
      db.exec('CREATE TABLE my_notes (note TEXT); CREATE VIEW my_titles AS SELECT title FROM conversations'),
    )
    const { write, close } = openMemory(path)
    close()
    expect(write).not.toBeNull()
  })
})
