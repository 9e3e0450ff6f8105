import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { resultOf, scanFile } from '../integrity/scan-file.ts'
import { apply, fired, plan, scan } from './doctor.ts'

/** A small memory of our own, closed, in which something was damaged. */
function damaged(damage: (db: Database.Database) => void): string {
  using memory = buildMemory({
    conversations: [{ messages: ['apple ', 'pear ', 'plum '].map((word) => word.repeat(300)) }],
  })
  memory.leaf(1, [1, 2])
  const path = join(temporaryFolder(), 'lcm.db')
  const whole = new Database(memory.path)
  whole.prepare('VACUUM INTO ?').run(path)
  whole.close()
  const db = new Database(path)
  db.unsafeMode()
  damage(db)
  db.close()
  return path
}

const spoiledWords = (db: Database.Database): void => {
  db.exec("UPDATE messages_fts_data SET block = x'00000000ffff' WHERE id > 10")
}

/** Hides an index from SQLite while a row is written, so that the index lacks the row. */
const rowLacking = (db: Database.Database): void => {
  const stored = db.prepare("SELECT * FROM sqlite_schema WHERE name = 'messages_history'").get() as object
  db.pragma('writable_schema = ON')
  db.exec("DELETE FROM sqlite_schema WHERE name = 'messages_history'")
  db.pragma('writable_schema = RESET')
  db.exec('UPDATE messages SET token_count = token_count + 1 WHERE message_id = 2')
  db.pragma('writable_schema = ON')
  db.prepare('INSERT INTO sqlite_schema VALUES (:type, :name, :tbl_name, :rootpage, :sql)').run(stored)
  db.pragma('writable_schema = RESET')
}

function rows(path: string): string {
  const db = new Database(path, { readonly: true })
  const all = db.prepare('SELECT * FROM messages ORDER BY message_id').all()
  db.close()
  return JSON.stringify(all)
}

function sqliteCheck(path: string): unknown {
  const db = new Database(path, { readonly: true })
  const answer = db.pragma('integrity_check', { simple: true })
  db.close()
  return answer
}

describe('an index that is damaged while every table is sound', () => {
  it.each([
    ['the full-text index messages_fts', spoiledWords],
    ['the index messages_history', rowLacking],
  ])('is named, and its step rebuilds it: %s', async (name, damage) => {
    const path = damaged(damage)
    const before = rows(path)
    const report = await scanFile(path)
    expect(resultOf(report, 'sqlite_integrity').count).toBe(0)
    expect(resultOf(report, 'index_damaged').samples[0]?.detail).toContain(
      `${name} is damaged; no text is lost: it can be rebuilt from message`,
    )
    const { steps } = await plan(path)
    expect(steps.map(({ id, risk, cannotRestore }) => [id, risk, cannotRestore])).toEqual([
      ['index_damaged', 'safe', null],
    ])
    expect(await apply(path, ['index_damaged'])).toMatchObject({ rolledBack: null, skipped: [] })
    expect(sqliteCheck(path)).toBe('ok')
    expect(rows(path)).toBe(before)
    expect(fired(await scan(path))).not.toContain('index_damaged')
  })
})
