/** Releases of lossless-claw whose tables differ, oldest first. */
export const CLAW_RELEASES = ['0.1.2', '0.5.0', '0.8.1', '0.10.0', '0.13.0', '0.15.3', '1.0.0-beta.4'] as const
export type ClawRelease = (typeof CLAW_RELEASES)[number]

/** Systems with the tables of lossless-claw, or tables derived from them. */
export type LosslessRelease = ClawRelease | 'lossless-claude'

const CONVERSATION = 'INTEGER NOT NULL REFERENCES conversations (conversation_id) ON DELETE CASCADE'
const PER_CONVERSATION = 'INTEGER PRIMARY KEY REFERENCES conversations (conversation_id) ON DELETE CASCADE'
const NOW = "TEXT NOT NULL DEFAULT (datetime('now'))"
const COUNT = 'INTEGER NOT NULL DEFAULT 0'

/** lossless-claude is a fork of a release before 0.5.0. */
const ageOf = (release: LosslessRelease): number => (release === 'lossless-claude' ? 0 : CLAW_RELEASES.indexOf(release))

/** True when a release has what another one introduced. */
export const isSince = (release: LosslessRelease, first: ClawRelease): boolean => ageOf(release) >= ageOf(first)

/** True when summaries record how many messages they cover. */
export const countsDescendants = (release: LosslessRelease): boolean =>
  release === 'lossless-claude' || isSince(release, '0.5.0')

type Since = (first: ClawRelease, sql: string) => string

/** Returns the tables that a release makes in a new file. */
export function losslessSchema(release: LosslessRelease): string {
  const since: Since = (first, sql) => (isSince(release, first) ? sql : '')
  return [
    conversationTables(since),
    summaryTables(since, countsDescendants(release)),
    fileTables(since),
    searchTables(since),
    stateTables(since, release),
    release === '0.5.0' ? 'CREATE UNIQUE INDEX conversations_session_key_idx ON conversations (session_key);' : '',
    release === 'lossless-claude' ? CLAUDE_TABLES : '',
    release === '1.0.0-beta.4' ? BETA_TABLES : '',
  ].join('\n')
}

const PART_TYPES =
  "'text', 'reasoning', 'tool', 'patch', 'file', 'subtask', 'compaction', 'step_start', 'step_finish', 'snapshot', 'agent', 'retry'"

const conversationTables = (since: Since): string => `
CREATE TABLE conversations (conversation_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  ${since('0.5.0', 'session_key TEXT,')} ${since('0.8.1', 'active INTEGER NOT NULL DEFAULT 1, archived_at TEXT,')}
  ${since('0.15.3', 'archive_cause TEXT,')} title TEXT, bootstrapped_at TEXT, created_at ${NOW}, updated_at ${NOW});
CREATE TABLE messages (message_id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id ${CONVERSATION}, seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')), content TEXT NOT NULL, token_count INTEGER NOT NULL,
  ${since('0.10.0', 'identity_hash TEXT,')} ${since('0.15.3', 'openclaw_sender_metadata TEXT,')}
  ${since('0.13.0', 'transcript_entry_id TEXT,')} created_at ${NOW}, ${since('0.10.0', 'large_content TEXT,')}
  ${since('0.15.3', 'stable_event_key TEXT,')} UNIQUE (conversation_id, seq));
CREATE TABLE message_parts (part_id TEXT PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  session_id TEXT NOT NULL, part_type TEXT NOT NULL CHECK (part_type IN (${PART_TYPES})), ordinal INTEGER NOT NULL,
  text_content TEXT, is_ignored INTEGER, is_synthetic INTEGER, tool_call_id TEXT, tool_name TEXT, tool_status TEXT, tool_input TEXT,
  tool_output TEXT, tool_error TEXT, tool_title TEXT, patch_hash TEXT, patch_files TEXT, file_mime TEXT, file_name TEXT, file_url TEXT,
  subtask_prompt TEXT, subtask_desc TEXT, subtask_agent TEXT, step_reason TEXT, step_cost REAL, step_tokens_in INTEGER,
  step_tokens_out INTEGER, snapshot_hash TEXT, compaction_auto INTEGER, metadata TEXT, UNIQUE (message_id, ordinal));
CREATE INDEX messages_conv_seq_idx ON messages (conversation_id, seq);
CREATE INDEX message_parts_message_idx ON message_parts (message_id);
CREATE INDEX message_parts_type_idx ON message_parts (part_type);
${since('0.8.1', 'CREATE UNIQUE INDEX conversations_active_session_key_idx ON conversations (session_key) WHERE session_key IS NOT NULL AND active = 1;')}
${since('0.8.1', 'CREATE INDEX conversations_session_key_active_created_idx ON conversations (session_key, active, created_at);')}
${since('0.8.1', 'CREATE INDEX conversations_session_id_active_created_idx ON conversations (session_id, active, created_at);')}
${since('0.10.0', 'CREATE INDEX messages_conv_identity_hash_idx ON messages (conversation_id, identity_hash);')}
${since('0.13.0', 'CREATE UNIQUE INDEX messages_conv_entry_unique_idx ON messages (conversation_id, transcript_entry_id) WHERE transcript_entry_id IS NOT NULL;')}
${since('0.15.3', 'CREATE UNIQUE INDEX messages_stable_event_key_unique ON messages (conversation_id, stable_event_key) WHERE stable_event_key IS NOT NULL;')}`

