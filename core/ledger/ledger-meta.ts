import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { metaValue, storeMetaValue } from '../systems/records/meta-values.ts'

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
  forget: /* sql */ `DELETE FROM lcm_meta WHERE key LIKE 'ledger_%'`,
}

/** Returns undefined also for an empty value. */
export const ledgerMeta = (db: ReadDb, key: MetaKey): string | undefined => metaValue(db, key) || undefined

export const setLedgerMeta = (db: WriteDb, key: MetaKey, value: string): void => storeMetaValue(db, key, value)

export const forgetLedgerMeta = (db: WriteDb): number => db.run(queries.forget)
