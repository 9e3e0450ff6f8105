import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { LedgerFiles } from '../contract/ledger.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { TABLES as COPIED, type Table, toNative } from '../ingest/native-rows.ts'
import type { LedgerSource, WrittenLedger } from '../ledger-keeper.ts'
import { parsedJson, unlessTooDeep } from '../parsed-json.ts'
import { type Sanitizer, sanitizeValue, withoutSecrets } from '../sanitize.ts'
import { fileError, pathExists } from '../sqlite/memory-file.ts'
import { giveName, partialPath, takenError } from '../sqlite/new-file.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { isNative } from '../systems/native/native.ts'
import { yieldToOthers } from '../yielding.ts'
import { afterLine, lineHash } from './ledger-chain.ts'
import { parseLine, toLine } from './ledger-line.ts'
import { keyOf, OWN_META_PREFIX, type Row, TABLES } from './tables.ts'
import { type Change, lineWriter, toEvents } from './to-events.ts'

const queries = {
  messageCount: /* sql */ `SELECT count(*) FROM messages`,
  largeFiles: /* sql */ `SELECT count(*) AS count, coalesce(sum(byte_size), 0) AS bytes FROM large_files`,
}

const BATCH = 1000

/**
 * Writes a ledger of everything that a memory of any system holds. A memory rebuilt from it has the same ids, order,
 * texts, lineage and windows. The file appears at `to` when it is complete.
 * @throws LcmError invalid_argument when something is at `to`; file_missing, disk_full, cancelled, sqlite_failed
 */
export async function* exportLedger(
  { to, ...source }: LedgerSource & { readonly to: string },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, WrittenLedger> {
  if (pathExists(to)) throw takenError(to)
  const partial = partialPath(to)
  const file = openSync(partial, 'w')
  try {
    const exported = yield* writeLedger(file, source, signal)
    giveName(partial, to)
    return exported
  } catch (error) {
    throw error instanceof LcmError ? error : fileError(error, to)
  } finally {
    closeSync(file)
    rmSync(partial, { force: true })
  }
}

/**
 * Writes the same to an open file.
 * @param cleaned returns what is written in place of a line
 * @throws LcmError cancelled, sqlite_failed; errors of the file system are passed on
 */
export async function* writeLedger(
  file: number,
  { db, info, clock }: LedgerSource,
  signal: AbortSignal,
  cleaned: (line: string) => string = (line) => line,
): AsyncGenerator<JobProgress, WrittenLedger> {
  const total = db.value<number>(queries.messageCount) ?? 0
  const lineOf = lineWriter(clock, { ts: null, line: null })
  let [events, bytes, done] = [0, 0, 0]
  const write = (changes: readonly Change[]): void => {
    for (const event of toEvents(db, changes)) {
      const line = cleaned(lineOf(event))
      // Unlike `writeSync` this writes everything, even on a disk that is nearly full.
      writeFileSync(file, line)
      bytes += Buffer.byteLength(line)
      events += 1
    }
  }
  let batch: Change[] = []
  for (const change of everything(db, info)) {
    batch.push(change)
    if (change.table === 'messages') done += 1
    if (batch.length < BATCH) continue
    write(batch)
    batch = []
    yield { done, total, unit: 'messages', note: `writing ${change.table.replaceAll('_', ' ')}` }
    await yieldToOthers(signal, 'The export was cancelled; no ledger was written.')
  }
  write(batch)
  fsyncSync(file)
  const largeFiles = db.get<LedgerFiles>(queries.largeFiles) ?? { count: 0, bytes: 0 }
  return { events, bytes, largeFiles }
}

/**
 * Returns every row as if it had just been written. What another system does not record is filled in as in a working
 * copy.
 */
function* everything(db: ReadDb, info: MemoryInfo): Generator<Change> {
  const isOurs = isNative(info)
  for (const table of isOurs ? TABLES : COPIED) {
    const key = keyOf(table)
    const columns = table === 'messages' ? key.join(', ') : '*'
    for (const row of db.iterate<Row>(/* sql */ `SELECT ${columns} FROM ${table} ORDER BY ${key.join(', ')}`)) {
      if (table === 'lcm_meta' && String(row.key).startsWith(OWN_META_PREFIX)) continue
      const values = key.map((column) => row[column] as string | number | null)
      yield { table, op: 'insert', key: values, row: rowOf(table, row, isOurs) }
    }
  }
}

function rowOf(table: string, row: Row, isOurs: boolean): Row | null {
  if (table === 'messages') return null
  if (isOurs) return row
  const { summary_rowid: _, ...rest } = toNative(table as Table, row) as Row
  return rest
}

/**
 * Takes the lines of a ledger one after the other and returns each without what must not leave the machine. Every line
 * stays an event, with the hash of its new content and of the line before it.
 */
export function ledgerSanitizer(sanitize: Sanitizer): (line: string) => string {
  let previous: string | null = null
  return (line) => {
    const event = parseLine(line)
    if (typeof event === 'string') return ''
    const content = cleanContent(event.content, sanitize)
    const metadata = sanitizeValue(event.metadata, sanitize) as typeof event.metadata
    const clean = { ...event, actor: withoutSecrets(event.actor), content, content_hash: sha256(content), metadata }
    const made = toLine(afterLine(clean, previous))
    previous = lineHash(made)
    return made
  }
}

/**
 * Changes of rows are JSON and are sanitized value by value. In the text as a whole, a path could take the end of a
 * string with it. Only what is no JSON, or is nested too deeply, is sanitized so.
 */
function cleanContent(content: string, sanitize: Sanitizer): string {
  const changes = content.startsWith('{"changes":') ? parsedJson(content) : undefined
  if (changes === undefined) return sanitize(content)
  return unlessTooDeep(() => JSON.stringify(sanitizeValue(changes, sanitize))) ?? sanitize(content)
}
