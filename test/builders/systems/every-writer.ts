import { argentosWriter } from './argentos.ts'
import { decapodWriter } from './decapod.ts'
import { hermesWriters } from './hermes.ts'
import { losslessClaudeWriter, losslessClawWriters } from './lossless.ts'
import { piLcmWriter } from './pi-lcm.ts'
import type { SystemWriter } from './system.ts'

/** All known systems, each in the versions whose schema differs. */
export const WRITERS: readonly SystemWriter[] = [
  ...losslessClawWriters,
  losslessClaudeWriter,
  ...hermesWriters,
  argentosWriter,
  piLcmWriter,
  decapodWriter,
]
