import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SLOW_CONDITION } from './hostile-schemas.ts'
import { losslessClawWriters } from './systems/lossless.ts'
import { tellStory } from './systems/story.ts'
import { type SystemWriter, writeStory } from './systems/system.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * Makes a file of lossless-claw on which SQLite's own check does not end: a partial index has a condition that takes
 * minutes, and the check evaluates it for every row. Everything else in the file is sound.
 */
export function endlessFile(): string {
  const path = join(temporaryFolder(), 'lcm.db')
  const writer = losslessClawWriters.at(-1) as SystemWriter
  writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 3 })))
  const db = new Database(path)
  db.exec('CREATE TABLE endless (x TEXT); INSERT INTO endless VALUES (NULL)')
  db.exec(`CREATE INDEX endless_index ON endless (x) WHERE x IS NOT NULL AND ${SLOW_CONDITION}`)
  // The condition is written into the schema after the index exists, so that it is not evaluated before the check.
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  const hidden = db.prepare(`SELECT rootpage, sql FROM sqlite_schema WHERE name = 'endless_index'`).get()
  db.exec(`DELETE FROM sqlite_schema WHERE name = 'endless_index'`)
  db.close()
  const again = new Database(path)
  again.unsafeMode(true)
  again.exec(`UPDATE endless SET x = ''`)
  again.pragma('writable_schema = ON')
  again
    .prepare(
      `INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('index', 'endless_index', 'endless', :rootpage, :sql)`,
    )
    .run(hidden)
  again.pragma('journal_mode = DELETE')
  again.close()
  return path
}
