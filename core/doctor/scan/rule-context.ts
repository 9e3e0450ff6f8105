import { type Clock, systemClock } from '#core/clock.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { MemoryLedger } from '#core/ledger-keeper.ts'
import { Memory } from '#core/memory/memory.ts'
import { createTokenEstimator, type TokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { NATIVE_VIEWS } from '#core/sqlite/native-schema.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { probeSchema } from '#core/sqlite/schema-probe.ts'
import { isNative } from '#core/systems/native/native.ts'
import { readBaseline } from '#core/systems/opening/copied-from.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'
import { knownSystem, systemOf } from '#core/systems/systems.ts'
import { messagesSetAside } from '../apply/set-aside.ts'
import { InheritedFindings, StoredBaseline } from './baseline.ts'

export type ContextTools = {
  readonly db: ReadDb
  readonly info: MemoryInfo
  readonly estimator: TokenEstimator
  readonly settings: CompactionSettings
  readonly clock: Clock
  /** The configured folder of large files. By default, it is the one beside the memory. */
  readonly filesDir?: string | null
  /** By default, no ledger is allowed on this machine. */
  readonly ledger?: MemoryLedger
}

/** What the rules look at in one scan of all conversations. */
export function contextOf(tools: ContextTools): RuleContext {
  const { db, info, ledger } = tools
  const system = systemOf(info.system)
  return {
    ...tools,
    ledger: ledger ? { isAllowed: (path) => ledger.isAllowed(db, path), state: () => ledger.state(db) } : null,
    conversationId: null,
    system,
    memory: Memory.empty(),
    probe: probeSchema(db, isNative(info) ? NATIVE_VIEWS : undefined),
    baseline: baselineOf(tools),
  }
}

/** Returns what rules work with while a copy is made. Its settings are the defaults, whatever is configured here. */
export function contextFor(db: ReadDb, info: MemoryInfo): RuleContext {
  const { compaction: settings } = readSettings({})
  return contextOf({ db, info, settings, estimator: createTokenEstimator(), clock: systemClock })
}

/** A baseline counts findings while it is asked, so every scan needs its own. */
function baselineOf({ db, info }: Pick<ContextTools, 'db' | 'info'>): InheritedFindings | null {
  const stored = isNative(info) ? storedBaseline(db) : null
  return stored === null ? null : new InheritedFindings(stored)
}

/** Returns the marks that the strata show at wrong nodes, so that they agree with the rules. */
export function marksFor(memory: Pick<ContextTools, 'db' | 'info'>) {
  let baseline: InheritedFindings | null | undefined
  const known = new Map<string, boolean>()
  const isFree = (id: string, conversationId: number): boolean => {
    // `null` means that the file has no baseline, `undefined` that it was not read yet.
    if (baseline === undefined) baseline = baselineOf(memory)
    const free = known.get(id) ?? baseline?.isFree(id, conversationId) ?? false
    known.set(id, free)
    return free
  }
  const { system, capabilities } = memory.info
  return {
    ...(isNative(memory.info) ? { readSetAside: () => messagesSetAside(memory.db) } : {}),
    overlaps: capabilities.freeSummaries !== true,
    unshown: !systemOf(system).facts.showsOnlyNewest,
    ...(memory.info.copiedFrom === undefined ? {} : { isFree }),
  }
}

/**
 * Returns the baseline of a working copy. It is null for other files and when it cannot be parsed; then no finding is
 * excused.
 */
export function storedBaseline(db: ReadDb): StoredBaseline | null {
  const stored = StoredBaseline.safeParse(readBaseline(db)).data
  return stored && knownSystem(stored.system) ? stored : null
}
