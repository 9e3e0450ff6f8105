import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import Database from 'better-sqlite3'
import { openLcm } from '#core/lcm.ts'
import type {} from '#renderer/host.ts'
import { inProject } from '#scripts/project.mjs'
import { TestMemory } from '../builders/memory.ts'
import { writeSystemFiles } from '../builders/systems/written-files.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import type { HostKind } from './app.ts'

let systemFiles: string | null = null

/** A file of another system, as `test/builders/systems` writes it; it is only to be read or copied. */
export function systemFile(name: string): string {
  if (systemFiles === null) {
    systemFiles = temporaryFolder()
    writeSystemFiles(systemFiles)
  }
  return join(systemFiles, name)
}

/** A copy of the sample memory that may be written to. */
export function sampleCopy(home: string, name = 'sample.db'): string {
  const path = join(home, name)
  copyFileSync(inProject('resources/sample.db'), path)
  return path
}

export type Facts = {
  readonly conversations: number
  /** The conversation with the most messages; it is the first to be shown. */
  readonly conversationId: number
  readonly title: string
  readonly messages: number
  readonly summaries: number
  readonly contextTokens: number
}

/** What a memory holds, as the core says it. */
export async function factsOf(path: string): Promise<Facts> {
  const lcm = await openLcm(path, { readOnly: true })
  const rows = lcm.stats.conversations()
  lcm.close()
  const largest = rows.toSorted((a, b) => b.messages - a.messages)[0]
  if (!largest) throw new Error(`${path} holds no conversation`)
  return { ...largest, conversations: rows.length, title: largest.title ?? largest.sessionId }
}

/** Turns the window to another file, as its own buttons do. */
export async function turnTo(page: Page, path: string, hostKind: HostKind): Promise<void> {
  if (hostKind === 'browser') {
    await page.goto(new URL(`/?file=${encodeURIComponent(path)}`, page.url()).href)
    return
  }
  // The page asks, and is replaced some time later.
  const replaced = page.waitForEvent('domcontentloaded')
  await page.evaluate((file) => window.lcmHost?.openMemory(file), path)
  await replaced
}

/** The hits of the search view, without the headings of their conversations. */
export const hitsOf = (page: Page): Locator =>
  page.getByRole('grid', { name: 'Hits' }).getByRole('row').and(page.locator('[data-node^=msg_], [data-node^=sum_]'))

/** A memory made by SQL, closed and ready to open. */
export function builtMemory(home: string, fill: (memory: TestMemory) => void, name = 'built.db'): string {
  const memory = new TestMemory(join(home, name))
  fill(memory)
  memory.db.close()
  return memory.path
}

/** Overwrites the first page of a table, as a fault of the disk does. */
export function damageTable(path: string, table: string): void {
  const db = new Database(path)
  db.pragma('journal_mode = delete')
  const [pageBytes, rootPage] = [
    Number(db.pragma('page_size', { simple: true })),
    Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table)),
  ]
  db.close()
  const bytes = readFileSync(path)
  bytes.fill(0xff, (rootPage - 1) * pageBytes, rootPage * pageBytes)
  writeFileSync(path, bytes)
}

/** One file of each kind that cannot be opened, with what the window calls it. */
export function badFiles(home: string): readonly { path: string; title: string; says: RegExp }[] {
  const at = (name: string): string => join(home, name)
  writeFileSync(at('notes.db'), 'these are notes, and no database at all, however long they may become in the end')
  writeFileSync(at('empty.db'), '')
  const other = new Database(at('places.sqlite'))
  other.exec('CREATE TABLE moz_places (id); CREATE TABLE moz_cookies (id)')
  other.close()
  const whole = new Database(at('whole.db'))
  whole.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000))')
  const bytes = whole.serialize()
  whole.close()
  writeFileSync(at('cut.db'), bytes.subarray(0, 20_000))
  builtMemory(home, (memory) => memory.db.exec('PRAGMA user_version = 99'), 'newer.db')
  return [
    { path: at('missing.db'), title: 'There is no file at this path', says: /check the path/ },
    { path: home, title: 'This is a folder', says: /choose the memory file/ },
    { path: at('empty.db'), title: 'The file is empty', says: /0 bytes/ },
    { path: at('notes.db'), title: 'This is not a database', says: /choose a memory file/ },
    { path: at('places.sqlite'), title: 'This database is not an agent’s memory', says: /moz_cookies, moz_places/ },
    { path: at('cut.db'), title: 'The file ends too early', says: /copy it again/ },
    { path: at('newer.db'), title: 'The file is newer than this app', says: /update the app/ },
  ]
}
