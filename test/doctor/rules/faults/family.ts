import type { CompactedFault } from './compacted.ts'
import type { GeneratedFault } from './generated.ts'
import type { LosslessFault } from './lossless.ts'

/** Seeded faults for the rules of one family, by the kind of file that they are done to. */
export type FamilyFaults = {
  readonly compacted?: readonly CompactedFault[]
  readonly lossless?: readonly LosslessFault[]
  readonly generated?: readonly GeneratedFault[]
}
