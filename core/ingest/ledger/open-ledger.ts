import type { Clock } from '#core/clock.ts'
import { LcmError } from '#core/errors.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import type { OpenedMemory } from '#core/systems/open.ts'
import { keepLedger } from './keep-ledger.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { type LedgerPermission, ledgerState } from './ledger-permission.ts'
import { LedgerWriter } from './ledger-writer.ts'
import { hasOutbox } from './outbox.ts'

type Options = { readonly clock: Clock; readonly permission: LedgerPermission }

/**
 * Adds to the memory its ledger, when it keeps one or the configuration asks for one. Problems of the ledger are
 * written once to stderr, and never prevent opening or writing the memory.
 */
export function withLedger(memory: OpenedMemory, { clock, permission }: Options): OpenedMemory {
  const { write } = memory
  if (!write) return memory
  const told = new Set<string>()
  const tell = (error: LcmError): void => {
    if (told.has(error.message)) return
    told.add(error.message)
    console.warn(`lcm: ${error.code}: ${error.message}`)
  }
  try {
    heedSettings(write, clock, permission)
  } catch (error) {
    if (!(error instanceof LcmError)) throw error
    tell(error)
  }
  if (!hasOutbox(write)) return memory
  const { db } = keepLedger(write, { clock, permission, onTrouble: tell })
  return { ...memory, read: db, write: db, close: () => db.close() }
}

/**
 * Begins the ledger that the settings name. One that is continued is noted, so that a copy of the memory can be told
 * from it.
 */
function heedSettings(db: WriteDb, clock: Clock, permission: LedgerPermission): void {
  const { memory, consents, named } = permission
  if (named === null) return
  if (!hasOutbox(db)) {
    new LedgerWriter(db, clock, permission).enable(named)
    return
  }
  const id = ledgerMeta(db, 'ledger_id')
  if (id === undefined || consents.ledgerOf(memory, id) !== null) return
  const { path, problem } = ledgerState(db, permission)
  if (path === named && problem === null) consents.agree(memory, id, named, clock)
}
