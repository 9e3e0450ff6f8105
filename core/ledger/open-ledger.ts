import type { Clock } from '../clock.ts'
import type { LedgerState } from '../contract/ledger.ts'
import { LcmError } from '../errors.ts'
import type { LedgerKeeper, MemoryLedger } from '../ledger-keeper.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import type { OpenedMemory } from '../systems/opening/open.ts'
import { keepLedger } from './keep-ledger.ts'
import { LedgerConsents } from './ledger-consents.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { type LedgerPermission, ledgerState, statedLedger, throwRefused, whyRefused } from './ledger-permission.ts'
import { LedgerWriter } from './ledger-writer.ts'
import { hasOutbox } from './outbox.ts'

/** The ledger of one memory, by what this machine allows. */
class OpenedLedger implements MemoryLedger {
  readonly #permission: LedgerPermission
  readonly #clock: Clock

  constructor(permission: LedgerPermission, clock: Clock) {
    this.#permission = permission
    this.#clock = clock
  }

  state(db: ReadDb): LedgerState {
    return ledgerState(db, this.#permission)
  }

  isAllowed(db: ReadDb, path: string): boolean {
    return whyRefused(db, path, this.#permission) === null
  }

  path(db: ReadDb): string | null {
    const stated = statedLedger(db)
    const refused = stated === null ? null : whyRefused(db, stated, this.#permission)
    return stated === null || refused === null ? stated : throwRefused(refused, stated)
  }

  enable(db: WriteDb, path: string): void {
    const writer = this.#writer(db)
    writer.enable(path)
    writer.drain()
  }

  agree(db: WriteDb, path?: string): void {
    const writer = this.#writer(db)
    writer.agree(path)
    writer.drain()
  }

  disable(db: WriteDb): void {
    const writer = this.#writer(db)
    // A ledger that accepts no more events is ended as well, because this is the way out.
    if (this.state(db).blocked === null) writer.drain()
    writer.disable()
  }

  #writer(db: WriteDb): LedgerWriter {
    return new LedgerWriter(db, this.#clock, this.#permission)
  }
}

/**
 * Adds to the memory its ledger, when it keeps one or the configuration asks for one. Problems of the ledger are
 * written once to stderr, and never prevent opening or writing the memory.
 */
export const openLedger: LedgerKeeper['open'] = (memory, { clock, dataDir, named }) => {
  const permission = { memory: memory.info.path, consents: new LedgerConsents(dataDir), named }
  return { memory: recording(memory, clock, permission), ledger: new OpenedLedger(permission, clock) }
}

function recording(memory: OpenedMemory, clock: Clock, permission: LedgerPermission): OpenedMemory {
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
