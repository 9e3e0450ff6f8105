import type { WriteDb } from './read-db.ts'

const queries = {
  triggers: /* sql */ `
    SELECT name, sql FROM main.sqlite_schema
    WHERE type = 'trigger' AND EXISTS (SELECT 1 FROM json_each(:names) AS n WHERE sqlite_schema.name GLOB n.value)`,
}

/** Drops the triggers with such names (GLOB patterns). Returns a function that creates them again. */
export function takeTriggers(db: WriteDb, names: readonly string[]): () => void {
  const triggers = db.all<{ name: string; sql: string }>(queries.triggers, { names: JSON.stringify(names) })
  for (const { name } of triggers) db.exec(/* sql */ `DROP TRIGGER main."${name}"`)
  return () => {
    for (const { sql } of triggers) db.exec(sql)
  }
}

/**
 * Runs `body` without these triggers. The triggers of an index delete the old text from it: that damages an index that
 * lacks the text, and fails without an index. Call it inside a transaction, so that an error rolls the dropping back.
 */
export function withoutTriggers<T>(db: WriteDb, names: readonly string[], body: () => T): T {
  const putBack = takeTriggers(db, names)
  const done = body()
  putBack()
  return done
}
