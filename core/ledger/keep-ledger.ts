import type { Clock } from '../clock.ts'
import type { WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { LedgerWriter } from './ledger-writer.ts'

/**
 * A writable memory whose ledger follows every commit. A ledger that cannot be written never fails the write that it
 * would record: what is committed waits in the outbox, and `onTrouble` is told why.
 */
export function keepLedger(
  db: WriteDb,
  clock: Clock,
  onTrouble: (error: LcmError) => void,
): { readonly db: WriteDb; readonly ledger: LedgerWriter } {
  const ledger = new LedgerWriter(db, clock)
  let isDraining = false
  const follow = (): void => {
    if (isDraining) return
    isDraining = true
    try {
      ledger.drain()
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      onTrouble(error)
    } finally {
      isDraining = false
    }
  }
  let depth = 0
  const followed = (changed: number): number => {
    if (depth === 0 && changed > 0) follow()
    return changed
  }
  const kept: WriteDb = {
    ...db,
    run: (sql, params) => followed(db.run(sql, params)),
    runRaw: (sql, values) => followed(db.runRaw(sql, values)),
    transaction: (body) => {
      depth += 1
      try {
        return db.transaction(body)
      } finally {
        depth -= 1
        if (depth === 0) follow()
      }
    },
    close: () => {
      follow()
      db.close()
    },
  }
  follow()
  return { db: kept, ledger }
}
