import { LcmError } from './errors.ts'
import { appendOnlyLedgers } from './ledger/append-only-ledgers.ts'
import type { LedgerKeeper, MemoryLedger } from './ledger-keeper.ts'

/** What keeps ledgers. It goes with its import, its line here and its folder. */
const KEEPERS: readonly LedgerKeeper[] = [
  // A list of one, so that the rest of the program asks whether there is any.
  appendOnlyLedgers,
]

export const ledgerRules = KEEPERS.flatMap(({ rules }) => rules)

/** @throws LcmError unsupported where no ledgers are kept */
export function requireLedgers(): LedgerKeeper {
  const [keeper] = KEEPERS
  if (keeper === undefined) throw new LcmError('unsupported', 'This program keeps no ledgers.')
  return keeper
}

const refuse = (): never => {
  requireLedgers()
  throw new LcmError('unsupported', 'This memory keeps no ledger.')
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
