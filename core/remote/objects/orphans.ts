import type { JobProgress } from '#core/contract/job.ts'
import type { ObjectsReport } from '#core/contract/remote.ts'
import { LcmError } from '#core/errors.ts'
import { yieldToOthers } from '#core/yielding.ts'
import type { Postgres, Query } from '../postgres/connect.ts'
import { requireOurs } from '../remote-stores.ts'
import type { ObjectStore } from './object-store.ts'

const queries = {
  everyTenant: /* sql */ `SELECT '*' = ANY (lcm.granted_tenants()) AS "isGranted"`,
  tenants: /* sql */ `SELECT tenant_id AS tenant FROM lcm.tenants ORDER BY tenant_id`,
  named: /* sql */ `
    SELECT DISTINCT content_hash AS hash FROM lcm.large_files WHERE tenant_id = $1 AND content_hash IS NOT NULL`,
}

const seesEveryTenant = async (query: Query): Promise<boolean> =>
  (await query<{ isGranted: boolean }>(queries.everyTenant))[0]?.isGranted ?? false

/** The hashes of all large files of all tenants. */
async function namedContents(db: Postgres): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  const tenants = await db.read(null, (query) => query<{ tenant: string }>(queries.tenants))
  for (const { tenant } of tenants) {
    const rows = await db.read(tenant, (query) => query<{ hash: string }>(queries.named, [tenant]))
    for (const { hash } of rows) named.add(hash)
  }
  return named
}

/** What was stored lately may belong to rows that are not written yet. */
const SETTLED_AFTER_MS = 24 * 3_600_000
const LISTED = 1000
const CANCELLED = 'Looking for large files that nothing names was cancelled; those that were removed stay removed.'

/**
 * Finds stored content that no row names, and removes it if that is asked for. Content in use again is made new when it
 * is stored, so that it is looked at once more before it goes. Content whose age is not known is counted and stays: it
 * may have been stored a moment ago.
 * @throws LcmError server_refused when the role does not see every tenant: what it does not see would seem unused
 */
export async function* findOrphans(
  { db, store, isRemoving, now }: { db: Postgres; store: ObjectStore; isRemoving: boolean; now: () => number },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ObjectsReport> {
  await requireOurs(db, 'The rows that name large files are in the tables of LCM Inspector')
  if (!(await db.read(null, seesEveryTenant))) {
    throw new LcmError(
      'server_refused',
      `The role of ${db.shown} does not see every tenant, and what it does not see would seem unused: use a role with '*' in lcm.tenant_access.`,
    )
  }
  const named = await namedContents(db)
  const before = now() - SETTLED_AFTER_MS
  const orphans: ObjectsReport['orphans'] = []
  let [objects, bytes, found, foundBytes, undated, removed] = [0, 0, 0, 0, 0, 0]
  for await (const object of store.list(signal)) {
    objects += 1
    bytes += object.bytes
    if (named.has(object.hash)) continue
    const { hash, modifiedAtMs } = object
    if (modifiedAtMs !== null && modifiedAtMs > before) continue
    if (modifiedAtMs === null) undated += 1
    else {
      found += 1
      foundBytes += object.bytes
      if (orphans.length < LISTED) orphans.push({ ...object, modifiedAtMs })
      const latest = isRemoving ? ((await store.stat(hash))?.modifiedAtMs ?? null) : null
      if (latest !== null && latest <= before) {
        await store.remove(hash)
        removed += 1
      }
    }
    yield { done: objects, total: 0, unit: 'steps', note: 'looking at large files' }
    await yieldToOthers(signal, CANCELLED)
  }
  return { address: db.shown, store: store.shown, objects, bytes, found, foundBytes, undated, orphans, removed }
}
