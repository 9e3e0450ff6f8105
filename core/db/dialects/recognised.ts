import type { System } from '../../contract/memory.ts'
import type { SchemaProbe } from '../schema-probe.ts'
import type { Dialect } from './dialect.ts'

const recognised = (system: System, name: string, detect: (probe: SchemaProbe) => boolean): Dialect => ({
  system,
  label: () => name,
  detect,
  reader: null,
})

export const decapod = recognised(
  'decapod',
  'decapod',
  (probe) =>
    probe.has('originals_index') && probe.has('summaries', 'summary_hash') && probe.has('summaries', 'original_hashes'),
)

export const piLcm: Dialect = {
  ...recognised(
    'pi-lcm',
    'pi-lcm',
    (probe) =>
      probe.has('_schema_version') &&
      probe.has('_metadata', 'key') &&
      probe.has('summary_sources', 'source_type') &&
      probe.has('messages', 'dedup_hash'),
  ),
  project: (db) => db.value<string>(`SELECT value FROM _metadata WHERE key = 'cwd'`) ?? null,
}

export const argentos = recognised(
  'argentos',
  'ArgentOS',
  (probe) =>
    probe.has('lcm_meta') &&
    probe.has('context_items', 'ref_id') &&
    probe.has('summaries', 'condensed') &&
    !probe.has('conversations'),
)

/** Two systems that share their core tables. */
export const hermes = recognised(
  'hermes-lcm',
  'hermes-lcm / LCM-X',
  (probe) => probe.has('messages', 'store_id') && probe.has('summary_nodes', 'source_ids'),
)

export const losslessClaude = recognised(
  'lossless-claude',
  'lossless-claude',
  (probe) =>
    probe.has('summary_parents') &&
    probe.has('context_items') &&
    probe.has('summary_messages') &&
    (probe.has('promoted') || probe.has('session_ingest_log') || probe.has('session_instructions')),
)
