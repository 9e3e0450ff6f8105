import { argentosWriter } from './argentos.ts'
import { decapodWriter } from './decapod.ts'
import { hermesWriters } from './hermes.ts'
import { losslessClaudeWriter, losslessClawWriters } from './lossless.ts'
import { piLcmWriter } from './pi-lcm.ts'
import type { SystemWriter } from './system.ts'

/** All systems in the field, and of those that changed their schema the lines that differ. */
export const WRITERS: readonly SystemWriter[] = [
  ...losslessClawWriters,
  losslessClaudeWriter,
  ...hermesWriters,
  argentosWriter,
  piLcmWriter,
  decapodWriter,
]
