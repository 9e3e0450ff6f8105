import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Counts } from '#core/activity/counts.ts'
import { exported } from '#core/browse/export/exported.ts'
import { toDot, toMermaid } from '#core/browse/export/to-graph.ts'
import { toHtml } from '#core/browse/export/to-html.ts'
import { toJson } from '#core/browse/export/to-json.ts'
import { toMarkdown } from '#core/browse/export/to-markdown.ts'
import { Provenance, ProvenanceInput } from '#core/contract/provenance.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { SurgeryEvent } from '#core/contract/surgery.ts'
import { CompactionRunRecord } from '#core/contract/time-travel.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { withoutSecrets } from '#core/sanitize.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { tablesOf } from '../builders/hostile-schemas.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { askEveryQuestion } from '../systems/every-question.ts'
import { askEveryService, withLcm } from '../systems/every-service.ts'

// Proves that a value of the wrong kind in any text column of any table is never an internal error: every service goes on
// with what is there, and in our own files the value is a finding at its row. The names that every object of JavaScript has
// are such values too, and keys of JSON.

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

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'x'.repeat(600)]

/** The same JSON with a name in the place of each key, and beside each key, in turn. */
function namedKeys(json: string, name: string): string[] {
  const keys = [...json.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*:)/g)]
  const at = ({ index = 0 }: RegExpMatchArray, text: string, length: number): string =>
    json.slice(0, index) + text + json.slice(index + length)
  return keys.flatMap((key) => [
    at(key, JSON.stringify(name), key[0].length),
    at(key, `${JSON.stringify(name)}: {"a": [1]}, `, 0),
  ])
}

/** A record of each kind that only our own files keep. */
const RECORDS = `
INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
SELECT 'run_' || value, 1, 'manual', 'full', 'deterministic', '{"prune": {"a": 1}}', 'test', value, 10 FROM generate_rows;
INSERT INTO compaction_events (event_id, run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms, attempts, newest_seq)
SELECT value, 'run_' || value, 1, value, 'leaf', (SELECT summary_id FROM summaries), 0, '[[0, "message", 1, 5]]', 'normal', 9, 3, 1,
  '[{"summarizer": "deterministic", "level": "normal", "outcome": "accepted", "durationMs": 1}]', 1 FROM generate_rows;
INSERT INTO surgery_events (surgery_id, conversation_id, at, kind, owner, newest_seq, window_from, window_to, summary, detail)
SELECT value, 1, value, 'rewrite', 'test', 1, '[1]', '["s"]', 'rewritten', '{"nodes": {"a": 1}}' FROM generate_rows;`

/**
 * In every text column of every table, each of the names in a row of its own, and each as a key wherever one stands in
 * JSON. The tables are what they were: a native file allows no other kinds, but whoever writes to it may turn that off and
 * drop the triggers that refuse changes.
 */
function namedCopy(sound: string): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(sound, path)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  for (const name of db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%'`)
    .pluck()
    .all()) {
    db.exec(`DROP TRIGGER "${name}"`)
  }
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'surgery_events'`).get()) {
    db.exec('CREATE TEMP TABLE generate_rows (value INTEGER)')
    for (let row = 1; row <= NAMES.length * 4; row += 1) db.exec(`INSERT INTO generate_rows VALUES (${row})`)
    db.exec(RECORDS)
  }
  for (const table of tablesOf(path)) {
    const columns = (db.pragma(`table_info("${table}")`) as Column[]).filter(({ type }) => /TEXT/i.test(type))
    const keys = (db.pragma(`table_info("${table}")`) as Column[]).filter(({ pk }) => pk > 0).map(({ name }) => name)
    const key = keys.length > 0 ? keys.map((name) => `"${name}"`).join(', ') : 'rowid'
    for (const [shift, { name: column }] of columns.entries()) {
      const rows = db
        .prepare(`SELECT ${key}, "${column}" AS value FROM "${table}" ORDER BY ${key}`)
        .raw()
        .all() as unknown[][]
      const put = db.prepare(
        `UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE (${key}) = (${key.replace(/[^,]+/g, '?')})`,
      )
      const json = rows.map((row) => row.at(-1)).find((value) => typeof value === 'string' && /^[[{].*:/s.test(value))
      const values = NAMES.flatMap((name) => [name, ...(typeof json === 'string' ? namedKeys(json, name) : [])])
      for (const [at, value] of values.entries()) {
        const row = rows[(at + shift * NAMES.length) % rows.length]
        if (row !== undefined && at < rows.length) put.run(value, ...row.slice(0, -1))
      }
    }
  }
  // Changed past the triggers, messages would be found by what they said before.
  if (tablesOf(path).includes('surgery_events')) {
    for (const index of ['messages_fts', 'messages_trigram'])
      db.exec(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`)
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
    it('answers every service for any value in any text column', async () => {
      const sound = soundFile(writer)
      for (const table of tablesOf(sound)) {
        const path = spoiltCopy(sound, table)
        await typed(() => withLcm(path, cacheDir, askEveryService))
        await typed(() =>
          withLcm(path, cacheDir, async (lcm) => {
            await typed(async () => runToEnd((await lcm.doctor()).repair.plan({}, never, null)))
            await typed(() => lcm.retrieval.grep(GrepInput.parse({ query: 'e', mode: 'literal' })))
          }),
        )
      }
    })
  },
)

