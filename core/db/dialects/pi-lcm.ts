import type { Dialect } from './dialect.ts'
import { recognised } from './recognised.ts'

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
