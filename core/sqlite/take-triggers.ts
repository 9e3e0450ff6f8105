import type { WriteDb } from './read-db.ts'

const queries = {
  triggers: /* sql */ `
    SELECT name, sql FROM main.sqlite_schema
    WHERE type = 'trigger' AND EXISTS (SELECT 1 FROM json_each(:names) AS n WHERE sqlite_schema.name GLOB n.value)`,
}

/** Takes the triggers of such names (GLOB patterns) out of the file. Returns what puts back those that were there. */
export function takeTriggers(db: WriteDb, names: readonly string[]): () => void {
  const triggers = db.all<{ name: string; sql: string }>(queries.triggers, { names: JSON.stringify(names) })
  for (const { name } of triggers) db.exec(/* sql */ `DROP TRIGGER main."${name}"`)
  return () => {
    for (const { sql } of triggers) db.exec(sql)
  }
}

/**
 * Runs `body` without these triggers. Those of the indexes take an old text out as it is: that damages an index which
 * lacks it, and fails where there is none. Inside a transaction: an error rolls back that they were taken.
 */
export function withoutTriggers<T>(db: WriteDb, names: readonly string[], body: () => T): T {
  const putBack = takeTriggers(db, names)
  const done = body()
  putBack()
  return done
}
