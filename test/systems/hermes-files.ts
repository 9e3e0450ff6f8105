import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf } from '../sqlite/fixtures.ts'

export const cacheDir = join(temporaryFolder(), 'cache')

export async function withLcm<T>(path: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  using lcm = await openLcm(path, { cacheDir })
  return await body(lcm)
}

/** A copy of a fixture after some SQL of its own system. */
export function changed(fixture: string, sql: string): string {
  const path = copyOf(fixture)
  const db = new Database(path)
  db.exec(sql)
  db.close()
  return path
}

export const windowOf = (lcm: Lcm, conversationId = 1): string[] =>
  lcm.context.assemble({ conversationId, budgetTokens: 1_000_000 }).items.map((item) => item.id)
