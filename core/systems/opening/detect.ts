import { basename } from 'node:path'
import { LcmError } from '#core/errors.ts'
import type { MemoryFile } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { CANONICAL } from '../deriving/canonical.ts'
import type { ForeignSystem } from '../system.ts'
import { detectSystem, lostStructure } from '../systems.ts'

/** What SQLite says of a statement that names what is not there. */
const MISSING = /no such (column|table): (?:main\.|temp\.)?(?:\w{1,3}\.)?([\w$]+)/

/**
 * Runs what is written against the tables of a known system. Where they are not as that system makes them, its people
 * are told so; SQLite itself speaks of our statements.
 * @throws LcmError file_corrupt in place of sqlite_failed
 */
export function asDamage<T>(path: string, label: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw damageFrom(error, path, label)
  }
}

/** What `asDamage` makes of an error. */
export const damageFrom = (error: unknown, path: string, label: string): unknown =>
  error instanceof LcmError && error.code === 'sqlite_failed' ? damaged(path, label, error) : error

function damaged(path: string, label: string, error: LcmError): LcmError {
  const [, kind, name] = MISSING.exec(error.message) ?? []
  const what =
    kind === undefined
      ? `its rows are not as ${label} writes them`
      : `it has lost the ${kind} ${name}, without which a memory of ${label} cannot be read`
  const details = { path, ...(name === undefined ? {} : { lost: [name] }) }
  return new LcmError('file_corrupt', `${path} is damaged: ${what}. Restore it from a backup.`, details, {
    cause: error,
  })
}

/**
 * Makes sure that everything can be asked for before anybody does.
 * @throws LcmError file_corrupt
 */
export function requireViews(db: ReadDb, path: string, label: string): void {
  asDamage(path, label, () => {
    for (const name of Object.keys(CANONICAL)) db.all(/* sql */ `SELECT * FROM ${name} LIMIT 0`)
  })
}

/** The system that wrote a file, by structure alone. @throws LcmError not_a_memory, file_corrupt */
export function recognise(file: MemoryFile, probe: SchemaProbe): ForeignSystem {
  const system = detectSystem(probe)
  if (system === null) throw copiedWithoutLog(file, probe) ?? notAMemory(file.path, probe)
  return system
}

/**
 * Returns an error for the main file of a database whose tables were all still in its write-ahead log. SQLite deletes
 * the log of a database only after its content was moved into the main file, so a main file without any table cannot
 * have been closed in order. One with tables may have been: from that alone nobody can tell that newer rows are missing.
 */
function copiedWithoutLog({ path, header, walBytes }: MemoryFile, probe: SchemaProbe): LcmError | null {
  if (!header.isWal || walBytes > 0 || probe.tables.size > 0) return null
  const log = `${basename(path)}-wal`
  return new LcmError(
    'not_a_memory',
    `${path} is in WAL mode and empty: its content is in ${log}, which is not beside it. Copy ${log} from where this file comes from to the same folder, or copy both again after the program that writes them has ended.`,
    { path, missing: log },
  )
}

function notAMemory(path: string, probe: SchemaProbe): LcmError {
  const damaged = lostStructure(probe)
  if (damaged !== null) {
    const { lost, system } = damaged
    return new LcmError(
      'file_corrupt',
      `${path} is damaged: it has lost ${listed(lost)}, without which a memory of ${system} cannot be read. Restore it from a backup.`,
      { path, lost },
    )
  }
  if (probe.has('session', 'project_id') && probe.has('message', 'data') && probe.has('part', 'message_id')) {
    return new LcmError(
      'not_a_memory',
      `${path} is opencode's own database, not a memory: import it ("lcm import"), which reads its sessions.`,
      { path },
    )
  }
  if (probe.has('transcript_events', 'session_id')) {
    return new LcmError(
      'not_a_memory',
      `${path} is OpenClaw's own database, not a memory: import it ("lcm import"), which reads its sessions.`,
      { path },
    )
  }
  const tables = [...probe.tables.keys()].sort()
  const seen = tables.length === 0 ? 'it has no tables' : `its tables are ${listed(tables)}`
  return new LcmError(
    'not_a_memory',
    `${path} is a database of something else (${seen}): choose a memory file of an LCM system, often lcm.db.`,
    { path, tables: tables.slice(0, 50) },
  )
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => name.slice(0, 60))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
