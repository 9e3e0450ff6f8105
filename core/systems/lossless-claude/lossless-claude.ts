import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { derivingLossless, losslessMissing } from '../lossless-claw/derived.ts'
import {
  familyExceptions,
  familyFacts,
  familyIndexes,
  familyValueRules,
  fourCharacters,
} from '../lossless-claw/facts.ts'
import { hasLosslessTables, viewsWithEmptyTables } from '../lossless-claw/lost-tables.ts'
import { losslessSpoilt, losslessViews } from '../lossless-claw/tables.ts'
import { entries, setIn } from '../places.ts'
import type { ForeignSystem } from '../system.ts'

/** It writes the time ranges of summaries shifted by its own UTC offset. */
const OPTIONS = { importer: 'lossless-claude', recomputesRanges: true } as const

/** Every file has it. */
const MEMORY_NAME = 'db.sqlite'

/** Beside each file; larger than this it is something else. */
const META_LIMIT_BYTES = 1_000_000

/** The Claude Code plugin: a fork of an early lossless-claw, with its tables and some of its own. */
export const losslessClaude: ForeignSystem = {
  id: 'lossless-claude',
  facts: { ...familyFacts, shiftsTimes: true },
  valueRules: familyValueRules,
  ownIndexes: familyIndexes,
  tokenRules: [fourCharacters],
  knownExceptions: familyExceptions,
  rules: [],
  preset: null,
  // Folders are named by a hash of the project's path; `meta.json` beside the memory has the path.
  places: ({ home, env }) => {
    const projects = join(setIn(env, 'LCM_HOME') ?? join(home, '.lossless-claude'), 'projects')
    return entries(projects).map(({ name }) => {
      const path = join(projects, name, MEMORY_NAME)
      return { path, label: projectOf(path) ?? name.slice(0, 12) }
    })
  },
  nameOf: (path) => (basename(path) === MEMORY_NAME ? (projectOf(path) ?? basename(dirname(path))) : null),
  summaries: 'replace',
  ledger: null,
  label: () => 'lossless-claude',
  detect: (probe) =>
    hasLosslessTables(probe) &&
    (probe.has('promoted') || probe.has('session_ingest_log') || probe.has('session_instructions')),
  project: (db) => projectOf(db.path),
  // No structure of it is known to tell its releases apart.
  version: () => null,
  capabilities: (probe) => ({
    parts: probe.has('message_parts'),
    files: probe.has('large_files'),
    runs: probe.has('message_parts', 'metadata'),
    storedWindow: probe.has('context_items'),
    levels: probe.has('message_parts', 'metadata'),
    // Nothing keeps them in step with the text.
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (probe, { db }) => [
    'Where a compaction run begins and ends is not recorded: events that no message stands between count as one run.',
    'Time ranges of summaries are written shifted: they are worked out from the messages.',
    ...losslessMissing(probe),
    ...losslessSpoilt(probe, db),
  ],
  views: (probe) => viewsWithEmptyTables(probe, losslessViews(probe, OPTIONS)),
  deriving: (source) => derivingLossless(source, OPTIONS),
}

/** The folder of the project, which the name of the file's own folder is a hash of. */
function projectOf(path: string): string | null {
  try {
    const meta = join(dirname(realpathSync(path)), 'meta.json')
    if (statSync(meta).size > META_LIMIT_BYTES) return null
    const parsed: unknown = JSON.parse(readFileSync(meta, 'utf8'))
    if (typeof parsed !== 'object' || parsed === null || !('cwd' in parsed)) return null
    return typeof parsed.cwd === 'string' && parsed.cwd !== '' ? parsed.cwd : null
  } catch {
    // Not there, or not JSON: then the file is known by its path.
    return null
  }
}
