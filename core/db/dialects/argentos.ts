import { recognised } from './recognised.ts'

export const argentos = recognised(
  'argentos',
  'ArgentOS',
  (probe) =>
    probe.has('lcm_meta') &&
    probe.has('context_items', 'ref_id') &&
    probe.has('summaries', 'condensed') &&
    !probe.has('conversations'),
)
