import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SalvageReport } from '#core/contract/salvage.ts'
import { salvageMemory } from '#core/doctor/salvage/salvage-memory.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'

const small = join(FIXTURES, 'lossless-claw/small.db')
const PAGE = 4096

async function salvage(from: string, to: string, signal = new AbortController().signal): Promise<SalvageReport> {
  return await runToEnd(salvageMemory({ from, to }, signal))
}

/** A copy of the fixture with pages overwritten. Page 1, the header, stays. */
function damaged(pages: readonly number[], fill = 0x55): string {
  const path = join(temporaryFolder(), 'damaged.db')
  const bytes = Buffer.from(readFileSync(small))
  const count = bytes.length / PAGE
  for (const page of pages) {
    const at = (1 + (page % (count - 1))) * PAGE
    bytes.fill(fill, at, at + PAGE)
  }
  writeFileSync(path, bytes)
  return path
}

/** Numbers of the pages of a table, from the front of the file to its end. https://www.sqlite.org/dbstat.html */
function pagesOf(path: string, table: string): number[] {
  const db = new Database(path)
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno').pluck().all(table) as number[]
  db.pragma('journal_mode = DELETE')
  db.close()
  return pages
}

const rows = (report: SalvageReport): Record<string, number> =>
  Object.fromEntries(report.tables.map(({ table, read }) => [table, read]))

async function contents(path: string): Promise<Map<string, string>> {
  const lcm = await openLcm(path, { readOnly: true })
  const read = lcm.read.all<{ id: number; content: string }>('SELECT message_id AS id, content FROM messages')
  lcm.close()
  return new Map(read.map(({ id, content }) => [`msg_${id}`, content]))
}

