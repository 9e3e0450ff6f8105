import { LcmError } from './errors.ts'
import { appendOnlyLedgers } from './ledger/append-only-ledgers.ts'
import type { LedgerKeeper, MemoryLedger } from './ledger-keeper.ts'

/** What keeps ledgers. To take ledgers out of the program, delete the entry, its import and its folder. */
const KEEPERS: readonly LedgerKeeper[] = [appendOnlyLedgers]

export const ledgerRules = KEEPERS.flatMap(({ rules }) => rules)

/** @throws LcmError unsupported where no ledgers are kept */
export function requireLedgers(): LedgerKeeper {
  return KEEPERS[0] ?? refuse()
}

const refuse = (): never => {
  throw new LcmError('unsupported', 'This program keeps no ledgers.')
}
const NONE: MemoryLedger = {
  state: () => ({ path: null, pending: 0, bytes: 0, problem: null, blocked: null }),
  isAllowed: () => false,
  path: () => null,
  enable: refuse,
  agree: refuse,
  disable: refuse,
}

/** Adds to a memory its ledger, where any are kept. */
export const openLedger: LedgerKeeper['open'] = (memory, options) =>
  KEEPERS[0]?.open(memory, options) ?? { memory, ledger: NONE }
