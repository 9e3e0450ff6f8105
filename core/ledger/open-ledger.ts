import type { Clock } from '../clock.ts'
import type { OpenedMemory } from '../db/open-memory.ts'
import { LcmError } from '../errors.ts'
import { keepLedger } from './keep-ledger.ts'
import { LedgerWriter } from './ledger-writer.ts'
import { hasOutbox } from './outbox.ts'

type Options = {
  readonly clock: Clock
  /** Where the configuration wants the ledger of this memory; null for no wish. */
  readonly wanted: string | null
}

/**
 * The memory with its ledger following, when it keeps one or the configuration asks for one. Whatever is wrong with the
 * ledger is said on stderr and never keeps the memory from opening.
 */
export function withLedger(memory: OpenedMemory, { clock, wanted }: Options): OpenedMemory {
  const { write } = memory
  if (!write) return memory
  const tell = (error: LcmError): void => console.warn(`lcm: ${error.code}: ${error.message}`)
  try {
    if (wanted !== null && !hasOutbox(write)) new LedgerWriter(write, clock).enable(wanted)
  } catch (error) {
    if (!(error instanceof LcmError)) throw error
    tell(error)
  }
  if (!hasOutbox(write)) return memory
  const { db } = keepLedger(write, clock, tell)
  return { ...memory, read: db, write: db, close: () => db.close() }
}
