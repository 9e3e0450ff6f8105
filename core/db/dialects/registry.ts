import type { SchemaProbe } from '../schema-probe.ts'
import type { Dialect } from './dialect.ts'
import { losslessClaw } from './lossless-claw.ts'
import { argentos, decapod, hermes, losslessClaude, piLcm } from './recognised.ts'

/** First match wins: a later signature may fit an earlier system's files as well. */
const dialects: readonly Dialect[] = [decapod, piLcm, argentos, hermes, losslessClaude, losslessClaw]

export const detectDialect = (probe: SchemaProbe): Dialect | null =>
  dialects.find((dialect) => dialect.detect(probe)) ?? null