describe.each([nativeWriter, ...LINES.values()].map((writer) => ({ name: writer.name, writer })))(
  'a file of $name',
  ({ writer }) => {
    it('answers every service when a value or a key is a name that all objects inherit', async () => {
      const path = namedCopy(soundFile(writer))
      await withLcm(path, cacheDir, askEveryService)
      await withLcm(path, cacheDir, (lcm) => askEveryQuestion(lcm, (_service, question) => question()))
      await withLcm(path, cacheDir, async (lcm) => runToEnd((await lcm.doctor()).repair.plan({}, never, null)))
      await withLcm(path, cacheDir, askTheRest)
      const to = join(temporaryFolder(), 'copy.db')
      await typed(() => withLcm(path, cacheDir, (lcm) => runToEnd(copyMemory({ from: lcm, to }, never))))
    })
  },
)

describe('a native file whose checks were turned off', () => {
  it('gets a finding at the row of each forbidden value, and shows the row', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    copyFileSync(soundFile(nativeWriter), path)
    const db = new Database(path)
    db.pragma('ignore_check_constraints = ON')
    db.exec('DROP TRIGGER messages_immutable; DROP TRIGGER message_parts_immutable')
    const first = (column: string, table: string): unknown => db.prepare(`SELECT ${column} FROM ${table}`).pluck().get()
    const summary = String(first('summary_id', 'summaries'))
    const message = Number(first('message_id', 'message_parts'))
    db.exec(`UPDATE summaries SET kind = 'constructor', level = '__proto__' WHERE summary_id = '${summary}';
      UPDATE messages SET role = 'toString' WHERE message_id = ${message};
      UPDATE message_parts SET part_type = 'hasOwnProperty' WHERE message_id = ${message}`)
    db.close()
    await withLcm(path, cacheDir, async (lcm) => {
      const report = await askEveryService(lcm)
      await askEveryQuestion(lcm, (_service, question) => question())
      await askTheRest(lcm)
      const samples = report.checks.find(({ id }) => id === 'invalid_value')?.samples ?? []
      expect(samples.map(({ id, detail }) => `${id}: ${detail}`).sort()).toEqual([
        `msg_${message}: its role is none of the known ones`,
        `msg_${message}: message_parts.part_type is 'hasOwnProperty'`,
        `${summary}: its kind is constructor`,
        `${summary}: summaries.level is '__proto__'`,
      ])
      expect(lcm.retrieval.describe(summary, 10)).toMatchObject({ kind: 'leaf', level: 'unknown' })
      expect(lcm.transcript.message(`msg_${message}`)).toMatchObject({ role: 'system', parts: [{ type: 'text' }] })
    })
  })
})

/** A copy of a sound file in which `change` stored what a table forbids, as a page of another table in its place may. */
function copyWithForbidden(table: string, forbidden: RegExp, change: string): string {
  const path = join(temporaryFolder(), 'lcm.db')
  copyFileSync(soundFile(nativeWriter), path)
  const edit = (edited: (declared: string) => string, then: string): void => {
    const db = new Database(path)
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    const declared = String(db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table))
    db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(edited(declared), table)
    db.exec(then)
    db.close()
  }
  let required = ''
  edit((declared) => {
    required = declared
    return declared.replace(forbidden, (words) => ' '.repeat(words.length))
  }, '')
  edit((declared) => declared, change)
  edit(() => required, '')
  return path
}

