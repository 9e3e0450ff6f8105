import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { LcmError } from '../../core/errors.ts'
import { tablesOf } from '../builders/hostile-schemas.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { finish } from '../dialects/every-question.ts'
import { askEveryService, withLcm } from '../dialects/every-service.ts'

// Proves that a value of the wrong kind in any text column of any table is never an internal error: every service goes on
// with what is there, and in our own files the value is a finding at its row.

const ODD = ['NULL', `x'ff00fe'`, '7', `CAST(x'61ff00fe62' AS TEXT)`, `''`]
const cacheDir = join(temporaryFolder(), 'cache')
const never = new AbortController().signal

type Column = { readonly name: string; readonly type: string; readonly pk: number }

const kindOf = (columns: readonly Column[], { type, pk }: Column): string => {
  if (!/INT/i.test(type)) return ''
  return pk === 1 && columns.filter((column) => column.pk > 0).length === 1 ? 'INTEGER PRIMARY KEY' : 'INTEGER'
}

/** Every text column of a table holds each odd value in a row of its own, columns apart. */
function spoiltCopy(sound: string, table: string): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(sound, path)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.pragma('legacy_alter_table = ON')
  for (const name of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).pluck().all()) {
    db.exec(`DROP TRIGGER "${name}"`)
  }
  const columns = db.pragma(`table_info("${table}")`) as Column[]
  db.exec(`CREATE TABLE loose (${columns.map((column) => `"${column.name}" ${kindOf(columns, column)}`).join(', ')});
    INSERT INTO loose SELECT * FROM "${table}"; DROP TABLE "${table}"; ALTER TABLE loose RENAME TO "${table}"`)
  const rows = db.prepare(`SELECT rowid FROM "${table}" ORDER BY rowid`).pluck().all() as number[]
  const texts = columns.filter(({ type }) => /TEXT/i.test(type))
  for (const [shift, { name }] of texts.entries()) {
    for (const [at, value] of ODD.entries()) {
      const row = rows[(at + shift * ODD.length) % rows.length]
      if (row !== undefined) db.exec(`UPDATE "${table}" SET "${name}" = ${value} WHERE rowid = ${row}`)
    }
  }
  db.pragma('journal_mode = DELETE')
  db.close()
  return path
}

/** Typed errors name what is wrong; anything else is a bug. */
async function typed(body: () => unknown): Promise<void> {
  try {
    await body()
  } catch (error) {
    if (error instanceof LcmError && error.code !== 'internal' && error.code !== 'sqlite_failed') return
    throw error
  }
}

function soundFile(writer: SystemWriter): string {
  const path = join(temporaryFolder(), 'lcm.db')
  writeStory(writer, path, writer.tell(tellStory({ seed: 5, turns: 6 })))
  return path
}

const LINES = new Map(WRITERS.map((writer) => [writer.name.split(/[ ,]/)[0], writer]))

describe.each([nativeWriter, ...LINES.values()].map((writer) => ({ name: writer.name, writer })))(
  'a file of $name',
  ({ writer }) => {
    it('with any value in any text column answers every service', { timeout: 60_000 }, async () => {
      const sound = soundFile(writer)
      for (const table of tablesOf(sound)) {
        const path = spoiltCopy(sound, table)
        await typed(() => withLcm(path, cacheDir, askEveryService))
        await typed(() => withLcm(path, cacheDir, (lcm) => finish(lcm.repair.plan({}, never, null))))
        await typed(() =>
          withLcm(path, cacheDir, (lcm) => lcm.retrieval.grep(GrepInput.parse({ query: 'e', mode: 'literal' }))),
        )
      }
    })
  },
)

describe('a native file whose table of messages was made anew', () => {
  it('shows what is there, is not written to, and has a finding at the row of each value', async () => {
    const path = spoiltCopy(soundFile(nativeWriter), 'messages')
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.readOnlyReason).toMatch(/tables of the file anew \(messages\)/)
      const report = await finish(lcm.integrity.run(undefined, never))
      const wrong = report.checks.find(({ id }) => id === 'invalid_value')
      expect(wrong?.count).toBeGreaterThan(0)
      expect(wrong?.samples.map(({ detail }) => detail).join('\n')).toMatch(/messages\.\w+ is (NULL|X'FF00FE'|7)/)
      expect(wrong?.samples.every(({ id }) => id?.startsWith('msg_'))).toBe(true)
      expect(lcm.read.value('SELECT count(*) FROM messages')).toBe(lcm.read.value('SELECT count(*) FROM main.messages'))
    })
  })
})
