/** What a column refers to: a numbered or a named thing, a node such as `msg_12`, or JSON with such numbers and ids in it. */
export type Reference =
  | 'message'
  | 'row'
  | 'event'
  | 'surgery'
  | 'part'
  | 'summary'
  | 'run'
  | 'node'
  | 'window'
  | 'replaced'
  | 'note'
  | 'detail'

/** The type is that of PostgreSQL, where rows come as JSON. SQLite has INTEGER, REAL and TEXT. */
export type Column = {
  readonly name: string
  readonly type: 'bigint' | 'double precision' | 'text'
  readonly refersTo?: Reference
}

/**
 * A table that every memory has: as a table of a native file, as a view of the same name over another system's, and as a
 * table of PostgreSQL. Its rows are compared and replaced in units: all rows with the same `unit`, such as the links of
 * one summary. `order` is the order of the rows within a unit, so that equal rows have equal hashes.
 */
export type Table = {
  readonly name: string
  readonly unit: string
  readonly order: string
  /** Rows are never deleted. Of a message, only the token count may change. */
  readonly isCanonical?: boolean
  readonly columns: readonly Column[]
}

const columnOf =
  (type: Column['type']) =>
  (name: string, refersTo?: Reference): Column => ({ name, type, ...(refersTo !== undefined && { refersTo }) })
const whole = columnOf('bigint')
const real = columnOf('double precision')
const text = columnOf('text')

/**
 * The tables, in an order in which they can be filled: the one description that lists of columns, inserts, the rows in
 * PostgreSQL and new numbers follow from. The statements that create the tables are written out, each version as it was
 * released, and tests compare them with this.
 */
export const TABLES: readonly Table[] = [
  {
    name: 'conversations',
    unit: 'conversation_id',
    order: 'conversation_id',
    columns: [
      whole('conversation_id'),
      text('session_id'),
      text('logical_key'),
      text('importer'),
      text('source_uri'),
      whole('parent_conversation_id'),
      text('title'),
      whole('archived_at'),
      whole('created_at'),
      whole('updated_at'),
    ],
  },
  {
    name: 'messages',
    unit: 'message_id',
    order: 'message_id',
    isCanonical: true,
    columns: [
      whole('message_id', 'message'),
      whole('conversation_id'),
      whole('seq'),
      text('role'),
      whole('token_count'),
      whole('created_at'),
      text('external_id'),
      text('content_hash'),
      text('content'),
    ],
  },
  {
    name: 'message_parts',
    unit: 'part_id',
    order: 'part_id',
    isCanonical: true,
    columns: [
      text('part_id', 'part'),
      whole('message_id', 'message'),
      text('session_id'),
      text('part_type'),
      whole('ordinal'),
      whole('is_content'),
      whole('is_ignored'),
      whole('is_synthetic'),
      text('tool_call_id'),
      text('tool_name'),
      text('tool_status'),
      text('tool_title'),
      text('patch_hash'),
      text('patch_files'),
      text('file_mime'),
      text('file_name'),
      text('file_url'),
      text('subtask_prompt'),
      text('subtask_desc'),
      text('subtask_agent'),
      text('step_reason'),
      real('step_cost'),
      whole('step_tokens_in'),
      whole('step_tokens_out'),
      text('snapshot_hash'),
      whole('compaction_auto'),
      text('text_content'),
      text('tool_input'),
      text('tool_output'),
      text('tool_error'),
      text('metadata', 'note'),
      whole('text_is_content'),
      whole('metadata_has_text'),
    ],
  },
  {
    name: 'summaries',
    unit: 'summary_id',
    order: 'summary_id',
    columns: [
      whole('summary_rowid', 'row'),
      text('summary_id', 'summary'),
      whole('conversation_id'),
      text('kind'),
      whole('depth'),
      whole('token_count'),
      whole('source_token_count'),
      whole('descendant_count'),
      whole('earliest_at'),
      whole('latest_at'),
      whole('created_at'),
      text('level'),
      text('model'),
      text('prompt_version'),
      text('summary_hash'),
      text('file_ids'),
      text('content'),
    ],
  },
  {
    name: 'summary_messages',
    unit: 'summary_id',
    order: 'message_id',
    columns: [text('summary_id', 'summary'), whole('message_id', 'message'), whole('ordinal')],
  },
  {
    name: 'summary_sources',
    unit: 'summary_id',
    order: 'source_summary_id',
    columns: [text('summary_id', 'summary'), text('source_summary_id', 'summary'), whole('ordinal')],
  },
  {
    name: 'context_items',
    unit: 'ordinal',
    order: 'ordinal',
    columns: [
      whole('conversation_id'),
      whole('ordinal'),
      text('item_type'),
      whole('message_id', 'message'),
      text('summary_id', 'summary'),
      whole('created_at'),
    ],
  },
  {
    name: 'large_files',
    unit: 'file_id',
    order: 'file_id',
    columns: [
      text('file_id'),
      whole('conversation_id'),
      text('file_name'),
      text('mime_type'),
      whole('byte_size'),
      text('content_hash'),
      text('storage_uri'),
      text('exploration_summary'),
      whole('created_at'),
    ],
  },
  {
    name: 'compaction_runs',
    unit: 'run_id',
    order: 'run_id',
    columns: [
      text('run_id', 'run'),
      whole('conversation_id'),
      text('reason'),
      text('mode'),
      text('summarizer'),
      text('configuration'),
      text('owner'),
      whole('started_at'),
      whole('finished_at'),
      whole('tokens_before'),
      whole('tokens_after'),
      text('stop_reason'),
      whole('model_input_tokens'),
      whole('model_output_tokens'),
      real('model_cost'),
    ],
  },
  {
    name: 'compaction_events',
    unit: 'event_id',
    order: 'event_id',
    columns: [
      whole('event_id', 'event'),
      text('run_id', 'run'),
      whole('conversation_id'),
      whole('at'),
      text('pass'),
      text('summary_id', 'summary'),
      whole('ordinal'),
      text('removed', 'replaced'),
      text('level'),
      whole('source_tokens'),
      whole('tokens'),
      whole('duration_ms'),
      text('attempts'),
      whole('newest_seq'),
    ],
  },
  {
    name: 'surgery_events',
    unit: 'surgery_id',
    order: 'surgery_id',
    columns: [
      whole('surgery_id', 'surgery'),
      whole('conversation_id'),
      whole('at'),
      text('kind'),
      text('node_id', 'node'),
      text('owner'),
      whole('after_event', 'event'),
      whole('newest_seq'),
      text('window_from', 'window'),
      text('window_to', 'window'),
      text('summary'),
      text('detail', 'detail'),
    ],
  },
]

export const tableOf = (name: string): Table => {
  const table = TABLES.find((one) => one.name === name)
  if (table === undefined) throw new Error(`there is no table ${name}`)
  return table
}
