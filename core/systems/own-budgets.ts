import type { MemoryInfo } from '../contract/memory.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { probeSchema } from '../sqlite/schema-probe.ts'
import type { OwnBudget } from './system-facts.ts'
import { systemOf } from './systems.ts'

/** Looks up the budgets that a file notes for some of its conversations, or (`null`) for all. */
export type OwnBudgets = (of: readonly number[] | null) => ReadonlyMap<number, OwnBudget>

/** The budgets of an open file, as it notes them at the moment of the call. Undefined where its system notes none. */
export function ownBudgetsOf(db: ReadDb, info: MemoryInfo): OwnBudgets | undefined {
  const { ownBudgets } = systemOf(info.system).facts
  if (ownBudgets === null) return undefined
  const probe = probeSchema(db)
  return (of) => ownBudgets(db, probe, of)
}
