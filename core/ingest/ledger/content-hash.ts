import { startSha256 } from '../../hashing.ts'
import type { ReadDb, SqlValue } from '../../sqlite/read-db.ts'
import { columnsOf, keyOf, OWN_META_PREFIX, TABLES } from './tables.ts'

/** SHA-256 of every row that a ledger records, table by table in the order of their keys. */
export function ledgerContentHash(db: ReadDb): string {
  const hash = startSha256()
  for (const table of TABLES) {
    const columns = columnsOf(db, table)
    if (columns.length === 0) continue
    hash.update(`\n${table}`)
    const guard = table === 'lcm_meta' ? `WHERE key NOT LIKE '${OWN_META_PREFIX}%'` : ''
    const sql = /* sql */ `SELECT ${columns.toSorted().join(', ')} FROM main.${table} ${guard} ORDER BY ${keyOf(table).join(', ')}`
    for (const row of db.iterateRaw<readonly SqlValue[]>(sql)) hash.update(`\n${JSON.stringify(row)}`)
  }
  return hash.digest('hex')
}
