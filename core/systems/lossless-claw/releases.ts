import type { ReleaseStructure } from '../system-facts.ts'

const queries = { steps: /* sql */ `SELECT step_name FROM main.lcm_migration_state` }

/** Releases by what they brought, oldest first; a file with a sign has what came until then. */
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

/** What each release brought. */
export const clawStructure: ReleaseStructure = {
  names: (probe) => {
    const newest = RELEASES.findLastIndex(({ sign }) => sign === null || probe.has(...sign))
    return RELEASES.slice(0, newest + 1).flatMap(({ brings }) => brings)
  },
  undoneSteps: ({ db, probe }) => {
    if (!probe.has('lcm_migration_state', 'step_name')) return []
    const done = new Set(db.column<string>(queries.steps))
    return MIGRATION_STEPS.filter((step) => !done.has(step))
  },
}