const summaryTables = (since: Since, hasCounts: boolean): string => `
CREATE TABLE summaries (summary_id TEXT PRIMARY KEY, conversation_id ${CONVERSATION}, kind TEXT NOT NULL CHECK (kind IN ('leaf', 'condensed')),
  depth ${COUNT}, content TEXT NOT NULL, token_count INTEGER NOT NULL, earliest_at TEXT, latest_at TEXT, descendant_count ${COUNT},
  ${hasCounts ? `descendant_token_count ${COUNT}, source_message_token_count ${COUNT},` : ''}
  created_at ${NOW}, file_ids TEXT NOT NULL DEFAULT '[]' ${since('0.5.0', ", model TEXT NOT NULL DEFAULT 'unknown'")});
CREATE TABLE summary_messages (summary_id TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE CASCADE,
  message_id INTEGER NOT NULL REFERENCES messages (message_id) ON DELETE RESTRICT, ordinal INTEGER NOT NULL, PRIMARY KEY (summary_id, message_id));
CREATE TABLE summary_parents (summary_id TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE CASCADE,
  parent_summary_id TEXT NOT NULL REFERENCES summaries (summary_id) ON DELETE RESTRICT, ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, parent_summary_id));
CREATE TABLE context_items (conversation_id ${CONVERSATION}, ordinal INTEGER NOT NULL,
  item_type TEXT NOT NULL CHECK (item_type IN ('message', 'summary')), message_id INTEGER REFERENCES messages (message_id) ON DELETE RESTRICT,
  summary_id TEXT REFERENCES summaries (summary_id) ON DELETE RESTRICT, created_at ${NOW}, PRIMARY KEY (conversation_id, ordinal),
  CHECK ((item_type = 'message') = (message_id IS NOT NULL) AND (item_type = 'summary') = (summary_id IS NOT NULL)));
CREATE INDEX summaries_conv_created_idx ON summaries (conversation_id, created_at);
CREATE INDEX context_items_conv_idx ON context_items (conversation_id, ordinal);
${since('0.8.1', 'CREATE INDEX summary_messages_message_idx ON summary_messages (message_id);')}
${since('0.8.1', 'CREATE INDEX summary_parents_parent_summary_idx ON summary_parents (parent_summary_id);')}
${since('0.8.1', 'CREATE INDEX summaries_conv_depth_kind_idx ON summaries (conversation_id, depth, kind);')}`

const fileTables = (since: Since): string => `
CREATE TABLE large_files (file_id TEXT PRIMARY KEY, conversation_id ${CONVERSATION}, file_name TEXT, mime_type TEXT, byte_size INTEGER,
  ${since('0.15.3', 'line_count INTEGER,')} storage_uri TEXT NOT NULL, exploration_summary TEXT, created_at ${NOW});
CREATE INDEX large_files_conv_idx ON large_files (conversation_id, created_at);`

const searchTables = (since: Since): string => `
CREATE VIRTUAL TABLE messages_fts USING fts5 (content, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE summaries_fts USING fts5 (summary_id UNINDEXED, content, tokenize = 'porter unicode61');
${since('0.8.1', "CREATE VIRTUAL TABLE summaries_fts_cjk USING fts5 (summary_id UNINDEXED, content, tokenize = 'trigram');")}`

const MIGRATIONS = ['backfillSummaryDepths', 'backfillSummaryMetadata', 'backfillToolCallColumns']