describe('a native file with a page of another table in the place of one of its own', () => {
  it('shows an empty text where a message has none, although the schema allows no such message', async () => {
    const change = 'DROP TRIGGER messages_immutable; UPDATE messages SET content = NULL WHERE message_id = 1'
    const path = copyWithForbidden('messages', /(?<=\bcontent +TEXT )NOT NULL/, change)
    await withLcm(path, cacheDir, (lcm) => {
      expect(lcm.read.value('SELECT content FROM messages WHERE message_id = 1')).toBeNull()
      expect(lcm.transcript.message('msg_1')).toMatchObject({ content: '' })
    })
  })

  it('is checked to the end where a message has a number for its text, although the schema allows no such message', async () => {
    const change = 'DROP TRIGGER messages_immutable; UPDATE messages SET content = 1777881661000 WHERE message_id = 1'
    const path = copyWithForbidden('messages', /(?<=\bcontent +)TEXT|\bSTRICT/g, change)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.read.value('SELECT typeof(content) FROM messages WHERE message_id = 1')).toBe('integer')
      const { checks } = await checkMemory(lcm)
      const found = checks.find(({ id }) => id === 'invalid_value')?.samples.map(({ detail }) => detail)
      expect(found).toContain('messages.content is 1777881661000')
    })
  })

  it('is checked to the end where a large file has no path, although the schema allows no such file', async () => {
    const change = 'UPDATE large_files SET storage_uri = NULL'
    const path = copyWithForbidden('large_files', /(?<=\bstorage_uri +TEXT )NOT NULL/, change)
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.read.value("SELECT count(*) FROM large_files WHERE typeof(storage_uri) = 'null'")).toBeGreaterThan(0)
      const { checks } = await checkMemory(lcm)
      expect(checks.find(({ id }) => id === 'invalid_value')?.samples.map(({ detail }) => detail)).toContain(
        'large_files.storage_uri is NULL',
      )
    })
  })
})

/** What is asked by none of the lists of questions. */
async function askTheRest(lcm: Lcm): Promise<void> {
  const conversations = lcm.stats.conversations().map(({ conversationId }) => conversationId)
  const all = conversations.map((id) => exported(lcm, id, withoutSecrets))
  for (const text of [toMarkdown(lcm.info, all), toHtml(lcm.info, all, true), toMermaid(all), toDot(all)])
    for (const _ of text);
  for (const _ of toJson(lcm.info, all, { isSanitized: true, asJson: (value) => value }));
  new Counts().showMemory('0123456789ab', { conversations: lcm.stats.conversations(), checks: [] })
  for (const id of conversations)
    z.array(CompactionRunRecord).parse(lcm.compactions.runs({ conversationId: id, created: 'listed' }))
  z.array(SurgeryEvent).parse((await lcm.doctor()).surgery.events(null))
  for (const summaryId of lcm.read.column<string>('SELECT summary_id FROM summaries')) {
    Provenance.parse(await lcm.provenance.find(ProvenanceInput.parse({ summaryId })))
  }
}

describe('a native file whose table of messages was rebuilt', () => {
  it('is shown, not written to, and gets a finding at the row of each forbidden value', async () => {
    const path = spoiltCopy(soundFile(nativeWriter), 'messages')
    await withLcm(path, cacheDir, async (lcm) => {
      expect(lcm.info.readOnlyReason).toMatch(/tables of the file anew \(messages\)/)
      const report = await checkMemory(lcm)
      const wrong = report.checks.find(({ id }) => id === 'invalid_value')
      expect(wrong?.count).toBeGreaterThan(0)
      expect(wrong?.samples.map(({ detail }) => detail).join('\n')).toMatch(/messages\.\w+ is (NULL|X'FF00FE'|7)/)
      expect(wrong?.samples.every(({ id }) => id?.startsWith('msg_'))).toBe(true)
      expect(lcm.read.value('SELECT count(*) FROM messages')).toBe(lcm.read.value('SELECT count(*) FROM main.messages'))
    })
  })
})
