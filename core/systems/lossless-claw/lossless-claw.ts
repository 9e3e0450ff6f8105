import { join } from 'node:path'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { setIn } from '../places.ts'
import type { ForeignSystem } from '../system.ts'
import { derivingLossless, losslessMissing } from './derived.ts'
import {
  clawExceptions,
  clawFacts,
  clawPreset,
  familyIndexes,
  familyValueRules,
  fourCharacters,
  ownSettings,
  weightedTokens,
} from './facts.ts'
import { hasLosslessTables, lostOfLossless, viewsWithEmptyTables } from './lost-tables.ts'
import { losslessSpoilt, losslessViews } from './tables.ts'

/** A structure and the release that brought it, newest first. `column` undefined: the table itself. */
const MARKERS: readonly { readonly version: string; readonly table: string; readonly column?: string }[] = [
  { version: '1.0.0-beta', table: 'pending_compaction_batches' },
  { version: '1.0.0-beta', table: 'pending_summary_nodes' },
  { version: '0.15.2', table: 'messages', column: 'stable_event_key' },
  { version: '0.14.0', table: 'conversations', column: 'archive_cause' },
  { version: '0.14.0', table: 'large_files', column: 'line_count' },
  { version: '0.13.0', table: 'messages', column: 'transcript_entry_id' },
  { version: '0.11.0', table: 'focus_briefs' },
  { version: '0.10.0', table: 'messages', column: 'large_content' },
  { version: '0.9.0', table: 'messages', column: 'identity_hash' },
  { version: '0.9.0', table: 'conversation_compaction_maintenance' },
  { version: '0.8.1', table: 'lcm_migration_state' },
  { version: '0.6.0', table: 'conversations', column: 'archived_at' },
  { version: '0.5.0', table: 'summaries', column: 'model' },
  { version: '0.5.0', table: 'conversation_bootstrap_state' },
  { version: '0.4.0', table: 'conversations', column: 'session_key' },
  { version: '0.3.0', table: 'summaries', column: 'descendant_token_count' },
  { version: '0.1.2', table: 'summaries', column: 'depth' },
]

const OPTIONS = { importer: 'lossless-claw', recomputesRanges: false } as const

const isNamed = (probe: SchemaProbe): boolean =>
  probe.has('conversation_bootstrap_state') ||
  probe.has('lcm_migration_state') ||
  probe.has('summaries', 'model') ||
  probe.has('pending_summary_nodes')

/** The OpenClaw plugin. Column names are probed: they come and go, and a file may carry those of two version lines. */
export const losslessClaw: ForeignSystem = {
  id: 'lossless-claw',
  facts: clawFacts,
  valueRules: familyValueRules,
  ownIndexes: familyIndexes,
  // Older releases counted four characters a token whatever the script.
  tokenRules: [weightedTokens, fourCharacters],
  knownExceptions: clawExceptions,
  rules: [],
  preset: clawPreset,
  ownSettings,
  places: ({ home, env }) => [
    { path: join(setIn(env, 'OPENCLAW_STATE_DIR') ?? join(home, '.openclaw'), 'lcm.db'), label: 'OpenClaw' },
    // A port of it for Hermes Agent writes the same tables.
    {
      path: join(setIn(env, 'HERMES_HOME') ?? join(home, '.hermes'), 'lossless-hermes', 'lcm.db'),
      label: 'lossless-hermes',
    },
  ],
  summaries: 'replace',
  ledger: null,
  label: (probe) => (isNamed(probe) ? 'lossless-claw' : 'lossless-claw, early'),
  detect: hasLosslessTables,
  lostStructure: lostOfLossless,
  version: (probe) => {
    const newest = MARKERS.find(({ table, column }) => probe.has(table, column))
    return newest ? `${newest.version}+` : null
  },
  capabilities: (probe) => ({
    parts: probe.has('message_parts'),
    files: probe.has('large_files'),
    // The earliest releases keep compactions as messages, like the fork that was made of them.
    runs: !isNamed(probe) && probe.has('message_parts', 'metadata'),
    storedWindow: probe.has('context_items'),
    levels: false,
    // They hold message text only, stemmed, and drift: what they do not find may well be there.
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (probe, { db }) => [...losslessMissing(probe), ...losslessSpoilt(probe, db)],
  views: (probe) => viewsWithEmptyTables(probe, losslessViews(probe, OPTIONS)),
  deriving: (source) => derivingLossless(source, OPTIONS),
}
