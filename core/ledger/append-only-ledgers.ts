import type { LedgerKeeper } from '../ledger-keeper.ts'
import { ledgerRules } from './ledger-rules.ts'
import { openLedger } from './open-ledger.ts'

/** Ledgers in the form of decapod's: an event a line, each with a hash of the line before. */
export const appendOnlyLedgers: LedgerKeeper = {
  rules: ledgerRules,
  open: openLedger,
  async *verify(path, db, signal) {
    const { verifyLedger } = await import('./verify-ledger.ts')
    return yield* verifyLedger(path, db, signal)
  },
  async *rebuild(request, signal) {
    const { rebuildMemory } = await import('./rebuild-memory.ts')
    return yield* rebuildMemory(request, signal)
  },
  async *export(source, signal) {
    const { exportLedger } = await import('./export-ledger.ts')
    return yield* exportLedger(source, signal)
  },
  async *write(file, source, signal, sanitize) {
    const { writeLedger } = await import('./export-ledger.ts')
    const { ledgerSanitizer } = await import('./export-ledger.ts')
    return yield* writeLedger(file, source, signal, sanitize && ledgerSanitizer(sanitize))
  },
}
