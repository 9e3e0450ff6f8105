// Why it is so: docs/decisions/0032-postgresql.md

import { LcmError } from '#core/errors.ts'
import type { Postgres, Query } from './connect.ts'
import { SCHEMA_V6 } from './counted-writes.ts'
import { SCHEMA_V2, SCHEMA_V3, SCHEMA_V4 } from './later-versions.ts'
import { noTables } from './postgres-error.ts'
import { POLICIES, partitions, SCHEMA_V1 } from './schema.ts'
import { SCHEMA_V5 } from './tool-texts.ts'

/** Partitions of each table in a new database. Their number cannot be changed later without copying the rows. */
export const PARTITIONS = 16

/** `migrations(n)[v]` takes the tables from version v to v + 1. Applied ones never change; a change is a new entry. */
const migrations = (partitionCount: number): readonly string[] => [
  SCHEMA_V1 + partitions(partitionCount) + POLICIES,
  SCHEMA_V2,
  SCHEMA_V3,
  SCHEMA_V4,
  SCHEMA_V5,
  SCHEMA_V6,
]

const queries = {
  // Of the versions, those that this transaction made.
  made: /* sql */ `SELECT version FROM lcm.schema_version WHERE xmin = pg_current_xact_id()::xid ORDER BY version`,
  hasTable: /* sql */ `SELECT to_regclass('lcm.schema_version') IS NOT NULL AS "isThere"`,
  partitions: /* sql */ `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'lcm.messages'::regclass`,
  version: /* sql */ `SELECT coalesce(max(version), 0)::int AS version FROM lcm.schema_version`,
}

/** The second of two deployers waits at the lock. The number is "LCMi". */
const begin = /* sql */ `
BEGIN;
-- Indexes over many rows may take hours.
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = '60s';
SELECT pg_advisory_xact_lock(1279470953);
CREATE SCHEMA IF NOT EXISTS lcm;
CREATE TABLE IF NOT EXISTS lcm.schema_version (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
`

/** Does nothing where the version is there already. */
const step = (version: number, sql: string): string => /* sql */ `
DO $migration$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM lcm.schema_version WHERE version = ${version}) THEN
    EXECUTE $statements$${sql}$statements$;
    INSERT INTO lcm.schema_version (version) VALUES (${version});
    INSERT INTO lcm.tenant_access VALUES (current_user, '*') ON CONFLICT DO NOTHING;
  END IF;
END $migration$;`

async function versionIn(query: Query): Promise<number> {
  const [found] = await query<{ isThere: boolean }>(queries.hasTable)
  if (!found?.isThere) return 0
  return (await query<{ version: number }>(queries.version))[0]?.version ?? 0
}

export const schemaVersion = (db: Postgres): Promise<number> => db.read(null, versionIn)
export const POSTGRES_VERSION = migrations(1).length

/**
 * Takes the tables to the newest version, in one transaction: of several programs that do so at once one takes all
 * steps, and the others wait for it and find nothing left to do.
 * @returns the versions before and after it, which are equal for a program that found nothing to do
 * @throws LcmError newer_version, invalid_argument for another number of partitions than the tables have, locked
 */
export async function migratePostgres(db: Postgres, partitions?: number): Promise<{ from: number; to: number }> {
  const from = await schemaVersion(db)
  if (from > POSTGRES_VERSION) throw newer(db.shown, from)
  if (from > 0 && partitions !== undefined) await requirePartitions(db, partitions)
  if (from === POSTGRES_VERSION) return { from, to: from }
  const steps = migrations(partitions ?? PARTITIONS).flatMap((sql, index) => (index < from ? [] : step(index + 1, sql)))
  const made = await db
    .script<{ version: number }>(`${begin}${steps.join('')}\n${queries.made};\nCOMMIT;`)
    .catch(rethrowAsMigration)
  const to = await schemaVersion(db)
  return { from: made.length === 0 ? to : Math.min(...made.map(({ version }) => version)) - 1, to }
}

async function requirePartitions(db: Postgres, asked: number): Promise<void> {
  const [there] = await db.read(null, (query) => query<{ count: number }>(queries.partitions))
  if (there === undefined || there.count === asked) return
  throw new LcmError(
    'invalid_argument',
    `The tables in ${db.shown} have ${there.count} partitions each, and that number stays: leave --partitions out, or copy the tenants into a new database ("lcm copy").`,
    { partitions: there.count },
  )
}

function rethrowAsMigration(error: unknown): never {
  if (!(error instanceof LcmError) || error.code !== 'locked') throw error
  throw new LcmError(
    'locked',
    'Another program makes or updates the tables, or writes for long: start "lcm pg migrate" again in a moment.',
  )
}

/** @throws LcmError newer_version, server_refused */
export const requireVersion = async (db: Postgres): Promise<void> => checkVersion(db, await schemaVersion(db))

/** @throws LcmError newer_version, server_refused */
export function checkVersion(db: Postgres, version: number): void {
  if (version > POSTGRES_VERSION) throw newer(db.shown, version)
  if (version === 0) throw noTables(db.shown)
  if (version < POSTGRES_VERSION) {
    throw new LcmError(
      'server_refused',
      `The tables in ${db.shown} are of version ${version}, and this program needs ${POSTGRES_VERSION}: run "lcm pg migrate".`,
      { version, known: POSTGRES_VERSION },
    )
  }
}

const newer = (shown: string, version: number): LcmError =>
  new LcmError(
    'newer_version',
    `${shown} was written by a newer LCM Inspector (schema ${version}, this one knows ${POSTGRES_VERSION}): update the app.`,
    { version, known: POSTGRES_VERSION },
  )
