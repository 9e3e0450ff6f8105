import { recognised } from './recognised.ts'

export const decapod = recognised(
  'decapod',
  'decapod',
  (probe) =>
    probe.has('originals_index') && probe.has('summaries', 'summary_hash') && probe.has('summaries', 'original_hashes'),
)
