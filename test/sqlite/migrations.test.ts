import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { migrations, NATIVE_VERSION } from '#core/sqlite/native.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { openIn338 } from '../builders/old-sqlite.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { folderState } from './folder-state.ts'

/** A file as version 1 left it, with one conversation, one run and one replacement. */
function fileOfVersion1(): { folder: string; path: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  const db = new Database(path)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma('journal_mode = WAL')
  db.exec(migrations[0] ?? '')
  db.pragma('user_version = 1')
  db.exec(`
    INSERT INTO conversations (session_id, created_at, updated_at) VALUES ('s', 1, 1);
    INSERT INTO compaction_runs VALUES ('run_1', 1, 'manual', 'full', 'deterministic', '{}', 'me', 1, 2, 900, 100, 'nothing_eligible');
    INSERT INTO compaction_events VALUES (1, 'run_1', 1, 1, 'leaf', 'sum_1', 0, '[]', 'deterministic', 900, 100, 3)`)
  db.close()
  return { folder, path }
}

const ADDED = `
  SELECT e.attempts, r.model_input_tokens AS input, r.model_output_tokens AS output, r.model_cost AS cost, e.tokens
  FROM compaction_events AS e JOIN compaction_runs AS r ON r.run_id = e.run_id`
const AS_OF_NO_MODEL = { attempts: '[]', input: 0, output: 0, cost: 0, tokens: 100 }

describe('a file of version 1', () => {
  it('is migrated when it is opened for writing, and keeps its rows', () => {
    const { path } = fileOfVersion1()
    using memory = openMemory(path)
    expect(memory.read.value('PRAGMA user_version')).toBe(NATIVE_VERSION)
    expect(memory.read.all(ADDED)).toEqual([AS_OF_NO_MODEL])
    for (const [name, columns] of Object.entries(CANONICAL)) {
      expect(memory.read.column(`SELECT name FROM pragma_table_xinfo('${name}')`).sort()).toEqual([...columns].sort())
    }
  })

  it('is read without a migration when it may not be written', () => {
    const { folder, path } = fileOfVersion1()
    const before = folderState(folder)
    const memory = openMemory(path, { readOnly: true })
    expect(memory.info).toMatchObject({ systemVersion: '1', readOnly: true })
    expect(memory.read.all(ADDED)).toEqual([AS_OF_NO_MODEL])
    expect(memory.read.all('SELECT * FROM surgery_events')).toEqual([])
    memory.close()
    expect(folderState(folder)).toEqual(before)
  })
})

/** A file as version 3 left it, with a message of two parts. */
function fileOfVersion3(): { folder: string; path: string } {
  const { folder, path } = fileOfVersion1()
  const db = new Database(path)
  for (const sql of migrations.slice(1, 3)) db.exec(sql)
  db.exec(`
    INSERT INTO messages (message_id, conversation_id, seq, role, token_count, created_at, content_hash, content)
    VALUES (1, 1, 0, 'user', 1, 1, '${'0'.repeat(64)}', 'text');
    INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_input)
    VALUES ('b', 1, 's', 'tool', 1, 'second'), ('a', 1, 's', 'tool', 0, 'first');`)
  db.pragma('user_version = 3')
  db.close()
  return { folder, path }
}

const INPUT = 'SELECT tool_input FROM message_text'

describe('a file of version 3', () => {
  it('is migrated so that older builds of SQLite can read it, and keeps its rows and its index', async () => {
    const { path } = fileOfVersion3()
    await expect(openIn338(path).then((old) => old.query(INPUT))).rejects.toThrow(/malformed database schema/)
    const memory = openMemory(path)
    expect(memory.read.value('PRAGMA user_version')).toBe(NATIVE_VERSION)
    expect(memory.read.value("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'second'")).toBe(1)
    memory.close()
    expect((await openIn338(path)).query(INPUT)).toEqual([['first\nsecond']])
  })

  it('is read without a migration when it may not be written', () => {
    const { folder, path } = fileOfVersion3()
    const before = folderState(folder)
    const memory = openMemory(path, { readOnly: true })
    expect(memory.info).toMatchObject({ systemVersion: '3', readOnly: true })
    expect(memory.read.all(INPUT)).toEqual([{ tool_input: 'first\nsecond' }])
    memory.close()
    expect(folderState(folder)).toEqual(before)
  })
})

/** A file as version 4 left it. `made`: how the table of parts was made by another program; null: by us. */
function fileOfVersion4(made: ((sql: string) => string) | null): { folder: string; path: string } {
  const { folder, path } = fileOfVersion3()
  const db = new Database(path)
  db.exec(migrations[3] ?? '')
  if (made) {
    const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'message_parts'").pluck().get() as string
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'message_parts'").run(made(sql))
  }
  db.pragma('user_version = 4')
  db.close()
  return { folder, path }
}

const ONCE = `SELECT part_id AS id, text_is_content AS text, metadata_has_text AS metadata FROM message_parts ORDER BY ordinal`
const STORED_WHOLE = ['a', 'b'].map((id) => ({ id, text: null, metadata: null }))

describe('a file of version 4', () => {
  it('is brought forward without a change to any of its rows', () => {
    const { path } = fileOfVersion4(null)
    using memory = openMemory(path)
    expect(memory.read.value('PRAGMA user_version')).toBe(NATIVE_VERSION)
    expect(memory.read.all(ONCE)).toEqual(STORED_WHOLE)
  })

  it.each([
    ['by us', null],
    ['by another program, so that any value may stand in it', (sql: string) => sql.replace(/STRICT$/, '')],
  ])('is read as it is when its table of parts was made %s', (_, made) => {
    const { folder, path } = fileOfVersion4(made)
    const before = folderState(folder)
    const memory = openMemory(path, { readOnly: true })
    expect(memory.info).toMatchObject({ systemVersion: '4', readOnly: true })
    expect(memory.read.all(ONCE)).toEqual(STORED_WHOLE)
    memory.close()
    expect(folderState(folder)).toEqual(before)
  })
})
