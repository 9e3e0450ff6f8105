/** A column of a table that both stores have. Its type decides how PostgreSQL reads it from JSON. */
type Column = { readonly name: string; readonly type: 'bigint' | 'double precision' | 'text' }

/**
 * A table that a conversation has in both stores. Its rows are compared and replaced in units: all rows with the same
 * `unit`, such as the links of one summary.
 */
export type StoredTable = {
  readonly name: string
  readonly columns: readonly Column[]
  readonly unit: string
  /** The order of the rows within a unit, so that equal rows have equal hashes. */
  readonly order: readonly string[]
  /** Rows are never deleted. Of a message, only the token count may change. */
  readonly isCanonical?: boolean
}

const bigints = (...names: readonly string[]) => names.map((name): Column => ({ name, type: 'bigint' }))
const texts = (...names: readonly string[]) => names.map((name): Column => ({ name, type: 'text' }))
const double = (name: string): Column => ({ name, type: 'double precision' })

/**
 * The tables of a conversation, in an order in which they can be filled. The keys (tenant and conversation) are left
 * out: they are the same for all rows of a conversation.
 */
export const STORED_TABLES: readonly StoredTable[] = [
  {
    name: 'messages',
    columns: [
      ...bigints('message_id', 'seq'),
      ...texts('role'),
      ...bigints('token_count', 'created_at'),
      ...texts('external_id', 'content_hash', 'content'),
    ],
    unit: 'message_id',
    order: ['message_id'],
    isCanonical: true,
  },
  {
    name: 'message_parts',
    columns: [
      ...texts('part_id'),
      ...bigints('message_id'),
      ...texts('session_id', 'part_type'),
      ...bigints('ordinal', 'is_content', 'is_ignored', 'is_synthetic'),
      ...texts('tool_call_id', 'tool_name', 'tool_status', 'tool_title', 'patch_hash', 'patch_files', 'file_mime'),
      ...texts('file_name', 'file_url', 'subtask_prompt', 'subtask_desc', 'subtask_agent', 'step_reason'),
      double('step_cost'),
      ...bigints('step_tokens_in', 'step_tokens_out'),
      ...texts('snapshot_hash'),
      ...bigints('compaction_auto'),
      ...texts('text_content', 'tool_input', 'tool_output', 'tool_error', 'metadata'),
      ...bigints('text_is_content', 'metadata_has_text'),
    ],
    unit: 'part_id',
    order: ['part_id'],
    isCanonical: true,
  },
  {
    name: 'summaries',
    columns: [
      ...bigints('summary_rowid'),
      ...texts('summary_id', 'kind'),
      ...bigints('depth', 'token_count', 'source_token_count', 'descendant_count', 'earliest_at', 'latest_at'),
      ...bigints('created_at'),
      ...texts('level', 'model', 'prompt_version', 'summary_hash', 'file_ids', 'content'),
    ],
    unit: 'summary_id',
    order: ['summary_id'],
  },
  {
    name: 'summary_messages',
    columns: [...texts('summary_id'), ...bigints('message_id', 'ordinal')],
    unit: 'summary_id',
    order: ['message_id'],
  },
  {
    name: 'summary_sources',
    columns: [...texts('summary_id', 'source_summary_id'), ...bigints('ordinal')],
    unit: 'summary_id',
    order: ['source_summary_id'],
  },
  {
    name: 'context_items',
    columns: [
      ...bigints('ordinal'),
      ...texts('item_type'),
      ...bigints('message_id'),
      ...texts('summary_id'),
      ...bigints('created_at'),
    ],
    unit: 'ordinal',
    order: ['ordinal'],
  },
  {
    name: 'large_files',
    columns: [
      ...texts('file_id', 'file_name', 'mime_type'),
      ...bigints('byte_size'),
      ...texts('content_hash', 'storage_uri', 'exploration_summary'),
      ...bigints('created_at'),
    ],
    unit: 'file_id',
    order: ['file_id'],
  },
  {
    name: 'compaction_runs',
    columns: [
      ...texts('run_id', 'reason', 'mode', 'summarizer', 'configuration', 'owner'),
      ...bigints('started_at', 'finished_at', 'tokens_before', 'tokens_after'),
      ...texts('stop_reason'),
      ...bigints('model_input_tokens', 'model_output_tokens'),
      double('model_cost'),
    ],
    unit: 'run_id',
    order: ['run_id'],
  },
  {
    name: 'compaction_events',
    columns: [
      ...bigints('event_id'),
      ...texts('run_id'),
      ...bigints('at'),
      ...texts('pass', 'summary_id'),
      ...bigints('ordinal'),
      ...texts('removed', 'level'),
      ...bigints('source_tokens', 'tokens', 'duration_ms'),
      ...texts('attempts'),
      ...bigints('newest_seq'),
    ],
    unit: 'event_id',
    order: ['event_id'],
  },
  {
    name: 'surgery_events',
    columns: [
      ...bigints('surgery_id', 'at'),
      ...texts('kind', 'node_id', 'owner'),
      ...bigints('after_event', 'newest_seq'),
      ...texts('window_from', 'window_to', 'summary', 'detail'),
    ],
    unit: 'surgery_id',
    order: ['surgery_id'],
  },
]

/** Columns of a conversation itself, beside its keys and the conversation that it branched off from. */
export const HEAD_COLUMNS: readonly Column[] = [
  ...texts('session_id', 'logical_key', 'importer', 'source_uri', 'title'),
  ...bigints('archived_at', 'created_at', 'updated_at'),
]

export type StoredValue = string | number | null
export type StoredRow = Readonly<Record<string, StoredValue>>
