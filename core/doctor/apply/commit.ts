import type { Clock } from '#core/clock.ts'
import { refuseLocked } from '#core/compaction/conversation-lock.ts'
import type { RowChange, Worse } from '#core/contract/repair.ts'
import { LcmError } from '#core/errors.ts'
import { areIndexesSound, fillIndexes } from '#core/sqlite/fill-indexes.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { withoutTriggers } from '#core/sqlite/take-triggers.ts'
import { recordSurgery, type SurgeryRecord } from '#core/systems/records/surgery-log.ts'
import { withoutYielding } from '#core/yielding.ts'
import { ftsInSync, ftsTriggerMissing } from '../rules/indexes.ts'
import { rules } from '../rules/rules.ts'
import type { Scanner } from '../scan/scanner.ts'
import { type CanonicalExtent, canonicalHash } from './row-digest.ts'
import { StaleRow, writeRows } from './rows.ts'

/** How many findings each rule has, by its id. */
export type Counts = ReadonlyMap<string, number>

export type CommitTools = {
  readonly db: WriteDb
  readonly integrity: Scanner
  readonly clock: Clock
  readonly owner: string
}

/** Rows that are written together; a later batch builds on an earlier one. */
export type Batch = { readonly step: string | null; readonly changes: readonly RowChange[] }

export type Work = {
  readonly batches: readonly Batch[]
  readonly statements: readonly string[]
  readonly conversationIds: readonly number[]
  readonly records: readonly SurgeryRecord[]
  /** Is called before the rows are written and stores what `changes` refer to. */
  readonly prepare?: (db: WriteDb) => void
}

/** Ids of the rules that are not asked while a transaction is open. The scans before and after it ask them. */
export const leftOut = (bytes: number): readonly string[] =>
  rules.filter((rule) => rule.isLeftOutOfCommit?.(bytes) === true).map(({ id }) => id)

/** What is known of the file. It need not be found out again unless somebody else has written to the file since. */
export type Known = {
  readonly dataVersion: number
  readonly counts: Counts
  readonly canonical: { readonly extent: CanonicalExtent; readonly hash: string }
  /** Rules that would keep other writers waiting for too long. Changes of rows cannot make them worse. */
  readonly without: readonly string[]
  /** Whether more findings of a rule are accepted, in view of what all rules find after the change. */
  readonly isAccepted: (id: string, after: Counts) => boolean
}

export type Committed = { readonly worse: readonly Worse[] | null; readonly before: Counts; readonly after: Counts }

/** Carries the verdict out of the transaction, which it rolls back. */
class GotWorse extends Error {
  readonly worse: readonly Worse[]
  readonly before: Counts
  readonly after: Counts

  constructor(worse: readonly Worse[], before: Counts, after: Counts) {
    super('a rule has more findings than before')
    this.worse = worse
    this.before = before
    this.after = after
  }
}

/**
 * Writes rows in one transaction that is only kept when every row was as expected, no canonical row changed, and no rule
 * finds more than before.
 * @param again looks at the file again when others wrote meanwhile; throws when what was planned does not hold any more
 * @throws LcmError locked, plan_stale, sqlite_failed; nothing was changed then
 */
export function commitVerified(tools: CommitTools, work: Work, known: Known, again: () => void): Committed {
  const { db, integrity, clock, owner } = tools
  try {
    return db.transaction(() => {
      refuseLocked(db, work.conversationIds, clock())
      const isSame = db.dataVersion() === known.dataVersion
      if (!isSame) again()
      const before = isSame ? known.counts : integrity.countNow(known.without)
      const { extent } = known.canonical
      const hash = isSame ? known.canonical.hash : withoutYielding(canonicalHash(db, extent))
      // A row may be written before the row that it refers to. All references are checked at the end.
      db.exec('PRAGMA defer_foreign_keys = ON')
      work.prepare?.(db)
      writeBatches(db, work.batches, before)
      for (const sql of work.statements) db.exec(sql)
      for (const record of work.records) recordSurgery(db, record, owner, clock())
      if (withoutYielding(canonicalHash(db, extent)) !== hash) {
        throw new LcmError(
          'internal',
          `Canonical rows of ${db.path} would have changed: nothing was written. Please report this.`,
        )
      }
      const after = new Map([...before, ...integrity.countNow(known.without)])
      const worse = [...after].flatMap(([check, count]): Worse[] => {
        const was = before.get(check) ?? 0
        return count > was && !known.isAccepted(check, after) ? [{ check, before: was, after: count }] : []
      })
      if (worse.length > 0) throw new GotWorse(worse, before, after)
      return { worse: null, before, after }
    })
  } catch (error) {
    if (error instanceof GotWorse) return { worse: error.worse, before: error.before, after: error.after }
    throw error
  }
}

/**
 * Where texts of summaries change and their indexes do not hold the texts that are there, the indexes are left alone
 * while rows are written, and filled then. A rule sees only which rows an index lacks; a text that was changed without
 * its triggers is seen by comparing the words.
 */
function writeBatches(db: WriteDb, batches: readonly Batch[], before: Counts): void {
  const isText = ({ table, before: was, after }: RowChange): boolean =>
    table === 'summaries' && (was === null || after === null || 'content' in after)
  const write = (): void => {
    for (const batch of batches) writeBatch(db, batch)
  }
  const isOff = (): boolean =>
    [ftsInSync, ftsTriggerMissing].some(({ id }) => (before.get(id) ?? 0) > 0) || !areIndexesSound(db, ['summary'])
  if (!batches.some(({ changes }) => changes.some(isText)) || !isOff()) {
    write()
    return
  }
  withoutTriggers(db, ['summaries_index_*'], write)
  fillIndexes(db, ['summary'])
}

function writeBatch(db: WriteDb, { step, changes }: Batch): void {
  try {
    writeRows(db, changes)
  } catch (error) {
    if (!(error instanceof StaleRow)) throw error
    const { table, key } = error.change
    throw planStale(db.path, step, `${table} ${Object.values(key).join(' ')} is not as it was`)
  }
}

export function planStale(path: string, step: string | null, why: string): LcmError {
  return new LcmError(
    'plan_stale',
    `${path} has changed since ${step === null ? 'this' : `step ${step}`} was planned (${why}): nothing was written. Make a new plan.`,
    { path, step },
  )
}
