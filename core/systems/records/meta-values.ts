import type { z } from 'zod'
import { parsedJson } from '#core/parsed-json.ts'
import type { ReadDb, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'

const queries = {
  value: /* sql */ `SELECT value FROM lcm_meta WHERE key = :key`,
  store: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
  remove: /* sql */ `DELETE FROM lcm_meta WHERE key = :key`,
}

/** What a memory notes under a key. Returns undefined where it notes nothing, or no text. */
export function metaValue(db: ReadDb, key: string): string | undefined {
  const value = db.value<SqlValue>(queries.value, { key })
  return typeof value === 'string' ? value : undefined
}

/** Notes a value in the place of the one before. Null removes it. */
export function storeMetaValue(db: WriteDb, key: string, value: string | null): void {
  if (value === null) db.run(queries.remove, { key })
  else db.run(queries.store, { key, value })
}

/** Returns null for a value that is missing, was damaged, or is of another version. The next import writes it again. */
export const parsedValue = <T>(schema: z.ZodType<T>, value: string | undefined): T | null =>
  value === undefined ? null : (schema.safeParse(parsedJson(value)).data ?? null)
