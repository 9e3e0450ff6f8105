import type { MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { changedMeanwhile } from '../sqlite/file-guard.ts'
import { IdleConnection } from '../sqlite/idle-connection.ts'
import { KeptTables } from '../sqlite/kept-tables.ts'
import { lookAgain, type MemoryFile } from '../sqlite/memory-file.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { type ReadOnlyConnection, reconnect, routeOf } from '../sqlite/read-only-connection.ts'
import { guardSchema } from '../sqlite/schema-guard.ts'
import type { ComputedObjects } from '../sqlite/schema-objects.ts'
import { probeSchema, type SchemaProbe } from '../sqlite/schema-probe.ts'
import { canOpenUris, type PreparableDb } from '../sqlite/uri-db.ts'
import { emptyViews } from './canonical.ts'
import { type Derivation, keepDerived } from './derived-db.ts'
import { asDamage, requireViews } from './foreign-damage.ts'
import type { ForeignSystem, Source } from './system.ts'
import { detectSystem, lostStructure } from './systems.ts'

/** What is said of a file that is only read. */
type ReadOnlyFacts = Pick<
  MemoryInfo,
  'system' | 'systemLabel' | 'systemVersion' | 'readOnlyReason' | 'capabilities' | 'project' | 'lacks'
>

/** A file that is only read, and what is said of it. */
export type OpenedReadOnly = {
  readonly facts: ReadOnlyFacts
  readonly access: MemoryInfo['access']
  readonly read: ReadDb
  /** See `OpenedMemory`. */
  isOutdated(): boolean
  close(): void
}

type Prepared = ReadOnlyConnection & {
  readonly system: ForeignSystem
  readonly probe: SchemaProbe
  /** The same connection, without keeping derived tables in step. */
  readonly plain: PreparableDb
  readonly schemaVersion: number | undefined
  /** See `IdleOptions`. */
  rest(): void
}

/** So many objects are named that are not read. */
const MOST_UNREAD = 8

type Kept = NonNullable<Derivation['kept']>

/**
 * Makes another system's file readable by our names. Beside its writer it is let go whenever nobody reads.
 * @param connection is closed with what is returned, and when this throws
 * @throws LcmError not_a_memory, file_corrupt, and what reading throws
 */
export function openForeign(file: MemoryFile, connection: ReadOnlyConnection, cacheDir: string): OpenedReadOnly {
  if (connection.access === 'in_place') return openBesideWriter(file, connection, cacheDir)
  const first = prepare(file, connection, null)
  return opened(file, first, { read: first.db, isOutdated: () => false })
}

function openBesideWriter(file: MemoryFile, connection: ReadOnlyConnection, cacheDir: string): OpenedReadOnly {
  const began = performance.now()
  const tables = canOpenUris() ? KeptTables.open() : null
  const first = closing(tables, () => prepare(file, connection, tables && { tables, isUnchanged: () => false }))
  const idle = new IdleConnection({
    path: file.path,
    realPath: file.realPath,
    companions: first.system.companions?.(file.realPath) ?? [],
    first,
    firstMs: performance.now() - began,
    isLive: () => isReadInPlace(file),
    open: (isUnchanged) => {
      const again = prepare(file, reconnect(file, cacheDir), tables && { tables, isUnchanged })
      if (again.system.id === first.system.id) {
        return { ...again, isAsTold: again.schemaVersion === first.schemaVersion }
      }
      again.close()
      throw changedMeanwhile(file.path)
    },
  })
  return opened(
    file,
    { ...first, close: () => idle.db.close() },
    { read: idle.db, isOutdated: () => idle.isOutdated() },
  )
}

/** Closes what is of no use when `body` throws. */
function closing<T>(unused: { close(): void } | null, body: () => T): T {
  try {
    return body()
  } catch (error) {
    unused?.close()
    throw error
  }
}

function opened(
  file: MemoryFile,
  first: Prepared,
  reading: Pick<OpenedReadOnly, 'read' | 'isOutdated'>,
): OpenedReadOnly {
  const facts = closing(first, () => asDamage(file.path, first.system.label(first.probe), () => factsOf(file, first)))
  return { facts, access: first.access, ...reading, close: () => first.close() }
}

/** Closes `connection` when it throws. */
function prepare(file: MemoryFile, connection: ReadOnlyConnection, kept: Kept | null): Prepared {
  return closing(connection, () => {
    // A check of the pages would run the conditions that the file's author wrote.
    connection.db.exec('PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON')
    const probe = asDamage(file.path, 'any system', () => probeSchema(connection.db))
    const db = guardSchema(connection.db, probe.computed)
    const system = detectSystem(probe)
    if (!system) throw notAMemory(file, probe)
    const schemaVersion = db.value<number>('PRAGMA main.schema_version')
    db.exec('PRAGMA temp_store = MEMORY')
    db.exec(system.views(probe))
    db.exec(emptyViews(db.column<string>(/* sql */ "SELECT name FROM temp.sqlite_schema WHERE type = 'view'")))
    db.exec('PRAGMA query_only = ON')
    const isStill = connection.access !== 'in_place'
    const derivation = derivationOf(system, probe, file)
    const derived = derivation && keepDerived(db, { ...derivation, isStill, ...(kept ? { kept } : {}) })
    requireViews(derived ?? db, file.path, system.label(probe))
    const rest = (): void => derived?.keep()
    return { ...connection, db: derived ?? db, plain: db, system, probe, schemaVersion, rest }
  })
}

/** null for a system whose files have all that the views need. */
function derivationOf(system: ForeignSystem, probe: SchemaProbe, file: MemoryFile): Omit<Derivation, 'isStill'> | null {
  const { realPath } = file
  const script = system.derived?.(probe)
  if (script === undefined && !system.prepare) return null
  return {
    companions: system.companions?.(realPath) ?? [],
    build: (db) =>
      asDamage(file.path, system.label(probe), () => {
        system.prepare?.({ realPath, probe, db })
        if (script !== undefined) db.exec(script)
      }),
  }
}

function isReadInPlace(file: MemoryFile): boolean {
  try {
    const now = lookAgain(file)
    return now !== null && routeOf(now, canOpenUris()) === 'live'
  } catch {
    // Its folder cannot be entered any more.
    return false
  }
}

function factsOf(file: MemoryFile, { system, probe, plain }: Prepared): ReadOnlyFacts {
  const source = { realPath: file.realPath, probe, db: plain }
  const systemLabel = system.label(probe)
  const lacks = [...(lacksOf(system, source) ?? []), ...unread(probe.computed)]
  return {
    system: system.id,
    systemLabel,
    systemVersion: system.version(probe, source),
    readOnlyReason: `The file belongs to ${systemLabel} and is never changed.`,
    capabilities: system.capabilities(probe),
    project: system.project?.(plain) ?? null,
    lacks,
  }
}

/** What is in the file as something that would have to be run. */
function unread(computed: ComputedObjects): string[] {
  return [...computed]
    .slice(0, MOST_UNREAD)
    .map(([name, what]) => `Not read: ${name.slice(0, 60)} is ${what}; what a file computes is never run.`)
}

/** What a damaged page hides must not keep the rest from being looked at. */
function lacksOf(system: ForeignSystem, source: Source): readonly string[] | undefined {
  try {
    return system.lacks?.(source.probe, source)
  } catch (error) {
    if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
    return ['Damaged: pages of the file cannot be read, and what stands on them is not shown.']
  }
}

function notAMemory(file: MemoryFile, probe: SchemaProbe): LcmError {
  const damaged = lostStructure(probe)
  if (damaged !== null) {
    const { lost, system } = damaged
    return new LcmError(
      'file_corrupt',
      `${file.path} is damaged: it has lost ${listed(lost)}, without which a memory of ${system} cannot be read. Restore it from a backup.`,
      { path: file.path, lost },
    )
  }
  if (probe.has('session', 'project_id') && probe.has('message', 'data') && probe.has('part', 'message_id')) {
    return new LcmError(
      'not_a_memory',
      `${file.path} is opencode's own database, not a memory: write its sessions out with "opencode export <session> > session.json", and import those.`,
      { path: file.path },
    )
  }
  const tables = [...probe.tables.keys()].sort()
  const seen = tables.length === 0 ? 'it has no tables' : `its tables are ${listed(tables)}`
  return new LcmError(
    'not_a_memory',
    `${file.path} is a database of something else (${seen}): choose a memory file of an LCM system, often lcm.db.`,
    { path: file.path, tables: tables.slice(0, 50) },
  )
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => name.slice(0, 60))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
