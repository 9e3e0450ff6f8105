import type { SchemaProbe } from '../sqlite/schema-probe.ts'
import { argentos } from './argentos/argentos.ts'
import { decapod } from './decapod/decapod.ts'
import { hermes } from './hermes-lcm/hermes-lcm.ts'
import { losslessClaude } from './lossless-claude/lossless-claude.ts'
import { losslessClaw } from './lossless-claw/lossless-claw.ts'
import { piLcm } from './pi-lcm/pi-lcm.ts'
import type { ForeignSystem } from './system.ts'

/** First match wins: a later signature may fit an earlier system's files as well. */
const foreignSystems: readonly ForeignSystem[] = [decapod, piLcm, argentos, hermes, losslessClaude, losslessClaw]

export const detectSystem = (probe: SchemaProbe): ForeignSystem | null =>
  foreignSystems.find((system) => system.detect(probe)) ?? null
