import { cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import type { CheckResult, IntegrityReport } from '#core/contract/integrity.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { changedCopy, WITHOUT_CONSTRAINTS } from '#test/systems/foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

/** The report of every check on a file. */
export async function scanFile(path: string, conversationId?: number): Promise<IntegrityReport> {
  using lcm = await openLcm(path, { readOnly: true, cacheDir, settings: readSettings({}) })
  return await checkMemory(lcm, conversationId)
}

/** Checks that found anything, expected states included. */
export const fired = (report: IntegrityReport): string[] =>
  report.checks
    .filter(({ count }) => count > 0)
    .map(({ id }) => id)
    .sort()

/** Errors and warnings. */
export const wrong = (report: IntegrityReport): string[] =>
  report.checks.filter(({ count, severity }) => count > 0 && severity !== 'info').map(({ id }) => id)

/** Checks that fired although no check that fired explains them: each a fault of its own. */
export const faultsIn = (report: IntegrityReport): string[] =>
  report.checks.filter(({ count, consequenceOf }) => count > 0 && consequenceOf?.length === 0).map(({ id }) => id)

/** The result of one check. */
export function resultOf(report: IntegrityReport, id: string): CheckResult {
  const result = report.checks.find((check) => check.id === id)
  if (!result) throw new Error(`no check ${id}`)
  return result
}

/** A copy of a file of another system, with its folder of files, that something was done to. */
export function damagedCopy(path: string, damage: string | ((db: Database.Database) => void)): string {
  const copy = changedCopy(path, (db) => {
    db.exec(WITHOUT_CONSTRAINTS)
    if (typeof damage === 'string') db.exec(damage)
    else damage(db)
  })
  for (const folder of ['lcm-files', 'home']) {
    const from = join(dirname(path), folder)
    if (existsSync(from)) cpSync(from, join(dirname(copy), folder), { recursive: true, mode: 0 })
  }
  return copy
}