const stateTables = (since: Since, release: LosslessRelease): string => `
${release === '1.0.0-beta.4' ? '' : since('0.5.0', bootstrapState(since))}
${since(
  '0.8.1',
  `CREATE TABLE conversation_compaction_telemetry (conversation_id ${PER_CONVERSATION}, last_observed_cache_read INTEGER,
  last_observed_cache_write INTEGER, last_observed_cache_hit_at TEXT, last_observed_cache_break_at TEXT,
  cache_state TEXT NOT NULL DEFAULT 'unknown' CHECK (cache_state IN ('hot', 'cold', 'unknown')), retention TEXT,
  last_leaf_compaction_at TEXT, turns_since_leaf_compaction ${COUNT}, tokens_accumulated_since_leaf_compaction ${COUNT},
  last_activity_band TEXT NOT NULL DEFAULT 'low' CHECK (last_activity_band IN ('low', 'medium', 'high')), updated_at ${NOW});
CREATE INDEX compaction_telemetry_state_idx ON conversation_compaction_telemetry (cache_state, updated_at);
CREATE TABLE lcm_migration_state (step_name TEXT NOT NULL, algorithm_version INTEGER NOT NULL, completed_at ${NOW},
  PRIMARY KEY (step_name, algorithm_version));
INSERT INTO lcm_migration_state (step_name, algorithm_version) VALUES ${MIGRATIONS.map((name) => `('${name}', 1)`).join(', ')};`,
)}
${since('0.15.3', `INSERT INTO lcm_migration_state (step_name, algorithm_version) VALUES ('repairOpenClawMetadataIdentityState', 2);`)}
${since(
  '0.10.0',
  `CREATE TABLE conversation_compaction_maintenance (conversation_id ${PER_CONVERSATION}, pending ${COUNT}, requested_at TEXT,
  reason TEXT, running ${COUNT}, last_started_at TEXT, last_finished_at TEXT, last_failure_summary TEXT, token_budget INTEGER,
  current_token_count INTEGER,
  ${since('0.13.0', `projected_token_count INTEGER, raw_tokens_outside_tail INTEGER, context_threshold REAL, context_threshold_source TEXT, retry_attempts ${COUNT}, next_attempt_after TEXT,`)}
  ${since('0.15.3', `context_fresh_tail_count INTEGER, context_leaf_chunk_tokens INTEGER, resolution_reason TEXT, resolved_at TEXT, maintenance_revision ${COUNT},`)}
  updated_at ${NOW});`,
)}
${since(
  '0.13.0',
  `CREATE TABLE focus_briefs (brief_id TEXT PRIMARY KEY, conversation_id ${CONVERSATION}, session_key TEXT, prompt TEXT NOT NULL,
  content TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('draft', 'active', 'superseded', 'failed', 'inactive')),
  token_count ${COUNT}, target_tokens ${COUNT}, covered_latest_at TEXT, covered_message_seq INTEGER,
  source_context_hash TEXT NOT NULL DEFAULT '', generator_run_id TEXT, generator_session_key TEXT, raw_result_json TEXT, error TEXT, created_at ${NOW}, updated_at ${NOW}, superseded_at TEXT);
CREATE TABLE focus_brief_sources (brief_id TEXT NOT NULL REFERENCES focus_briefs (brief_id) ON DELETE CASCADE, summary_id TEXT NOT NULL,
  ordinal INTEGER, role TEXT NOT NULL, created_at ${NOW}, PRIMARY KEY (brief_id, summary_id, role));
CREATE INDEX focus_briefs_conversation_status_idx ON focus_briefs (conversation_id, status, created_at);
CREATE INDEX focus_brief_sources_summary_idx ON focus_brief_sources (summary_id);`,
)}`

const bootstrapState = (since: Since): string => `
CREATE TABLE conversation_bootstrap_state (conversation_id ${PER_CONVERSATION}, session_file_path TEXT NOT NULL,
  last_seen_size INTEGER NOT NULL, last_seen_mtime_ms INTEGER NOT NULL, last_processed_offset INTEGER NOT NULL,
  last_processed_entry_hash TEXT,
  ${since('0.13.0', `session_header_id TEXT, last_processed_entry_id TEXT, fork_bounded ${COUNT}, fork_source_message_count ${COUNT},`)}
  ${since('0.15.3', 'soft_reset_pruned_at TEXT,')} updated_at ${NOW});
CREATE INDEX bootstrap_state_path_idx ON conversation_bootstrap_state (session_file_path, updated_at);`

const CLAUDE_TABLES = `
CREATE TABLE promoted (id TEXT PRIMARY KEY, content TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '[]', source_summary_id TEXT,
  project_id TEXT NOT NULL DEFAULT '', session_id TEXT, depth ${COUNT}, confidence REAL NOT NULL DEFAULT 1.0, created_at ${NOW}, archived_at TEXT);
CREATE VIRTUAL TABLE promoted_fts USING fts5 (content, tags, tokenize = 'porter unicode61');
CREATE TABLE session_ingest_log (session_id TEXT PRIMARY KEY, completed_at ${NOW}, message_count ${COUNT});
CREATE TABLE session_instructions (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL, content_hash TEXT NOT NULL, updated_at ${NOW});
CREATE TABLE redaction_stats (project_id TEXT NOT NULL, category TEXT NOT NULL, count ${COUNT}, PRIMARY KEY (project_id, category));
CREATE TABLE recall_surfacing (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL, session_id TEXT, surfaced_at ${NOW});
CREATE INDEX promoted_project_idx ON promoted (project_id, created_at);
CREATE INDEX recall_surfacing_memory_idx ON recall_surfacing (memory_id);`

