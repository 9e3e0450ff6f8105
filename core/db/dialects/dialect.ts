import type { Capabilities, System } from '../../contract/memory.ts'
import type { ReadDb } from '../read-db.ts'
import type { SchemaProbe } from '../schema-probe.ts'

/** How the files of one system are read as if they were ours. */
export type Reader = {
  /** The oldest version that can have written the structure found ("0.10.0+"); null when nothing tells. */
  version(probe: SchemaProbe): string | null
  capabilities(probe: SchemaProbe): Capabilities
  /** CREATE TEMP VIEW statements for every canonical name (see `canonical.ts`). */
  views(probe: SchemaProbe): string
}

/** One LCM system's format on disk: a signature by structure, and how to read it. */
export type Dialect = {
  readonly system: System
  /** Name for people. */
  label(probe: SchemaProbe): string
  detect(probe: SchemaProbe): boolean
  /** The folder of the project that a file belongs to, where the file says so. */
  project?(db: ReadDb): string | null
  /** null for systems that are recognised but cannot be read yet. */
  readonly reader: Reader | null
}
