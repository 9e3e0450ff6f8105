import type { Clock } from '../../clock.ts'
import { LcmError } from '../../errors.ts'
import type { WriteDb } from '../../sqlite/read-db.ts'
import type { LedgerPermission } from './ledger-permission.ts'
import { LedgerWriter } from './ledger-writer.ts'

type Options = {
  readonly clock: Clock
  readonly permission: LedgerPermission
  readonly onTrouble: (error: LcmError) => void
}

/**
 * A writable memory whose ledger follows every commit. A ledger that cannot be written never fails the write that it
 * would record: what is committed waits in the outbox, and `onTrouble` is told why.
 */
export function keepLedger(
  db: WriteDb,
  { clock, permission, onTrouble }: Options,
): { readonly db: WriteDb; readonly ledger: LedgerWriter } {
  const ledger = new LedgerWriter(db, clock, permission)
  let isDraining = false
  const follow = (): void => {
    if (isDraining) return
    isDraining = true
    try {
      ledger.drain()
    } catch (error) {
      onTrouble(toTrouble(error, db.path))
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
    bindAhead: (sql, values) => {
      const run = db.bindAhead(sql, values)
      return (given) => followed(run(given))
    },
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

/** What follows a commit must not look as if it had failed, whatever the rows of an outbox from elsewhere hold. */
const toTrouble = (error: unknown, path: string): LcmError =>
  error instanceof LcmError
    ? error
    : new LcmError(
        'ledger_refused',
        `The ledger of ${path} could not be continued (${error instanceof Error ? error.message : String(error)}): what is pending stays in the memory.`,
        { path },
        { cause: error },
      )
