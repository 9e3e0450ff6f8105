import type { Clock } from './clock.ts'
import type { JobProgress } from './contract/job.ts'
import type { LedgerFiles, LedgerRebuild, LedgerReport, LedgerState } from './contract/ledger.ts'
import type { MemoryInfo } from './contract/memory.ts'
import type { TokenEstimator } from './models/token-estimator.ts'
import type { Sanitizer } from './sanitize.ts'
import type { ReadDb, WriteDb } from './sqlite/read-db.ts'
import type { OpenedMemory } from './systems/opening/open.ts'
import type { Rule } from './systems/rules/rule.ts'

type Steps<Result> = AsyncGenerator<JobProgress, Result>

/** A memory of any system from which a ledger is written. */
export type LedgerSource = { readonly db: ReadDb; readonly info: MemoryInfo; readonly clock: Clock }

export type WrittenLedger = { readonly events: number; readonly bytes: number; readonly largeFiles: LedgerFiles }

export type RebuildRequest = { readonly ledger: string; readonly to: string; readonly estimator: TokenEstimator }

/** The ledger that one memory keeps on this machine, as far as the user of this machine allows it. */
export type MemoryLedger = {
  /** What the memory says about its ledger, and what prevents continuing it. */
  state(db: ReadDb): LedgerState
  isAllowed(db: ReadDb, path: string): boolean
  /**
   * The path that the memory states; null when it keeps no ledger.
   * @throws LcmError ledger_refused, before the file that the memory names is read
   */
  path(db: ReadDb): string | null
  /**
   * Begins a ledger and writes into it what the memory holds.
   * @throws LcmError invalid_argument, ledger_refused, file_missing, disk_full
   */
  enable(db: WriteDb, path: string): void
  /**
   * Records that the user agrees that the memory continues a ledger: the one that it names, or `path`.
   * @throws LcmError invalid_argument, ledger_refused, file_missing, disk_full
   */
  agree(db: WriteDb, path?: string): void
  /** Writes what is pending, if the ledger still accepts it, and ends the ledger. */
  disable(db: WriteDb): void
}

/** All that this program does with append-only ledgers. `core/ledgers.ts` says whether it keeps any. */
export type LedgerKeeper = {
  /** The rules by which a check looks at ledgers. */
  readonly rules: readonly Rule[]
  /** Adds to a memory its ledger, when it keeps one or the configuration names one. */
  open(
    memory: OpenedMemory,
    options: OpenLedgerOptions,
  ): { readonly memory: OpenedMemory; readonly ledger: MemoryLedger }
  /** Reads a whole ledger and, with `db`, compares the messages of a memory with it. */
  verify(path: string, db: ReadDb | null, signal: AbortSignal): Steps<LedgerReport>
  /** Makes a memory from a ledger alone. */
  rebuild(request: RebuildRequest, signal: AbortSignal): Steps<LedgerRebuild>
  /** Writes a ledger of everything that a memory holds, where nothing may be. */
  export(source: LedgerSource & { readonly to: string }, signal: AbortSignal): Steps<WrittenLedger>
  /** Writes the same to an open file, without what `sanitize` takes out. */
  write(file: number, source: LedgerSource, signal: AbortSignal, sanitize?: Sanitizer): Steps<WrittenLedger>
}

type OpenLedgerOptions = {
  readonly clock: Clock
  /** The data folder of the app, in which consents are kept. */
  readonly dataDir: string
  /** The ledger that the settings of this machine name for this memory; null for none. */
  readonly named: string | null
}
