import { migrations } from '../../sqlite/native.ts'
import { lostTables } from '../../systems/lossless-claw/tables.ts'
import type { Finding, Rule, RuleContext } from './rule.ts'

const queries = {
  names: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'index')`,
  steps: /* sql */ `SELECT step_name FROM main.lcm_migration_state`,
}

/** Releases of lossless-claw by what they brought, oldest first; a file with a sign has what came until then. */
const RELEASES: readonly {
  readonly sign: readonly [table: string, column: string] | null
  readonly brings: readonly string[]
}[] = [
  {
    sign: null,
    brings: [
      'message_parts',
      'large_files',
      'context_items_conv_idx',
      'large_files_conv_idx',
      'message_parts_message_idx',
      'messages_conv_seq_idx',
      'summaries_conv_created_idx',
    ],
  },
  { sign: ['conversations', 'active'], brings: ['conversations_active_session_key_idx'] },
  {
    sign: ['messages', 'identity_hash'],
    brings: [
      'lcm_migration_state',
      'conversation_compaction_telemetry',
      'conversation_compaction_maintenance',
      'messages_conv_identity_hash_idx',
      'summary_messages_message_idx',
      'summary_parents_parent_summary_idx',
      'summaries_conv_depth_kind_idx',
    ],
  },
  {
    sign: ['messages', 'transcript_entry_id'],
    brings: ['focus_briefs', 'focus_brief_sources', 'messages_conv_entry_unique_idx'],
  },
  { sign: ['messages', 'stable_event_key'], brings: ['messages_stable_event_key_unique'] },
]
const MIGRATION_STEPS = ['backfillSummaryDepths', 'backfillSummaryMetadata', 'backfillToolCallColumns']

/** Tables and indexes that the script of a native file makes. */
const made = (version: number): string[] =>
  migrations
    .slice(0, version)
    .flatMap((sql) => [...sql.matchAll(/^CREATE (?:VIRTUAL )?(?:UNIQUE )?(?:TABLE|INDEX) (\w+)/gm)])
    .flatMap(([, name]) => name ?? [])

function* expectedNames({ db, info, probe }: RuleContext): Generator<string> {
  if (info.system === 'native') {
    yield* made(db.value<number>('PRAGMA main.user_version') ?? 0)
    return
  }
  const newest = RELEASES.findLastIndex(({ sign }) => sign === null || probe.has(...sign))
  for (const { brings } of RELEASES.slice(0, newest + 1)) yield* brings
}

function* checkStructure(context: RuleContext): Iterable<Finding> {
  const { db, probe } = context
  const there = new Set(db.column<string>(queries.names))
  const finding = (detail: string): Finding => ({ id: null, conversationId: null, detail })
  for (const name of expectedNames(context)) {
    // That a full-text index is missing is said where its rows are.
    if (!there.has(name) && !/_(fts|trigram)$/.test(name)) {
      yield finding(`${name} is missing, which files of this version have`)
    }
  }
  if (context.info.system !== 'lossless-claw' || !probe.has('lcm_migration_state', 'step_name')) return
  const done = new Set(db.column<string>(queries.steps))
  for (const step of MIGRATION_STEPS) {
    if (!done.has(step)) yield finding(`the step ${step} of bringing the file up to date is not recorded as done`)
  }
}

function* findLostTables({ probe }: RuleContext): Iterable<Finding> {
  for (const table of lostTables(probe)) {
    yield { id: null, conversationId: null, detail: `the table ${table} is gone; the rest is read without it` }
  }
}

/** Whatever needs the table finds something, too. */
export const tableLost = {
  id: 'table_lost',
  group: 'file',
  severity: 'error',
  phase: 'structure',
  invariant: 'The file has the tables without which a memory is none.',
  explanation:
    'A whole table was dropped. What stood in it can only come from a backup; its system stops at this file.',
  advice:
    'Restore a backup, or import the transcript again. Nothing is repaired without the table: it would be taken for what is right.',
  cannotRestore: 'What stood in the table is nowhere else in the file.',
  notApplicable: ({ info }) =>
    info.system === 'lossless-claw' || info.system === 'lossless-claude'
      ? null
      : `A file of ${info.systemLabel} that lacks one is not opened.`,
  find: findLostTables,
} as const satisfies Rule

export const tableRules = [
  tableLost,
  {
    id: 'schema_incomplete',
    group: 'file',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The file has the tables and indexes that its version of the system brings.',
    explanation:
      'A part of the file is missing that its system relies on. It may make it anew, empty, be slow without it, or stop.',
    advice: 'Start its own system once with a copy of the file: most versions add what is missing.',
    // A table that lets these in has lost its keys, and its indexes with them.
    consequenceOf: ['duplicate_edge', 'ordinal_duplicate', 'sequence_duplicate', 'invalid_value', 'table_lost'],
    notApplicable: ({ info }) =>
      info.system === 'native' || info.system === 'lossless-claw'
        ? null
        : `What each version of ${info.systemLabel} brings is not known.`,
    find: checkStructure,
  },
] as const satisfies readonly Rule[]
