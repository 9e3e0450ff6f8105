import type { ReadDb, WriteDb } from '../../sqlite/read-db.ts'

/** What a memory notes of its ledger, under keys that no ledger records. */
type MetaKey =
  /** Where it says that its ledger is. Never followed by itself: see `LedgerPermission`. */
  | 'ledger_path'
  /** Names this memory and its ledger to the user's consent. */
  | 'ledger_id'
  /** Size of the ledger after the last finished batch. */
  | 'ledger_bytes'
  /** The last outbox row of the batch that is being appended; empty when none is. */
  | 'ledger_batch'
  /** Hashes of the first line, and of the last bytes, of what this memory has written there. */
  | 'ledger_head'
  | 'ledger_tail'

const queries = {
  get: /* sql */ `SELECT value FROM lcm_meta WHERE key = :key`,
  set: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  forget: /* sql */ `DELETE FROM lcm_meta WHERE key LIKE 'ledger_%'`,
}

/** Undefined also where it is empty. */
export const ledgerMeta = (db: ReadDb, key: MetaKey): string | undefined =>
  db.value<string>(queries.get, { key }) || undefined

export const setLedgerMeta = (db: WriteDb, key: MetaKey, value: string): number => db.run(queries.set, { key, value })

export const forgetLedgerMeta = (db: WriteDb): number => db.run(queries.forget)
