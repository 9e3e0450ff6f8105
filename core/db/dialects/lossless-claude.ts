import { recognised } from './recognised.ts'

export const losslessClaude = recognised(
  'lossless-claude',
  'lossless-claude',
  (probe) =>
    probe.has('summary_parents') &&
    probe.has('context_items') &&
    probe.has('summary_messages') &&
    (probe.has('promoted') || probe.has('session_ingest_log') || probe.has('session_instructions')),
)
