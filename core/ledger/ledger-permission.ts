import { closeSync, openSync, statSync } from 'node:fs'
import type { LedgerState } from '../contract/ledger.ts'
import { LcmError } from '../errors.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { type LedgerConsents, realLedger } from './ledger-consents.ts'
import { compareExtent, extentOf, keptByOther, notAgreed, type Problem } from './ledger-extent.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { hasOutbox } from './outbox.ts'

/** What this machine allows for the ledger of one memory. */
export type LedgerPermission = {
  /** The path of the memory. */
  readonly memory: string
  readonly consents: LedgerConsents
  /** The ledger that the settings of this machine name for this memory, or null. */
  readonly named: string | null
}

const queries = {
  pending: /* sql */ `SELECT count(*) FROM ledger_outbox`,
}

/**
 * Returns the path that the memory states, or null when it keeps no ledger. Nothing may be done there before
 * `whyRefused` is asked.
 */
export const statedLedger = (db: ReadDb): string | null =>
  hasOutbox(db) ? (ledgerMeta(db, 'ledger_path') ?? null) : null

/**
 * Says why this program must not use the path that a memory states, or null when it may. It does not touch the path.
 */
export function whyRefused(db: ReadDb, path: string, { memory, consents, named }: LedgerPermission): Problem | null {
  const isNamed = named !== null && named === path
  const agreed = isNamed ? path : consents.ledgerOf(memory, ledgerMeta(db, 'ledger_id') ?? '')
  if (agreed !== path) return notAgreed(path, memory, named)
  const keeper = consents.keeperOf(path, memory)
  return keeper === null ? null : keptByOther(realLedger(path), keeper)
}

/**
 * Returns what a memory says about its ledger, and what prevents continuing it. Files of other systems have no ledger.
 */
export function ledgerState(db: ReadDb, permission: LedgerPermission): LedgerState {
  const path = statedLedger(db)
  if (path === null) return { path, pending: 0, bytes: 0, problem: null, blocked: null }
  const found = whyRefused(db, path, permission) ?? problemOf(db, path)
  return {
    path,
    pending: db.value<number>(queries.pending) ?? 0,
    bytes: extentOf(db).bytes,
    problem: found?.kind ?? null,
    blocked: found?.message ?? null,
  }
}

function problemOf(db: ReadDb, path: string): Problem | null {
  const known = extentOf(db)
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return known.bytes === 0 ? null : missing(path)
    if (!found.isFile()) return noFile(path)
    const file = openSync(path, 'r')
    try {
      return compareExtent(file, path, known)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const told = fileError(error, path)
    if (!(told instanceof LcmError)) throw error
    return { kind: 'unreachable', message: `${told.message} What is pending stays in the memory meanwhile.` }
  }
}

const missing = (path: string): Problem => ({
  kind: 'cut_off',
  message: `The ledger ${path} is gone: put it back, or end it ("lcm ledger disable") and begin another ("lcm ledger enable FILE"). What is pending stays in the memory meanwhile.`,
})

export const noFile = (path: string): Problem => ({
  kind: 'unreachable',
  message: `${path} is a folder or a device and cannot be a ledger: end it ("lcm ledger disable") and begin one in a file.`,
})

/** @throws LcmError ledger_refused */
export function throwRefused({ kind, message }: Problem, path: string): never {
  throw new LcmError('ledger_refused', message, { path, problem: kind })
}
