import type { SystemId } from '../contract/memory.ts'
import type { SchemaProbe } from '../sqlite/schema-probe.ts'
import { argentos } from './argentos/argentos.ts'
import { decapod } from './decapod/decapod.ts'
import { hermes } from './hermes-lcm/hermes-lcm.ts'
import { losslessClaude } from './lossless-claude/lossless-claude.ts'
import { losslessClaw } from './lossless-claw/lossless-claw.ts'
import { native } from './native/native.ts'
import { piLcm } from './pi-lcm/pi-lcm.ts'
import type { ForeignSystem, System } from './system.ts'

/** Its ledger has the form of ours: its tools read ours, and a memory can be rebuilt from either. */
export const ledgerWriter = decapod

/** First match wins: a later signature may fit an earlier system's files as well. */
const foreignSystems: readonly ForeignSystem[] = [decapod, piLcm, argentos, hermes, losslessClaude, losslessClaw]

export const detectSystem = (probe: SchemaProbe): ForeignSystem | null =>
  foreignSystems.find((system) => system.detect(probe)) ?? null

export const systems: readonly System[] = [native, ...foreignSystems]

const byId: ReadonlyMap<SystemId, System> = new Map(systems.map((system) => [system.id, system]))

/** @throws Error for an id that is not in the list */
export function systemOf(id: SystemId): System {
  const system = byId.get(id)
  if (!system) throw new Error(`no system is called ${id}`)
  return system
}
