// Makes the golden file of the present version of the native schema, and leaves those that there are as they are.
// After a migration was added: node test/sqlite/golden/make.ts
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { migrations, NATIVE_VERSION } from '#core/sqlite/native.ts'
import { APPLICATION_ID } from '#core/sqlite/schema.ts'
import { runToEnd } from '#core/yielding.ts'
import { generateHistory } from '#test/builders/history.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const folder = temporaryFolder()

/** A memory of the present version: two compacted conversations of which one was started by the other. */
async function presentMemory(): Promise<string> {
  const path = join(folder, 'present.db')
  const atMs = Date.UTC(2026, 0, 5, 9)
  const lcm = await openLcm(path, { create: true, clock: () => atMs })
  const store = new ConversationStore(lcm.requireWrite('store'), createTokenEstimator(), () => atMs)
  const settings = { freshTailCount: 4, leafChunkTokens: 200, leafTargetTokens: 80, minMessagesToCompact: 1 }
  for (const [seed, parentConversationId] of [
    [1, null],
    [2, 1],
  ] as const) {
    const session = { importer: 'golden', sessionId: `session-${seed}`, title: `Session ${seed}`, parentConversationId }
    const conversationId = store.ensureConversation(session)
    store.ingestBulk([{ conversationId, messages: generateHistory({ seed, messages: 12 }) }])
    const input = CompactInput.parse({ conversationId, settings })
    await runToEnd(lcm.compactionEngine().compact(input, new AbortController().signal))
  }
  lcm.close()
  return path
}

/** Writes what a memory of the present version holds as a memory of an earlier one. */
function asVersion(version: number, present: string): string {
  const path = join(folder, `version-${version}.db`)
  const db = new Database(path)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  for (const sql of migrations.slice(0, version)) db.exec(sql)
  db.pragma('foreign_keys = OFF')
  db.prepare('ATTACH ? AS present').run(present)
  const columnsOf = (schema: string, table: string): string[] =>
    db.prepare(`SELECT name FROM ${schema}.pragma_table_info(?, ?)`).pluck().all(table, schema) as string[]
  const tables = db
    .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_trigram\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'`)
    .pluck()
    .all() as string[]
  for (const table of tables) {
    const known = new Set(columnsOf('present', table))
    const columns = columnsOf('main', table).filter((name) => known.has(name))
    if (columns.length > 0) db.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM present.${table}`)
  }
  db.exec('DETACH present')
  db.pragma(`user_version = ${version}`)
  db.exec('VACUUM')
  db.close()
  return path
}

const present = await presentMemory()
for (let version = 1; version <= NATIVE_VERSION; version += 1) {
  const golden = join(import.meta.dirname, `native-${version}.db.gz`)
  if (existsSync(golden)) continue
  writeFileSync(golden, gzipSync(readFileSync(asVersion(version, present)), { level: 9 }))
  console.log(golden)
}
rmSync(folder, { recursive: true, force: true })
