// Writes a file of 10,000 messages for each system, enough to tell a piece from the whole; that takes most of the time.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { inspectFile } from '#core/sqlite/memory-file.ts'
import { connectReadOnly } from '#core/sqlite/route.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'
import { openingForeign } from '#core/systems/opening/open-foreign.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { systemOf } from '#core/systems/systems.ts'
import { withoutYielding } from '#core/yielding.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { piLcmWriter } from '../builders/systems/pi-lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { writeSystemMemory } from '../perf/system-memory.ts'

const MESSAGES = 10_000
/** Rows that may be written, indexed or returned between two yields: some milliseconds, whatever the size of the file. */
const MOST_AT_ONCE = 6000

/** Counts the rows that a connection writes, indexes and returns. */
function counted(db: PreparableDb): { readonly db: PreparableDb; take(): number } {
  let work = 0
  const add = <T>(rows: T, count: number): T => {
    work += count
    return rows
  }
  const changes = (): number => db.value<number>('SELECT total_changes()') ?? 0
  function* stepping<T>(rows: IterableIterator<T>): Generator<T> {
    for (const row of rows) yield add(row, 1)
  }
  /** A row that packs many begins with their number. */
  const packed = (rows: readonly unknown[]): number =>
    rows.length === 1 && Array.isArray(rows[0]) && rows[0].length > 5 ? Number(rows[0][0]) : rows.length
  const watched: PreparableDb = {
    ...db,
    all: (sql, params) => {
      const rows = db.all<never>(sql, params)
      return add(rows, rows.length)
    },
    rows: (sql, params) => {
      const rows = db.rows<never>(sql, params)
      return add(rows, packed(rows))
    },
    column: (sql, params) => {
      const rows = db.column<never>(sql, params)
      return add(rows, rows.length)
    },
    iterate: (sql, params) => stepping(db.iterate<never>(sql, params)),
    iterateRows: (sql, params) => stepping(db.iterateRows<never>(sql, params)),
    run: (sql, params) => {
      const count = db.run(sql, params)
      return add(count, count)
    },
    runRaw: (sql, values) => {
      const count = db.runRaw(sql, values)
      return add(count, count)
    },
    exec: (sql) => {
      const before = changes()
      db.exec(sql)
      work += changes() - before
      for (const [, table] of sql.matchAll(/CREATE (?:UNIQUE )?INDEX[^;]* ON (\w+)/g)) {
        work += db.value<number>(`SELECT count(*) FROM temp.${table}`) ?? 0
      }
    },
  }
  return {
    db: watched,
    take() {
      const done = work
      work = 0
      return done
    },
  }
}

/** Runs a generator to its end, and returns its result with the work of each of its pieces. */
function pieces<T>(work: Generator<void, T>, take: () => number): { readonly value: T; readonly rows: number[] } {
  const rows: number[] = []
  for (;;) {
    const step = work.next()
    rows.push(take())
    if (step.done) return { value: step.value, rows }
  }
}

describe.each(WRITERS)('a file of $name', (writer) => {
  it('is opened and read in pieces that do not grow with it', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    writeSystemMemory(writer, path, MESSAGES)
    const file = await inspectFile(path)
    const connection = connectReadOnly(file, () => null)
    const { db, take } = counted(connection.db)
    const opening = pieces(openingForeign(file, { ...connection, db }), take)
    const { read, facts, close } = opening.value
    try {
      const reading = pieces(readingMemory(read, systemOf(facts.system).facts.storedNumbers), take)
      expect(reading.value.messages.length).toBe(MESSAGES)
      expect(Math.max(...opening.rows)).toBeLessThan(MOST_AT_ONCE)
      expect(Math.max(...reading.rows)).toBeLessThan(MOST_AT_ONCE)
    } finally {
      close()
    }
  })
})

describe('what links are made from', () => {
  /** How often links are read to be compared with later. */
  async function timesNoted(path: string): Promise<number> {
    const file = await inspectFile(path)
    const connection = connectReadOnly(file, () => null)
    let noted = 0
    const rows: PreparableDb['rows'] = (sql, params) => {
      if (/group_concat\(text.*FROM main\.summary_sources/s.test(sql)) noted += 1
      return connection.db.rows(sql, params)
    }
    withoutYielding(openingForeign(file, { ...connection, db: { ...connection.db, rows } })).close()
    return noted
  }

  it('is noted beside a writer, and not of a file that stays as it is while it is open', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    writeSystemMemory(piLcmWriter, path, 200)
    expect(await timesNoted(path)).toBe(0)
    const writer = new Database(path)
    writer.pragma('journal_mode = WAL')
    writer.exec('UPDATE messages SET role = role')
    expect(await timesNoted(path)).toBeGreaterThan(0)
    writer.close()
  })
})
