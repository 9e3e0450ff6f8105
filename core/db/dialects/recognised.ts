import type { System } from '../../contract/memory.ts'
import type { SchemaProbe } from '../schema-probe.ts'
import type { Dialect } from './dialect.ts'

/** A system whose files are known by their signature, and not read yet. */
export const recognised = (system: System, name: string, detect: (probe: SchemaProbe) => boolean): Dialect => ({
  system,
  label: () => name,
  detect,
  reader: null,
})
