import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'

/** What a memory notes about its ledger, under keys that no ledger records. */
type MetaKey =
  /** The path of the ledger. It is never followed without `LedgerPermission`. */
  | 'ledger_path'
  /** The id by which the user's consent names this memory. */
  | 'ledger_id'
  /** The size of the ledger after the last finished batch. */
  | 'ledger_bytes'
  /** The last outbox row of the batch that is being appended, or empty when there is none. */
  | 'ledger_batch'
  /** Hashes of the first line and of the last bytes that this memory wrote. */
  | 'ledger_head'
  | 'ledger_tail'

const queries = {
  get: /* sql */ `SELECT value FROM lcm_meta WHERE key = :key`,
  set: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  forget: /* sql */ `DELETE FROM lcm_meta WHERE key LIKE 'ledger_%'`,
}

/** Returns undefined also for an empty value. */
export const ledgerMeta = (db: ReadDb, key: MetaKey): string | undefined =>
  db.value<string>(queries.get, { key }) || undefined

export const setLedgerMeta = (db: WriteDb, key: MetaKey, value: string): number => db.run(queries.set, { key, value })

export const forgetLedgerMeta = (db: WriteDb): number => db.run(queries.forget)
