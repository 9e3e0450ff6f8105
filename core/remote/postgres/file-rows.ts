import type { Postgres, Query } from './connect.ts'

const queries = {
  everyTenant: /* sql */ `SELECT '*' = ANY (lcm.granted_tenants()) AS "isSo"`,
  tenants: /* sql */ `SELECT tenant_id AS tenant FROM lcm.tenants ORDER BY tenant_id`,
  named: /* sql */ `
    SELECT DISTINCT content_hash AS hash FROM lcm.large_files WHERE tenant_id = $1 AND content_hash IS NOT NULL`,
}

export const seesEveryTenant = async (query: Query): Promise<boolean> =>
  (await query<{ isSo: boolean }>(queries.everyTenant))[0]?.isSo ?? false

/** The hashes of all large files of all tenants. */
export async function namedContents(db: Postgres): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  const tenants = await db.read(null, (query) => query<{ tenant: string }>(queries.tenants))
  for (const { tenant } of tenants) {
    const rows = await db.read(tenant, (query) => query<{ hash: string }>(queries.named, [tenant]))
    for (const { hash } of rows) named.add(hash)
  }
  return named
}
