import type { SchemaProbe } from '../schema-probe.ts'
import { argentos } from './argentos.ts'
import { decapod } from './decapod.ts'
import type { Dialect } from './dialect.ts'
import { hermes } from './hermes.ts'
import { losslessClaude } from './lossless-claude.ts'
import { losslessClaw } from './lossless-claw.ts'
import { piLcm } from './pi-lcm.ts'

/** First match wins: a later signature may fit an earlier system's files as well. */
const dialects: readonly Dialect[] = [decapod, piLcm, argentos, hermes, losslessClaude, losslessClaw]

export const detectDialect = (probe: SchemaProbe): Dialect | null =>
  dialects.find((dialect) => dialect.detect(probe)) ?? null
