import type { MemoryInfo } from '#core/contract/memory.ts'
import { LcmError } from '#core/errors.ts'
import { changedMeanwhile } from '#core/sqlite/file-stamp.ts'
import { IdleConnection } from '#core/sqlite/idle-connection.ts'
import { KeptTables } from '#core/sqlite/kept-tables.ts'
import type { MemoryFile } from '#core/sqlite/memory-file.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { reconnect, routeOf } from '#core/sqlite/route.ts'
import { guardSchema } from '#core/sqlite/schema-guard.ts'
import type { ComputedObjects } from '#core/sqlite/schema-objects.ts'
import { probeSchema, type SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { canOpenUris, type PreparableDb, type ReadOnlyConnection } from '#core/sqlite/uri-db.ts'
import { withoutYielding } from '#core/yielding.ts'
import { emptyViews } from '../deriving/canonical.ts'
import { type Derivation, keepingDerived } from '../deriving/derived-db.ts'
import type { ForeignSystem, Source } from '../system.ts'
import { asDamage, damageFrom, recognise, requireViews } from './detect.ts'

const queries = {
  ownViews: /* sql */ `SELECT name FROM temp.sqlite_schema WHERE type = 'view'`,
}

/** What `MemoryInfo` says of a file that is only read. */
type ReadOnlyFacts = Pick<
  MemoryInfo,
  'system' | 'systemLabel' | 'systemVersion' | 'readOnlyReason' | 'capabilities' | 'project' | 'lacks'
>

/** A file that is only read, open. */
export type OpenedReadOnly = {
  readonly facts: ReadOnlyFacts
  readonly access: MemoryInfo['access']
  readonly read: ReadDb
  /** See `OpenedMemory`. */
  isOutdated(): boolean
  close(): void
}

type PreparedConnection = ReadOnlyConnection & {
  readonly system: ForeignSystem
  readonly probe: SchemaProbe
  /** The same connection, which does not keep derived tables in step. */
  readonly plain: PreparableDb
  readonly schemaVersion: number | undefined
  /** See `IdleOptions`. */
  beforeRelease(): void
}

/** At most this many of the objects that are not read are named. */
const MOST_UNREAD = 8

type TableKeeping = NonNullable<Derivation['kept']>

/**
 * Makes another system's file readable by our names, a piece at a time. Beside its writer it is let go whenever nobody reads.
 * @param connection is closed with what is returned, and when this throws
 * @throws LcmError not_a_memory, file_corrupt, and what reading throws
 */
export function* openingForeign(file: MemoryFile, connection: ReadOnlyConnection): Generator<void, OpenedReadOnly> {
  if (connection.access === 'in_place') return yield* openingBesideWriter(file, connection)
  const first = yield* preparing(file, connection, null)
  return opened(file, first, { read: first.db, isOutdated: () => false })
}

function* openingBesideWriter(file: MemoryFile, connection: ReadOnlyConnection): Generator<void, OpenedReadOnly> {
  const tables = canOpenUris() ? KeptTables.open() : null
  const first = yield* preparingFirst(file, connection, tables)
  const idle = new IdleConnection({
    file,
    companions: first.system.companions?.(file.realPath) ?? [],
    first,
    isLive: (now) => routeOf(now) === 'in_place',
    open: (isUnchanged) => {
      const again = withoutYielding(preparing(file, reconnect(file), tables && { tables, isUnchanged }))
      if (again.system.id === first.system.id) {
        return { ...again, hasSameStructure: again.schemaVersion === first.schemaVersion }
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

function* preparingFirst(
  file: MemoryFile,
  connection: ReadOnlyConnection,
  tables: KeptTables | null,
): Generator<void, PreparedConnection> {
  const work = preparing(file, connection, tables && { tables, isUnchanged: () => false })
  try {
    // Where there is no log, a transaction that reads keeps the writer waiting, so it does not yield.
    return file.header.isWal ? yield* work : withoutYielding(work)
  } catch (error) {
    tables?.close()
    throw error
  }
}

function opened(
  file: MemoryFile,
  first: PreparedConnection,
  reading: Pick<OpenedReadOnly, 'read' | 'isOutdated'>,
): OpenedReadOnly {
  try {
    const facts = asDamage(file.path, first.system.label(first.probe), () => factsOf(file, first))
    return { facts, access: first.access, ...reading, close: () => first.close() }
  } catch (error) {
    first.close()
    throw error
  }
}

/** Closes `connection` when it throws. */
function* preparing(
  file: MemoryFile,
  connection: ReadOnlyConnection,
  kept: TableKeeping | null,
): Generator<void, PreparedConnection> {
  try {
    // A check of the pages would run the conditions that the file's author wrote.
    connection.db.exec('PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON')
    const probe = asDamage(file.path, 'any system', () => probeSchema(connection.db))
    const db = guardSchema(connection.db, probe.computed)
    const system = recognise(file, probe)
    const schemaVersion = db.value<number>('PRAGMA main.schema_version')
    db.exec('PRAGMA temp_store = MEMORY')
    db.exec(system.views(probe))
    db.exec(emptyViews(db.column<string>(queries.ownViews)))
    db.exec('PRAGMA query_only = ON')
    yield
    const derivation = derivationOf(system, probe, file, connection.access !== 'in_place')
    const derived = derivation && (yield* keepingDerived(db, { ...derivation, ...(kept ? { kept } : {}) }))
    yield
    requireViews(derived ?? db, file.path, system.label(probe))
    const beforeRelease = (): void => derived?.keep()
    return { ...connection, db: derived ?? db, plain: db, system, probe, schemaVersion, beforeRelease }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Returns null for a system whose files have all that the views need. */
function derivationOf(
  system: ForeignSystem,
  probe: SchemaProbe,
  { path, realPath }: MemoryFile,
  isFixed: boolean,
): Derivation | null {
  if (!system.deriving) return null
  const companions = system.companions?.(realPath) ?? []
  const isStill = isFixed && companions.length === 0
  return {
    companions,
    isStill,
    *build(db) {
      try {
        yield* system.deriving?.({ realPath, probe, db, isStill }) ?? []
      } catch (error) {
        throw damageFrom(error, path, system.label(probe))
      }
    },
  }
}

function factsOf(file: MemoryFile, { system, probe, plain }: PreparedConnection): ReadOnlyFacts {
  const source = { realPath: file.realPath, probe, db: plain, isStill: false }
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

/** Says what of the file is not read, because it would have to be run. */
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
