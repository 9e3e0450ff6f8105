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
import { volt } from './volt/volt.ts'

/** Its ledger has the form of ours: its tools read ours, and a memory can be rebuilt from either. */
export const ledgerWriter = decapod

/** The one list of systems. First match wins: a later signature may fit an earlier system's files as well. */
const foreignSystems: ForeignSystem[] = [decapod, hermes, piLcm, argentos, losslessClaude, losslessClaw]

/**
 * Puts a system in front of the list, for a program that brings one of its own.
 * @returns what takes it out again
 */
export function addSystem(system: ForeignSystem): () => void {
  foreignSystems.unshift(system)
  return () => {
    foreignSystems.splice(foreignSystems.indexOf(system), 1)
  }
}

export const detectSystem = (probe: SchemaProbe): ForeignSystem | null =>
  foreignSystems.find((system) => system.detect(probe)) ?? null

/** Volt has no files: what is copied out of its database is a native one. */
export const allSystems = (): readonly System[] => [native, ...foreignSystems, volt]

/** Null for one that only another version of this program knows, which a working copy may name as its origin. */
export const knownSystem = (id: SystemId): System | null => allSystems().find((system) => system.id === id) ?? null

/**
 * The system of an open file.
 * @throws Error for an id that is not in the list
 */
export function systemOf(id: SystemId): System {
  const system = knownSystem(id)
  if (!system) throw new Error(`no system is called ${id}`)
  return system
}

/** What a file has lost of the tables and columns of the one system that it can be of; null: it can be of none. */
export function lostStructure(
  probe: SchemaProbe,
): { readonly system: SystemId; readonly lost: readonly string[] } | null {
  for (const system of foreignSystems) {
    const lost = system.lostStructure?.(probe) ?? null
    if (lost !== null) return { system: system.id, lost }
  }
  return null
}
