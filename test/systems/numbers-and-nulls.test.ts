// Takes more than 5 s because every procedure is asked about a file for each table of each system.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { tablesOf } from '../builders/hostile-schemas.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { askMemory } from '../recorded/ask-memory.ts'

// Proves that an integer beyond 2⁵³, and a NULL where a text belongs, is never an internal error, and that no row is shown
// by another number than its own: a driver gives the next number that it can hold.

const BEYOND = '9007199254740993'
const ROUNDED = '9007199254740992'

type Column = { readonly name: string; readonly type: string; readonly pk: number }

function soundFile(writer: SystemWriter): string {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 6 })))
  return path
}

/** The definitions of a table and its triggers as another program makes them: every column may be NULL. */
function withoutRefusals(db: Database.Database, table: string): void {
  db.unsafeMode(true)
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  for (const name of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).pluck().all())
    db.exec(`DROP TRIGGER "${name}"`)
  const version = Number(db.pragma('schema_version', { simple: true }))
  db.pragma('writable_schema = ON')
  db.prepare(
    `UPDATE sqlite_schema SET sql = replace(replace(sql, 'IS NOT NULL', 'NOTNULL'), ' NOT NULL', '') WHERE type = 'table' AND name = ?`,
  ).run(table)
  db.pragma(`schema_version = ${version + 1}`)
  db.pragma('writable_schema = RESET')
}

/**
 * Returns the folder of a copy in which each number of a table is beyond 2⁵³, and each text of it NULL, in a row of its
 * own. Returns null when nothing of the table could be changed.
 */
function spoiltCopy(sound: string, table: string): string | null {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  copyFileSync(sound, path)
  const db = new Database(path)
  const triggers = db.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`).pluck().all() as string[]
  const definition = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table)
  withoutRefusals(db, table)
  const columns = db.pragma(`table_info("${table}")`) as Column[]
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => `"${name}"`)
  const key = keys.length > 0 && /WITHOUT ROWID/.test(String(definition)) ? keys.join(', ') : 'rowid'
  const rows = db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number
  if (rows === 0) {
    db.close()
    return null
  }
  columns.forEach(({ name, type }, index) => {
    const isNumber = /INT|REAL/i.test(type)
    if (!isNumber && !/^(content|role|text|summary|content_text)$/.test(name)) return
    const value = isNumber ? BEYOND : 'NULL'
    db.exec(`UPDATE OR IGNORE "${table}" SET "${name}" = ${value}
      WHERE (${key}) = (SELECT ${key} FROM "${table}" ORDER BY ${key} LIMIT 1 OFFSET ${index % rows})`)
  })
  const version = Number(db.pragma('schema_version', { simple: true }))
  db.pragma('writable_schema = ON')
  db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?`).run(definition, table)
  db.pragma(`schema_version = ${version + 1}`)
  db.pragma('writable_schema = RESET')
  for (const sql of triggers) db.exec(sql)
  db.pragma('journal_mode = DELETE')
  db.close()
  return folder
}

/** All texts in an answer. Numbers are held by the contract: it refuses integers that are not exact. */
function stringsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer]
  return typeof answer === 'object' && answer !== null ? Object.values(answer).flatMap(stringsIn) : []
}

const LINES = new Map(WRITERS.map((writer) => [writer.name.split(/[ ,]/)[0], writer]))

describe.each([nativeWriter, ...LINES.values()].map((writer) => ({ name: writer.name, writer })))(
  'a file of $name',
  ({ writer }) => {
    it('answers every procedure, whatever numbers and NULLs its columns hold', async () => {
      const sound = soundFile(writer)
      const bad: string[] = []
      for (const table of tablesOf(sound)) {
        const folder = spoiltCopy(sound, table)
        if (folder === null) continue
        try {
          const { asked } = await askMemory(folder, 'lcm.db', true)
          for (const { procedure, answer } of asked) {
            const text = JSON.stringify(answer) ?? ''
            for (const found of stringsIn(answer))
              if (found.includes(ROUNDED)) bad.push(`${table} ${procedure}: ${found}`)
            if (/"error":"(internal|sqlite_failed|file_corrupt)"/.test(text)) bad.push(`${table} ${procedure}: ${text}`)
          }
        } catch (error) {
          bad.push(`${table}: ${String(error)}`)
        }
      }
      expect(bad).toEqual([])
    })
  },
)
