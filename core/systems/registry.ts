import type { SchemaProbe } from '../sqlite/schema-probe.ts'
import { argentos } from './argentos/argentos.ts'
import { decapod } from './decapod/decapod.ts'
import type { Dialect } from './dialect.ts'
import { hermes } from './hermes-lcm/hermes.ts'
import { losslessClaude } from './lossless-claude/lossless-claude.ts'
import { losslessClaw } from './lossless-claw/lossless-claw.ts'
import { piLcm } from './pi-lcm/pi-lcm.ts'

/** First match wins: a later signature may fit an earlier system's files as well. */
const dialects: readonly Dialect[] = [decapod, piLcm, argentos, hermes, losslessClaude, losslessClaw]

export const detectDialect = (probe: SchemaProbe): Dialect | null =>
  dialects.find((dialect) => dialect.detect(probe)) ?? null
