import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { buildMemory } from '../builders/memory.ts'
import { decapodWriter } from '../builders/systems/decapod.ts'
import { losslessClawWriters } from '../builders/systems/lossless.ts'
import { piLcmWriter } from '../builders/systems/pi-lcm.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Every statement here runs in a process of its own, as in the window.

function coreOn(path: string): Core {
  const machine = new Machine({ env: { ...process.env, LCM_DATA_DIR: temporaryFolder() }, resourcesDir: 'resources' })
  const open = { cacheDir: temporaryFolder() }
  const core = new Core({ path, open, machine, execute: executeHere(open), isRemembered: false })
  onTestFinished(() => core.close())
  return core
}

function memory(): string {
  const built = buildMemory()
  const conversation = built.conversation()
  built.leaf(conversation, built.messages(conversation, 6).slice(0, 4))
  built.db.close()
  return built.path
}

const run = (core: Core, sql: string, more = {}, signal?: AbortSignal) =>
  core.runSql({ sql, limit: 1000, timeoutMs: 200_000, ...more }, signal)

const contentsOf = (path: string) =>
  readdirSync(dirname(path)).map((name) => [name, readFileSync(join(dirname(path), name)).toString('base64')])

describe('a statement of the user', () => {
  it('can be written with the names of tables and columns as they are listed, whatever these contain', async () => {
    const path = memory()
    const db = new Database(path)
    db.exec(`CREATE TABLE "it's a ""note" ("a b", c); INSERT INTO "it's a ""note" VALUES (7, 8)`)
    db.close()
    const core = coreOn(path)
    const table = (await core.sqlTables()).find(({ name }) => name.includes('note'))
    expect(table).toEqual({ name: `"it's a ""note"`, kind: 'file', columns: ['"a b"', 'c'] })
    expect((await run(core, `SELECT ${table?.columns[0]} FROM ${table?.name}`)).rows).toEqual([[7]])
  })

  it('returns columns and rows, bytes as hexadecimal, and names of columns also without a row', async () => {
    const core = coreOn(memory())
    expect(
      await run(core, `SELECT count(*) AS n, x'00ff' AS b, NULL AS x, 'a' AS n FROM messages; -- all`),
    ).toMatchObject({
      columns: ['n', 'b', 'x', 'n'],
      rows: [[6, { hex: '00ff', bytes: 2 }, null, 'a']],
      cut: null,
      cutValues: 0,
    })
    expect(await run(core, 'SELECT 9007199254740991, 9007199254740993, -9223372036854775807, 1e999')).toMatchObject({
      rows: [[9007199254740991, '9007199254740993', '-9223372036854775807', 'Infinity']],
    })
    expect(await run(core, 'SELECT role FROM messages WHERE 0')).toMatchObject({ columns: ['role'], rows: [] })
    expect(await core.sqlTables()).toContainEqual({
      name: 'summary_messages',
      kind: 'memory',
      columns: ['summary_id', 'message_id', 'ordinal'],
    })
  })

  it('says when there are more rows than were asked for, and when a text is cut', async () => {
    const core = coreOn(memory())
    const counting = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c'
    expect(await run(core, counting, { limit: 3 })).toMatchObject({ rows: [[1], [2], [3]], cut: 'rows' })
    expect(await run(core, `${counting} LIMIT 3`, { limit: 3 })).toMatchObject({ rows: [[1], [2], [3]], cut: null })
    const long = await run(core, `SELECT hex(zeroblob(200000)) AS long, zeroblob(2000) FROM messages`)
    expect(long).toMatchObject({ cutValues: 12, cut: null })
    const wide = await run(core, `${counting.replace('SELECT n FROM c', 'SELECT hex(zeroblob(90000)) FROM c')}`)
    expect([wide.cut, wide.rows.length < 200]).toEqual(['bytes', true])
  })

  it.each([
    `DELETE FROM messages`,
    `UPDATE messages SET content = ''`,
    `INSERT INTO conversations (session_id) VALUES ('x') RETURNING *`,
    `WITH x AS (SELECT 1) DELETE FROM messages`,
    `WITH x AS (SELECT 1) INSERT INTO conversations (session_id) SELECT 'x' FROM x RETURNING *`,
    `/* SELECT */ DROP TABLE messages`,
    `ATTACH '/tmp/lcm-other.db' AS other`,
    `PRAGMA journal_mode = DELETE`,
    `PRAGMA user_version = 9`,
    `VACUUM INTO '/tmp/lcm-other.db'`,
    `BEGIN IMMEDIATE`,
    `CREATE TEMP TABLE t (a)`,
    `SELECT 1; DELETE FROM messages`,
    `SELECT ';' AS a -- ;\n; DROP TABLE messages`,
    `REINDEX`,
    `-- nothing`,
  ])('is refused with a typed error when it does more than read: %s', async (sql) => {
    const path = memory()
    const core = coreOn(path)
    await core.lcm()
    const before = new Database(path, { readonly: true })
    const version = before.pragma('data_version')
    await expect(run(core, sql)).rejects.toMatchObject({ code: 'statement_refused' })
    expect(before.pragma('data_version')).toEqual(version)
    before.close()
  })

  it.each([
    [`SELECT load_extension('/tmp/evil.so')`, /load_extension|not authorized/],
    [`SELECT * FROM nowhere`, /no such table: nowhere/],
    [`SELEC 1`, null],
    [`SELECT writefile('/tmp/lcm-other', 'x')`, /no such function/],
  ])('fails as the mistake of its writer when SQLite does not run it: %s', async (sql, says) => {
    await expect(run(coreOn(memory()), sql)).rejects.toMatchObject(
      says === null
        ? { code: 'statement_refused' }
        : { code: 'invalid_argument', message: expect.stringMatching(says) },
    )
  })

  it('is stopped when its time is over or nobody waits any more, in the middle of a step that never ends', async () => {
    const core = coreOn(memory())
    const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c'
    await expect(run(core, endless, { timeoutMs: 1500 })).rejects.toMatchObject({ code: 'statement_stopped' })
    const stop = new AbortController()
    const stopped = expect(run(core, endless, {}, stop.signal)).rejects.toMatchObject({ code: 'cancelled' })
    stop.abort()
    await stopped
    // The core itself was never held up.
    expect((await core.lcm()).stats.stats()).toMatchObject({ messages: 6 })
  })

  it.each([losslessClawWriters.at(-1), piLcmWriter, decapodWriter].flatMap((writer) => writer ?? []))(
    'reads a file of $name by the names of every memory, without a trace',
    async (writer) => {
      const path = join(temporaryFolder(), 'memory.db')
      writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 3 })))
      const before = contentsOf(path)
      const core = coreOn(path)
      const { messages } = (await core.lcm()).stats.stats()
      expect((await run(core, 'SELECT count(*) FROM messages')).rows).toEqual([[messages]])
      expect((await core.sqlTables()).some(({ kind }) => kind === 'file')).toBe(true)
      await expect(run(core, 'DELETE FROM main.messages')).rejects.toMatchObject({ code: 'statement_refused' })
      await core.close()
      expect(contentsOf(path)).toEqual(before)
    },
  )
})

describe('queries that the user keeps', () => {
  it('are listed by name, replaced by one of the same name, and removed', async () => {
    const { queries } = coreOn(memory())
    await queries.save({ name: 'b', sql: 'SELECT 2' })
    await queries.save({ name: 'a', sql: 'SELECT 1' })
    expect(await queries.save({ name: 'b', sql: 'SELECT 3' })).toEqual([
      { name: 'a', sql: 'SELECT 1' },
      { name: 'b', sql: 'SELECT 3' },
    ])
    expect(await queries.remove('a')).toEqual(queries.list())
  })
})
