import { recognised } from './recognised.ts'

/** Two systems that share their core tables. */
export const hermes = recognised(
  'hermes-lcm',
  'hermes-lcm / LCM-X',
  (probe) => probe.has('messages', 'store_id') && probe.has('summary_nodes', 'source_ids'),
)
