import type { WriteDb } from '../db/read-db.ts'

const queries = {
  triggers: `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('messages', 'message_parts', 'summaries')`,
}

/** Takes the triggers of a file that is being made out of the way. @returns the SQL that puts them back */
export function takeTriggersOff(db: WriteDb): readonly string[] {
  return db.transaction(() =>
    db.all<{ name: string; sql: string }>(queries.triggers).map(({ name, sql }) => {
      db.exec(`DROP TRIGGER "${name}"`)
      return sql
    }),
  )
}

export function putTriggersBack(db: WriteDb, triggers: readonly string[]): void {
  db.transaction(() => {
    for (const sql of triggers) db.exec(sql)
  })
}
