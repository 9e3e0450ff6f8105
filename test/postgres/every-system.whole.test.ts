import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { copyToTenant } from '#core/remote/copy-to-tenant.ts'
import type { Postgres } from '#core/remote/postgres/connect.ts'
import { STORED_TABLES } from '#core/remote/postgres/tables.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { nativeRows } from '#core/remote/pulled-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { runToEnd } from '#core/yielding.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal

/** Where a large text lies is different in every file. */
const rowsOf = (db: ReadDb, conversation: number) =>
  STORED_TABLES.map((table) => [
    table.name,
    Array.from(nativeRows(db, table, conversation), (row) => ({ ...row, storage_uri: null })),
  ])

/**
 * Copies a memory of any system into a tenant, and each of its conversations back into a file.
 * @returns the rows of each conversation in a working copy of the memory, and those that came back
 */
async function thereAndBack(db: Postgres, path: string, tenant: string) {
  const folder = temporaryFolder()
  const from = await openLcm(path, { readOnly: true, cacheDir: join(folder, 'cache') })
  const native = join(folder, 'native.db')
  try {
    await runToEnd(copyMemory({ from, to: native }, never))
  } finally {
    from.close()
  }
  const report = await runToEnd(copyToTenant({ path, to: db, tenant }, never))
  const copy = openMemory(native)
  const conversations: { readonly sent: unknown; readonly back: unknown }[] = []
  for (const { from: id, to } of report.conversations) {
    const file = join(folder, `${to}.db`)
    await runToEnd(pullConversation({ from: db, key: { tenant, conversationId: to }, to: file }, never))
    using pulled = openMemory(file)
    conversations.push({ sent: rowsOf(copy.read, id), back: rowsOf(pulled.read, to) })
  }
  copy.close()
  return { report, conversations }
}

// Empty files of old releases, and each damage by itself, take no other way.
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(db|sqlite)$/.test(name) && !/legacy|corrupt/.test(name))
  .toSorted()

let server: InProcess
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

describe('a memory of another system that is copied into a tenant', () => {
  // "any foreign file into a tenant", "verified equivalent"
  it.each(files)('comes back row by row as its working copy is: %s', async (name) => {
    const { report, conversations } = await thereAndBack(server.db, join(FIXTURES, name), name)
    expect(report.verified).toBe(true)
    expect(conversations.length).toBeGreaterThan(0)
    for (const { sent, back } of conversations) expect(back).toEqual(sent)
  })
})
