import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { transcriptLines } from './measure-import.ts'

/**
 * In processor time of one process, of each part the least over rounds after a first one that is left out: what else
 * runs on the computer makes a round slower and never faster.
 */
export type FirstImportMeasure = {
  /** What parsing every line once and writing the same rows and index entries takes, by what the import takes. */
  readonly shareOfBare: number
  /** The same without the parsing. */
  readonly shareOfBareRows: number
  /** A second import where nothing changed, by the first. */
  readonly secondShare: number
  /** The same where each of them is made by a new process, which people start for it. */
  readonly secondShareOfProcess: number
}

const ROUNDS = 4

type Row = Readonly<Record<string, string | number | null>>

/** A table comes after those that it refers to. */
const TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'summaries',
  'summary_messages',
  'summary_sources',
  'compaction_runs',
  'compaction_events',
  'context_items',
] as const
const INDEXES = ['messages_fts', 'messages_trigram'] as const

const queries = {
  rows: (table: string) => /* sql */ `SELECT * FROM ${table}`,
  texts: /* sql */ `SELECT message_id, content, tool_input, tool_output, reasoning FROM message_text`,
  insert: (table: string, columns: readonly string[]) => /* sql */ `
    INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  index: (table: string) => /* sql */ `
    INSERT INTO ${table} (rowid, content, tool_input, tool_output, reasoning) VALUES (?, ?, ?, ?, ?)`,
  dropTriggers: /* sql */ `DROP TRIGGER messages_index_insert; DROP TRIGGER message_parts_index_insert`,
}

/** Imports so many transcripts that are made for it, and again, and writes the same by bare statements. */
export async function measureFirstImport(messages: number, files: number): Promise<FirstImportMeasure> {
  const transcripts = join(temporaryFolder(), 'transcripts')
  mkdirSync(transcripts)
  for (let file = 0; file < files; file += 1) {
    const lines = [...transcriptLines(Math.floor(messages / files), file + 1)]
    writeFileSync(join(transcripts, `${file}.jsonl`), `${lines.join('\n')}\n`)
  }
  const measure = await measureFirstImportOf(transcripts)
  rmSync(transcripts, { recursive: true, force: true })
  return measure
}

/** The same of a folder with transcripts that an agent wrote. */
export async function measureFirstImportOf(transcripts: string): Promise<FirstImportMeasure> {
  const folder = temporaryFolder()
  const rounds: Record<'first' | 'second' | 'parsing' | 'bare' | 'firstOfProcess' | 'secondOfProcess', number>[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [path, otherPath, barePath] = ['product', 'other', 'bare'].map((name) => join(folder, `${name}.db`)) as [
      string,
      string,
      string,
    ]
    const db = openNative(path)
    const first = await cpuMs(() => importAll(db, transcripts))
    const second = await cpuMs(() => importAll(db, transcripts))
    db.close()
    const firstOfProcess = importInProcess(otherPath, transcripts)
    const secondOfProcess = importInProcess(otherPath, transcripts)
    const parsing = await cpuMs(() => parseAll(transcripts))
    const bare = await writeBare(path, barePath)
    if (round > 0) rounds.push({ first, second, parsing, bare, firstOfProcess, secondOfProcess })
    for (const file of [path, otherPath, barePath]) rmSync(file)
  }
  rmSync(folder, { recursive: true, force: true })
  const least = (part: keyof (typeof rounds)[number]): number => Math.min(...rounds.map((round) => round[part]))
  return {
    shareOfBare: (least('parsing') + least('bare')) / least('first'),
    shareOfBareRows: least('bare') / least('first'),
    secondShare: least('second') / least('first'),
    secondShareOfProcess: least('secondOfProcess') / least('firstOfProcess'),
  }
}

/** The processor time of an import in a process of its own, without what starting and loading take. */
export function importInProcess(path: string, transcripts: string): number {
  const answer = execFileSync(process.execPath, [import.meta.filename, 'import', path, transcripts], {
    encoding: 'utf8',
  })
  return Number(answer)
}

/** A while after the files were written: what was written just now may still change, and is read again. */
async function importAll(db: WriteDb, path: string): Promise<void> {
  const estimator = createTokenEstimator()
  const input = { db, estimator, clock: () => Date.now() + 10_000, paths: [path], files: null }
  const asked = { format: 'auto', window: 'agent' } as const
  await runToEnd(importTranscripts({ ...input, ...asked }, new AbortController().signal))
}

function parseAll(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      try {
        JSON.parse(line)
      } catch {
        // An empty line, or one with two records, which agents write where two of them share a file.
      }
    }
  }
}

/** Writes the rows and index entries of a memory into an empty one, in large transactions. */
async function writeBare(from: string, to: string): Promise<number> {
  const source = new Database(from, { readonly: true })
  const rows = TABLES.map((table) => [table, source.prepare(queries.rows(table)).all() as Row[]] as const)
  const texts = source.prepare(queries.texts).raw().all() as (string | null)[][]
  source.close()
  openNative(to).close()
  const db = new Database(to)
  db.exec(queries.dropTriggers)
  const took = await cpuMs(() => {
    for (const [table, all] of rows) {
      const statements = new Map<string, Database.Statement>()
      db.transaction(() => {
        for (const row of all) {
          const columns = Object.keys(row).filter((column) => row[column] !== null)
          const key = columns.join()
          const statement = statements.get(key) ?? db.prepare(queries.insert(table, columns))
          statements.set(key, statement)
          statement.run(...columns.map((column) => row[column]))
        }
      })()
    }
    for (const table of INDEXES) {
      const statement = db.prepare(queries.index(table))
      for (let at = 0; at < texts.length; at += 2000)
        db.transaction(() => {
          for (const text of texts.slice(at, at + 2000)) statement.run(...text)
        })()
    }
  })
  db.close()
  return took
}

async function cpuMs(body: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await body()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

if (import.meta.main) {
  const [, , what, path, transcripts] = process.argv
  if (what === 'import' && path && transcripts) {
    using db = openNative(path)
    console.log(await cpuMs(() => importAll(db, transcripts)))
  } else {
    const folders = process.argv.slice(2)
    for (const folder of folders) console.log(JSON.stringify(await measureFirstImportOf(folder), null, 2))
    if (folders.length === 0)
      for (const files of [20, 500]) console.log(JSON.stringify(await measureFirstImport(10_000, files), null, 2))
  }
}