const BETA_TABLES = `
CREATE TABLE message_transcript_anchor_trust (message_id INTEGER PRIMARY KEY REFERENCES messages (message_id) ON DELETE CASCADE,
  conversation_id ${CONVERSATION}, transcript_entry_id TEXT, trust_state TEXT NOT NULL, source TEXT NOT NULL, reason TEXT, created_at ${NOW});
CREATE TABLE conversation_transcript_epochs (conversation_id ${PER_CONVERSATION}, session_id TEXT NOT NULL, session_key TEXT,
  frontier_entry_id TEXT, frontier_seq INTEGER, migration_mode TEXT NOT NULL, metadata_json TEXT, created_at ${NOW});
CREATE TABLE pending_compaction_batches (batch_id TEXT PRIMARY KEY, conversation_id ${CONVERSATION}, status TEXT NOT NULL DEFAULT 'planning',
  session_target_json TEXT NOT NULL DEFAULT '{}', failure_summary TEXT, updated_at ${NOW}, source_projection_fingerprint TEXT NOT NULL, compactable_start_ordinal INTEGER NOT NULL, compactable_end_ordinal INTEGER NOT NULL, created_at ${NOW});
CREATE TABLE pending_summary_nodes (node_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL REFERENCES pending_compaction_batches (batch_id) ON DELETE CASCADE,
  conversation_id ${CONVERSATION}, kind TEXT NOT NULL, depth ${COUNT}, status TEXT NOT NULL DEFAULT 'planned', ordinal_start INTEGER NOT NULL,
  ordinal_end INTEGER NOT NULL, source_fingerprint TEXT NOT NULL, content TEXT, token_count INTEGER,
  canonical_summary_id TEXT REFERENCES summaries (summary_id) ON DELETE SET NULL, lease_owner TEXT, lease_expires_at TEXT, updated_at ${NOW}, created_at ${NOW});
CREATE TABLE pending_summary_node_messages (node_id TEXT NOT NULL REFERENCES pending_summary_nodes (node_id) ON DELETE CASCADE,
  message_id INTEGER NOT NULL REFERENCES messages (message_id) ON DELETE RESTRICT, ordinal INTEGER NOT NULL, PRIMARY KEY (node_id, message_id));
CREATE TABLE pending_summary_node_children (node_id TEXT NOT NULL REFERENCES pending_summary_nodes (node_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, child_node_id TEXT, child_summary_id TEXT, PRIMARY KEY (node_id, ordinal));
CREATE TABLE turn_advancements (advancement_key TEXT PRIMARY KEY, payload_hash TEXT NOT NULL, session_id TEXT NOT NULL,
  admission_entry_id TEXT NOT NULL, terminal_entry_id TEXT NOT NULL, message_count INTEGER NOT NULL, committed_at ${NOW});
CREATE INDEX conversation_transcript_epochs_mode_idx ON conversation_transcript_epochs (migration_mode, created_at);
CREATE INDEX message_anchor_trust_conv_entry_idx ON message_transcript_anchor_trust (conversation_id, transcript_entry_id)
  WHERE transcript_entry_id IS NOT NULL;
CREATE INDEX message_anchor_trust_conv_state_idx ON message_transcript_anchor_trust (conversation_id, trust_state);
CREATE INDEX pending_compaction_batches_conv_status_idx ON pending_compaction_batches (conversation_id, status, created_at);
CREATE INDEX pending_summary_node_children_child_node_idx ON pending_summary_node_children (child_node_id);
CREATE INDEX pending_summary_node_children_child_summary_idx ON pending_summary_node_children (child_summary_id);
CREATE INDEX pending_summary_node_messages_message_idx ON pending_summary_node_messages (message_id);
CREATE INDEX pending_summary_nodes_batch_status_idx ON pending_summary_nodes (batch_id, status, ordinal_start);
CREATE INDEX pending_summary_nodes_conv_status_idx ON pending_summary_nodes (conversation_id, status, ordinal_start);
CREATE INDEX turn_advancements_session_idx ON turn_advancements (session_id, committed_at);`
