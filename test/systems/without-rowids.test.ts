import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { changedCopy } from './foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

/** The same rows in a table that has no row numbers. */
function withoutRowids(db: Database.Database, table: string, key: string): void {
  db.pragma('foreign_keys = OFF')
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
  db.exec(`CREATE TABLE loose (${columns.join(', ')}, PRIMARY KEY (${key})) WITHOUT ROWID;
    INSERT INTO loose SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table}`)
}

describe('a table without row numbers', () => {
  it.each([
    ['lossless-claw/small.db', 'summaries', 'summary_id'],
    ['lossless-claude/small.sqlite', 'summaries', 'summary_id'],
    ['hermes-lcm/small.db', 'lcm_lifecycle_state', 'conversation_id'],
    ['pi-lcm/small.db', 'messages', 'id'],
    ['pi-lcm/small.db', 'summary_sources', 'summary_id, source_id'],
    ['decapod/small/lcm.db', 'originals_index', 'content_hash'],
  ])('is refused with the reason when its system has row numbers: %s, table %s', (fixture, table, key) => {
    const path = changedCopy(join(FIXTURES, fixture), (db) => withoutRowids(db, table, key))
    const before = folderState(dirname(path))
    expect(() => openMemory(path, { cacheDir })).toThrow(
      expect.objectContaining({ code: 'unsupported_system', message: expect.stringContaining(table) }),
    )
    expect(folderState(dirname(path))).toEqual(before)
  })

  it('is read when nothing depends on its row numbers', () => {
    const path = changedCopy(join(FIXTURES, 'lossless-claw/small.db'), (db) =>
      withoutRowids(db, 'summary_messages', 'summary_id, message_id'),
    )
    using memory = openMemory(path, { cacheDir })
    expect(memory.read.value('SELECT count(*) FROM summary_messages')).toBe(58)
  })
})
