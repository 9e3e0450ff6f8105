// Why it is so: docs/decisions/0020-systems.md

import type { Capabilities, SystemId } from '../contract/memory.ts'
import type { Preset } from '../contract/settings.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { SchemaProbe } from '../sqlite/schema-probe.ts'
import type { PreparableDb } from '../sqlite/uri-db.ts'
import type { Place, Surroundings } from './places.ts'
import type { KnownException } from './rules/known-exceptions.ts'
import type { Rule } from './rules/rule.ts'
import type { SystemTraits } from './traits.ts'

/** A file that is being read, for a system that needs more than its views. */
export type Source = {
  /** The path of the database with symbolic links resolved. Companions stand beside it. */
  readonly realPath: string
  readonly probe: SchemaProbe
  readonly db: PreparableDb
  /** True when nothing of it can change while it is open, so that what is derived once need not be compared again. */
  readonly isStill: boolean
}

/** Where a system is configured, and which of its values this program has, too. Nothing else of a file is looked at. */
export type OwnSettings = {
  /** Files that may be there, the one that counts before the others first. */
  files(surroundings: Surroundings): readonly string[]
  readonly format: 'json' | 'yaml'
  /** Sections of the document. Of two that name the same value, the first counts. */
  readonly sections: readonly {
    readonly at: readonly string[]
    /** The variable of this program (`LCM_…`) for each of its names. */
    readonly names: Readonly<Record<string, string>>
  }[]
}

/** All that is known of one LCM system. */
export type System = SystemTraits & {
  /** Working copies store it: it never changes. */
  readonly id: SystemId
  /** What a working copy of one of its files holds by design of the system, although it would be damage elsewhere. */
  readonly knownExceptions: readonly KnownException[]
  /** Rules about what only this system does. They join the list of all rules when the program is loaded. */
  readonly rules: readonly Rule[]
  /** Its defaults in this engine's settings; null where they are not known. */
  readonly preset: Preset | null
  readonly ownSettings?: OwnSettings
  /** The names of the tools for which its agents are prompted, by our own names of them. */
  readonly toolNames?: Readonly<Record<string, string>>
  /** Where it keeps its memories on a machine. */
  places(surroundings: Surroundings): readonly Place[]
  /** A name for people of a file at a place of this system, where its own says nothing; null for any other path. */
  nameOf?(path: string): string | null
  /** Whether summaries replace what they were made from in a window, or stand beside a window of all messages. */
  readonly summaries: 'replace' | 'beside'
}

/** A system whose files are only read: how they are recognised, and how they are read as if they were ours. */
export type ForeignSystem = System & {
  /** Name for people. */
  label(probe: SchemaProbe): string
  /** Decides by structure alone. The first system of the list in `systems.ts` that matches wins. */
  detect(probe: SchemaProbe): boolean
  /** Names what is missing in a file without the signature that can be of no other system. Null for other files. */
  lostStructure?(probe: SchemaProbe): readonly string[] | null
  /** The folder of the project that a file belongs to, where the file says so. */
  project?(db: ReadDb): string | null
  /** The oldest version that can have written the structure found ("0.10.0+"); null when nothing tells. */
  version(probe: SchemaProbe, source: Source): string | null
  capabilities(probe: SchemaProbe): Capabilities
  /** Says in sentences for people what the format, or this very file, does not record. Runs after `deriving`. */
  lacks?(probe: SchemaProbe, source: Source): readonly string[]
  /** CREATE TEMP VIEW statements for canonical names (see `canonical.ts`); they may name derived tables. Others stay empty. */
  views(probe: SchemaProbe): string
  /**
   * Fills TEMP tables with what is not stored as rows, or brings them in step with the file; yields between pieces of at
   * most 20 ms where it can. It runs after `views` when the file is opened, and before the next read whenever the file
   * changed, each time in one transaction with the reads that follow. Names of the file's own tables need `main.`: the
   * views are in front of them.
   */
  deriving?(source: Source): Generator<void>
  /** Absolute paths of other files that `deriving` reads: a change of one of them is a change of the memory. */
  companions?(realPath: string): readonly string[]
}
