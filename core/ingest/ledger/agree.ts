import type { Clock } from '#core/clock.ts'
import type { LedgerState } from '#core/contract/ledger.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { type LedgerPermission, ledgerState } from './ledger-permission.ts'
import { LedgerWriter } from './ledger-writer.ts'

type MemoryWithLedger = {
  readonly read: ReadDb
  readonly clock: Clock
  readonly ledgers: LedgerPermission
  /** Returns the writable connection. `what` completes "cannot …". */
  requireWrite(what: string): WriteDb
}

/**
 * Records that the user of this machine agrees that a memory continues a ledger: the one that it names, or `path`.
 * @throws LcmError read_only_file, read_only_dialect, invalid_argument, ledger_refused, file_missing, disk_full
 */
export function agreeToLedger(lcm: MemoryWithLedger, path?: string): LedgerState {
  const writer = new LedgerWriter(lcm.requireWrite('continue a ledger'), lcm.clock, lcm.ledgers)
  writer.agree(path)
  writer.drain()
  return ledgerState(lcm.read, lcm.ledgers)
}
