// Why it is so: docs/decisions/0009-ledger.md

import type { Clock } from '../clock.ts'
import { LcmError } from '../errors.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import type { LedgerPermission } from './ledger-permission.ts'
import { LedgerWriter } from './ledger-writer.ts'

type Options = {
  readonly clock: Clock
  readonly permission: LedgerPermission
  readonly onTrouble: (error: LcmError) => void
}

/**
 * Lets a ledger follow every commit of a writable memory. A ledger that cannot be written never fails the write that it
 * would record: committed rows wait in the outbox, and `onTrouble` is given the reason.
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

/** A commit must not look failed because of what follows it, whatever the rows of a foreign outbox hold. */
const toTrouble = (error: unknown, path: string): LcmError =>
  error instanceof LcmError
    ? error
    : new LcmError(
        'ledger_refused',
        `The ledger of ${path} could not be continued (${error instanceof Error ? error.message : String(error)}): what is pending stays in the memory.`,
        { path },
        { cause: error },
      )
