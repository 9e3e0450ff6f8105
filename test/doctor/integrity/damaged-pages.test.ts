import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { LcmError } from '#core/errors.ts'
import { runs } from '#test/builders/property-runs.ts'
import { Random } from '#test/builders/random.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { copyInto } from '#test/systems/foreign-files.ts'
import { resultOf, scanFile } from './scan-file.ts'

const SMALL = join(FIXTURES, 'lossless-claw/small.db')
const PAGE = 4096

/** Numbers of the pages that hold anything, without the first. https://www.sqlite.org/dbstat.html */
function usedPages(): number[] {
  const db = new Database(copyInto(temporaryFolder(), SMALL))
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE pageno > 1').pluck().all() as number[]
  db.close()
  return pages
}

/** A copy in which some pages hold noise. The first page is spared: without it nothing is a database. */
function scratched(seed: number, pages: number): string {
  const random = new Random(seed)
  const copy = copyInto(temporaryFolder(), SMALL)
  const bytes = readFileSync(copy)
  for (let count = 0; count < pages; count += 1) {
    const page = random.pick(usedPages()) - 1
    for (let at = 0; at < PAGE; at += 1) bytes[page * PAGE + at] = random.int(0, 256)
  }
  writeFileSync(copy, bytes)
  return copy
}

/** Every row of the tables that hold what was said and what was made of it, read without their indexes. */
function rowsOf(path: string): unknown[] {
  const db = new Database(path, { readonly: true })
  const tables = ['conversations', 'messages', 'message_parts', 'summaries', 'summary_messages', 'context_items']
  const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} NOT INDEXED`).all())
  db.close()
  return rows
}

describe('a file with damaged pages', () => {
  const whole = rowsOf(copyInto(temporaryFolder(), SMALL))

  it('is checked as far as it can be read, and the check of SQLite names the damage', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(100_000), fc.integer({ min: 1, max: 4 }), async (seed, pages) => {
        const path = scratched(seed, pages)
        const report = await scanFile(path).catch((error: unknown) => error)
        // Where the schema itself cannot be read, opening says so.
        if (report instanceof LcmError) {
          expect(report.code).toBe('file_corrupt')
          return
        }
        expect(report).toMatchObject({ ok: false })
        const [anything, indexes] = ['sqlite_integrity', 'index_damaged'].map(
          (id) => resultOf(report as IntegrityReport, id).count,
        )
        expect((anything ?? 0) + (indexes ?? 0)).toBeGreaterThan(0)
        // "No text is lost" is said of a file only when every row is as it was.
        if (indexes !== 0 && anything === 0) expect(rowsOf(path)).toEqual(whole)
      }),
      { numRuns: runs(25) },
    ))
})