describe('the salvage of a file', () => {
  it('saves everything of a sound file', async () => {
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(small, to)
    expect(report).toMatchObject({ isWhole: true, isSound: true, missingBytes: 0, system: 'lossless-claw' })
    expect(rows(report)).toEqual({
      conversations: 1,
      messages: 68,
      message_parts: 87,
      summaries: 20,
      summary_messages: 58,
      summary_sources: 18,
      context_items: 12,
      large_files: 2,
    })
    expect(await contents(to)).toEqual(await contents(small))
  })

  it('saves what stands before the cut of a truncated file, and says how much is missing', async () => {
    const path = damaged([])
    const pages = pagesOf(path, 'messages')
    truncateSync(path, (pages[pages.length >> 1] ?? 0) * PAGE + 7)
    const report = await salvage(path, join(temporaryFolder(), 'saved.db'))
    expect(report.missingBytes).toBe(statSync(small).size - statSync(path).size)
    expect(rows(report).messages).toBeGreaterThan(10)
    expect(report.isWhole).toBe(false)
    expect(report.isSound).toBe(true)
  })

  it('keeps the sources of summaries that are lost', async () => {
    const path = damaged([])
    // The table of summaries is behind the cut, everything else before it.
    const db = new Database(path)
    db.exec(`CREATE TABLE loose AS SELECT * FROM summaries; PRAGMA foreign_keys = OFF; DROP TABLE summaries;
      ALTER TABLE loose RENAME TO summaries`)
    db.pragma('journal_mode = DELETE')
    db.close()
    truncateSync(path, ((pagesOf(path, 'summaries')[0] ?? 0) - 1) * PAGE)
    const report = await salvage(path, join(temporaryFolder(), 'saved.db'))
    expect(rows(report)).toMatchObject({ summaries: 0, summary_messages: 58, summary_sources: 18 })
    const names = report.tables.flatMap(({ lost }) => lost.map(({ from }) => from))
    expect(names).not.toContain('links of summaries that are lost themselves')
  })

  it('saves only true rows, names the lost ones and leaves the original unchanged, whatever pages are damaged', async () => {
    const original = await contents(small)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(0x00, 0x55, 0xff),
        async (pages, fill) => {
          const path = damaged(pages, fill)
          const before = readFileSync(path)
          const folder = temporaryFolder()
          const to = join(folder, 'saved.db')
          const report = await salvage(path, to).catch((error: { code?: string }) => {
            expect(['file_corrupt', 'not_a_memory']).toContain(error.code)
            return null
          })
          expect(readFileSync(path).equals(before)).toBe(true)
          if (!report) {
            expect(readdirSync(folder)).toEqual([])
            return
          }
          expect(report.isSound).toBe(true)
          expect(readdirSync(folder)).toEqual(['saved.db'])
          const saved = await contents(to)
          for (const [id, content] of saved) expect(content).toBe(original.get(id))
          if (saved.size < original.size) expect(report.isWhole).toBe(false)
        },
      ),
      { numRuns: runs(10) },
    )
  })

  it('keeps rows whose session or place is used twice', async () => {
    const path = damaged([])
    const db = new Database(path)
    db.exec(`PRAGMA foreign_keys = OFF;
      CREATE TABLE loose AS SELECT * FROM messages; DROP TABLE messages; ALTER TABLE loose RENAME TO messages;
      INSERT INTO conversations (conversation_id, session_id) SELECT 2, session_id FROM conversations;
      UPDATE messages SET conversation_id = 2, seq = 1 WHERE message_id > 66`)
    db.close()
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(path, to)
    expect(rows(report)).toMatchObject({ conversations: 2, messages: 68 })
    expect(await contents(to)).toEqual(await contents(small))
    expect(report.tables.find(({ table }) => table === 'messages')?.refused).toBe(0)
  })

  it('refuses a target that exists', async () => {
    const to = join(temporaryFolder(), 'there.db')
    copyFileSync(small, to)
    await expect(salvage(small, to)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('reports that a file without any structure is no database', async () => {
    const path = join(temporaryFolder(), 'noise.db')
    writeFileSync(path, Buffer.alloc(10_000, 7))
    await expect(salvage(path, `${path}.saved`)).rejects.toMatchObject({ code: 'not_a_database' })
    expect(existsSync(`${path}.saved`)).toBe(false)
  })

  it('names the given file when it is no memory', async () => {
    const path = join(temporaryFolder(), 'other.db')
    new Database(path).exec('CREATE TABLE things (a)').close()
    const refused = salvage(path, join(temporaryFolder(), 'saved.db'))
    await expect(refused).rejects.toMatchObject({ code: 'not_a_memory', details: { path } })
    await expect(refused).rejects.toThrow(`${path} is a database of something else`)
  })

  it('leaves nothing behind when it is cancelled', async () => {
    const folder = temporaryFolder()
    const to = join(folder, 'saved.db')
    await expect(salvage(small, to, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
  })
})

const sample = join(import.meta.dirname, '../../../resources/sample.db')

/** A copy of the sample memory that something was done to. */
function ours(damage: (bytes: Buffer) => Buffer): string {
  const path = join(temporaryFolder(), 'ours.db')
  writeFileSync(path, damage(Buffer.from(readFileSync(sample))))
  return path
}

/** The page that leads to the messages of the sample, and one in the middle that holds some. */
function pagesOfMessages(): { readonly root: number; readonly leaf: number } {
  const db = new Database(sample, { readonly: true })
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = ? ORDER BY path").pluck()
  const [root, leaves] = [Number(pages.get('internal')), pages.all('leaf') as number[]]
  db.close()
  return { root, leaf: leaves[leaves.length >> 1] ?? 0 }
}

/** A copy of the sample in which nothing is left of some pages. */
const without = (...gone: readonly number[]): string =>
  ours((bytes) => {
    for (const page of gone) bytes.fill(0, (page - 1) * PAGE, page * PAGE)
    return bytes
  })

const TABLES = ['conversations', 'messages', 'message_parts', 'summaries', 'summary_messages', 'summary_sources']

/** Rows of the tables that matter, as texts. */
async function allRows(path: string): Promise<Map<string, Set<string>>> {
  const lcm = await openLcm(path, { readOnly: true })
  const rowsOf = (table: string): Set<string> =>
    new Set(lcm.read.all(`SELECT * FROM ${table}`).map((row) => JSON.stringify(row)))
  const rows = new Map([...TABLES, 'context_items', 'large_files'].map((table) => [table, rowsOf(table)]))
  lcm.close()
  return rows
}

describe('the salvage of a native file', async () => {
  const original = await allRows(sample)
  const expectTrue = (saved: ReadonlyMap<string, ReadonlySet<string>>): void => {
    for (const [table, rows] of saved) expect([...rows].filter((row) => !original.get(table)?.has(row))).toEqual([])
  }

  it.each([
    ['whose first page is lost', (bytes: Buffer) => bytes.fill(0, 0, PAGE)],
    ['whose table of contents is lost', (bytes: Buffer) => bytes.fill(0x55, 100, PAGE)],
    ['that lacks its last page', (bytes: Buffer) => bytes.subarray(0, bytes.length - PAGE)],
  ])('gives every row of a file %s', async (_what, damage) => {
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(ours(damage), to)
    expect(report).toMatchObject({ system: 'native', byPages: true, isWhole: false, isSound: true })
    expect(readdirSync(dirname(to))).toEqual(['saved.db'])
    expect(await allRows(to)).toEqual(original)
  })

  it.each([0.9, 0.6, 0.35])('gives what stands before the cut when %d of its length is left', async (part) => {
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(
      ours((bytes) => bytes.subarray(0, Math.floor(bytes.length * part))),
      to,
    )
    expect(report).toMatchObject({ byPages: true, isWhole: false, isSound: true })
    expect(rows(report).messages).toBeGreaterThan(200)
    expectTrue(await allRows(to))
  })

  it('finds rows whose index page is damaged', async () => {
    const root = await openLcm(sample, { readOnly: true })
    const page = root.read.value<number>("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'") ?? 0
    root.close()
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(
      ours((bytes) => bytes.fill(0, (page - 1) * PAGE, page * PAGE)),
      to,
    )
    expect(report).toMatchObject({ byPages: false, isWhole: false, isSound: true })
    expect(await allRows(to)).toEqual(original)
  })

  it('names the messages between others whose pages are damaged, also where rows are found page by page', async () => {
    const to = join(temporaryFolder(), 'saved.db')
    const { root, leaf } = pagesOfMessages()
    const report = await salvage(without(root, leaf), to)
    const lcm = await openLcm(to, { readOnly: true })
    const saved = lcm.read.all<{ conversation: number; seq: number }>(
      'SELECT conversation_id AS conversation, seq FROM messages',
    )
    lcm.close()
    const isThere = new Set(saved.map(({ conversation, seq }) => `${conversation} ${seq}`))
    const lost = report.tables.find(({ table }) => table === 'messages')?.lost ?? []
    const gaps = lost.filter(({ from }) => from.startsWith('conversation'))
    expect(gaps.length).toBeGreaterThan(0)
    for (const { from, to: end } of gaps) {
      const [conversation, first] = from.match(/\d+/g)?.map(Number) ?? []
      const last = Number(end.match(/\d+$/)?.[0])
      for (let number = first ?? 0; number <= last; number += 1)
        expect(isThere.has(`${conversation} ${number - 1}`)).toBe(false)
      expect(isThere.has(`${conversation} ${last}`)).toBe(true)
    }
  })

  it('names a lost message only by its place in its conversation when its id is known, too', async () => {
    const report = await salvage(without(pagesOfMessages().leaf), join(temporaryFolder(), 'saved.db'))
    const { lost, lostRanges } = report.tables.find(({ table }) => table === 'messages') ?? { lost: [] }
    expect(lost.map(({ from }) => from.replace(/\d+/g, 'n'))).toEqual(lost.map(() => 'conversation n message n'))
    expect([lost.length > 0, lostRanges]).toEqual([true, lost.length])
  })

  it('keeps the stored hash of a text that was changed', async () => {
    const path = join(temporaryFolder(), 'changed.db')
    copyFileSync(sample, path)
    const db = new Database(path)
    db.exec("DROP TRIGGER messages_immutable; UPDATE messages SET content = 'forged' WHERE message_id = 3")
    db.close()
    const to = join(temporaryFolder(), 'saved.db')
    await salvage(path, to)
    using lcm = await openLcm(to, { readOnly: true })
    expect(
      (await lcm.doctor()).integrity
        .findNow(['content_hash'], null)
        .get('content_hash')
        ?.map(({ id }) => id),
    ).toEqual(['msg_3'])
  })

  it('reads what was committed in the log beside the file', async () => {
    const path = join(temporaryFolder(), 'logged.db')
    copyFileSync(sample, path)
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.pragma('wal_autocheckpoint = 0')
    db.exec("UPDATE conversations SET title = 'from the log'")
    const left = join(temporaryFolder(), 'left.db')
    const bytes = Buffer.from(readFileSync(path)).fill(0x55, 100, PAGE)
    writeFileSync(left, bytes)
    copyFileSync(`${path}-wal`, `${left}-wal`)
    db.close()
    const to = join(temporaryFolder(), 'saved.db')
    const report = await salvage(left, to)
    using lcm = await openLcm(to, { readOnly: true })
    expect(lcm.read.column('SELECT DISTINCT title FROM conversations')).toEqual(['from the log'])
    expect(report.byPages).toBe(true)
  })
})
