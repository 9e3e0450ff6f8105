import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { isExactInteger, isNoName } from '#core/sqlite/shown-values.ts'
import {
  countOf,
  depthOf,
  MESSAGE_TEXT_VIEW,
  requireRowids,
  sizeOf,
  textOf,
  textTimeMs,
  view,
} from '../deriving/canonical.ts'
import { losslessLogViews } from './compaction-log.ts'
import { type LosslessOptions, losslessLacks } from './derived.ts'
import { lostTables, SPARED } from './lost-tables.ts'
import { partsView } from './parts.ts'

/** A sweep of lossless-claw ends after 120 s at the latest: a flag that is older belongs to a process that is gone. */
const SWEEP_MS = 120_000

/** What is lost, or in the file and in no view, a sentence each; nothing in a sound file. */
export function losslessSpoilt(probe: SchemaProbe, db: ReadDb): string[] {
  const count = (from: string): number => db.value<number>(/* sql */ `SELECT count(*) FROM ${from}`) ?? 0
  const messages = count(`main.messages AS m WHERE NOT (${HAS_PLACE})`)
  const summaries = count(`main.summaries AS s WHERE NOT (${IS_NAMED})`)
  return [
    ...lostTables(probe).map((table) => `Damaged: the table ${table} is gone, so that ${SPARED[table]?.lacks}.`),
    ...(messages > 0
      ? [`Damaged: ${messages} messages have no number, conversation or place that can be used and are not shown.`]
      : []),
    ...(summaries > 0
      ? [`Damaged: ${summaries} summaries have no id or conversation that can be used and are not shown.`]
      : []),
  ]
}

/** One that can be told exactly and asked by. The plus keeps it from being used to find rows by. */
const isNumber = (id: string): string => `typeof(${id}) = 'integer' AND +${id} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`

/** A message that can be put into its conversation; one whose keys were spoilt is in none. */
const HAS_PLACE = `${isNumber('m.message_id')} AND ${isNumber('m.conversation_id')} AND ${isExactInteger('m.seq')}`
const isName = (id: string): string => `typeof(${id}) = 'text' AND NOT (${isNoName(`+${id}`)})`
const IS_NAMED = `${isName('s.summary_id')} AND ${isNumber('s.conversation_id')}`

/** lossless-claude names of a sub-agent the session that started it. Sessions are found by an index of the file alone. */
const parentOf = (probe: SchemaProbe): string =>
  probe.has('conversations', 'parent_session_id') && probe.isIndexed('conversations', 'session_id')
    ? `(SELECT min(p.conversation_id) FROM main.conversations AS p WHERE p.session_id = c.parent_session_id
    AND p.conversation_id <> c.conversation_id AND ${isNumber('p.conversation_id')})`
    : 'NULL'

/** Of a sub-agent without a title, what it was asked for. */
function titleOf(probe: SchemaProbe): string {
  const known = ['title', 'subagent_desc'].filter((column) => probe.has('conversations', column))
  return `coalesce(${[...known.map((column) => textOf(`c.${column}`)), 'NULL', 'NULL'].join(', ')})`
}

/** Views over the tables that lossless-claw and its forks share. */
export function losslessViews(probe: SchemaProbe, options: LosslessOptions): string {
  requireRowids(probe, options.importer, ['summaries'])
  const lacks = losslessLacks(probe, options)
  const sources = `${lacks.sources ? 'temp.lossless_sources' : 'main.summary_parents'}
WHERE ${isName('summary_id')} AND ${isName('parent_summary_id')}`
  /** The expression when the file has the column, otherwise NULL. */
  const when = (table: string, column: string, expression: string): string =>
    probe.has(table, column) ? expression : 'NULL'
  const only = (table: string, rows: string): string | null => (probe.has(table) ? `main.${table} WHERE ${rows}` : null)

  return [
    view(
      'conversations',
      {
        conversation_id: 'c.conversation_id',
        session_id: `coalesce(${textOf('c.session_id')}, '')`,
        logical_key: when('conversations', 'session_key', textOf('c.session_key')),
        importer: `'${options.importer}'`,
        source_uri: when(
          'conversation_bootstrap_state',
          'session_file_path',
          `(SELECT b.session_file_path FROM main.conversation_bootstrap_state AS b
    WHERE b.conversation_id = c.conversation_id)`,
        ),
        parent_conversation_id: parentOf(probe),
        title: titleOf(probe),
        archived_at: when('conversations', 'archived_at', textTimeMs('c.archived_at')),
        created_at: textTimeMs('c.created_at'),
        updated_at: textTimeMs('c.updated_at'),
      },
      `main.conversations AS c WHERE ${isNumber('c.conversation_id')}`,
    ),
    view(
      'messages',
      {
        message_id: 'm.message_id',
        conversation_id: 'm.conversation_id',
        seq: 'm.seq',
        role: `coalesce(${textOf('m.role')}, 'unknown')`,
        token_count: countOf('m.token_count'),
        created_at: textTimeMs('m.created_at'),
        external_id: when('messages', 'transcript_entry_id', textOf('m.transcript_entry_id')),
        content: `coalesce(${textOf('m.content')}, '')`,
      },
      `main.messages AS m WHERE ${HAS_PLACE}`,
    ),
    probe.has('messages', 'transcript_entry_id')
      ? view(
          'message_names',
          { external_id: 'm.transcript_entry_id', message_id: 'm.message_id' },
          `main.conversations AS c JOIN main.messages AS m ON m.conversation_id = c.conversation_id`,
        )
      : '',
    partsView(probe),
    MESSAGE_TEXT_VIEW,
    summariesView(probe, options),
    ...rangesAsStored(probe, options),
    view(
      'summary_messages',
      { summary_id: 'summary_id', message_id: 'message_id', ordinal: countOf('ordinal') },
      `${lacks.links ? 'temp.lossless_links' : 'main.summary_messages'}
WHERE ${isName('summary_id')} AND ${isExactInteger('message_id')}`,
    ),
    // The table's "parent" is the older node from which the newer one was made.
    view(
      'summary_sources',
      { summary_id: 'summary_id', source_summary_id: 'parent_summary_id', ordinal: countOf('ordinal') },
      sources,
    ),
    view(
      'summary_parents',
      { summary_id: 'summary_id', parent_summary_id: 'parent_summary_id', ordinal: countOf('ordinal') },
      sources,
    ),
    view(
      'context_items',
      {
        conversation_id: 'conversation_id',
        ordinal: 'ordinal',
        item_type: textOf('item_type'),
        message_id: `iif(${isExactInteger('message_id')}, message_id, NULL)`,
        summary_id: `iif(${isName('summary_id')}, summary_id, NULL)`,
        created_at: when('context_items', 'created_at', textTimeMs('created_at')),
      },
      `main.context_items WHERE ${isNumber('conversation_id')} AND ${isExactInteger('ordinal')}`,
    ),
    view(
      'large_files',
      {
        file_id: 'file_id',
        conversation_id: 'conversation_id',
        file_name: textOf('file_name'),
        mime_type: textOf('mime_type'),
        byte_size: sizeOf('byte_size'),
        storage_uri: `coalesce(${textOf('storage_uri')}, '')`,
        exploration_summary: textOf('exploration_summary'),
        created_at: textTimeMs('created_at'),
      },
      only('large_files', `${isName('file_id')} AND ${isNumber('conversation_id')}`),
    ),
    lacks.log ? losslessLogViews(options.importer) : '',
    locksView(probe),
  ].join('')
}

function summariesView(probe: SchemaProbe, options: LosslessOptions): string {
  const lacks = losslessLacks(probe, options)
  // Old releases do not store it, and files that were brought up to date may still have zeros.
  const messageTokens = `(WITH RECURSIVE below (id) AS (
      SELECT s.summary_id
      UNION SELECT e.parent_summary_id FROM below JOIN main.summary_parents AS e ON e.summary_id = below.id
    )
    SELECT CAST(total(${countOf('m.token_count')}) AS INTEGER) FROM below
    JOIN main.summary_messages AS l ON l.summary_id = below.id
    JOIN main.messages AS m ON m.message_id = l.message_id)`
  const derived = (table: string, column: string): string =>
    `(SELECT d.${column} FROM temp.${table} AS d WHERE d.summary_id = s.summary_id)`
  const logged = lacks.log
    ? `coalesce((SELECT l.level FROM temp.lossless_log AS l WHERE l.summary_id = s.summary_id LIMIT 1), 'unknown')`
    : `'unknown'`
  const depth = lacks.depths ? derived('lossless_depths', 'depth') : depthOf('s.depth')
  return view(
    'summaries',
    {
      summary_rowid: 's.rowid',
      summary_id: 's.summary_id',
      conversation_id: 's.conversation_id',
      kind: `iif(s.kind = 'leaf' OR (s.kind IS NOT 'condensed' AND ${depth} = 0), 'leaf', 'condensed')`,
      depth,
      token_count: countOf('s.token_count'),
      source_token_count: probe.has('summaries', 'source_message_token_count')
        ? `coalesce(nullif(${countOf('s.source_message_token_count')}, 0), ${messageTokens})`
        : messageTokens,
      descendant_count: lacks.descendants ? derived('lossless_descendants', 'count') : countOf('s.descendant_count'),
      earliest_at: lacks.ranges ? derived('lossless_ranges', 'earliest_at') : textTimeMs('s.earliest_at'),
      latest_at: lacks.ranges ? derived('lossless_ranges', 'latest_at') : textTimeMs('s.latest_at'),
      created_at: textTimeMs('s.created_at'),
      // A text that was cut or made without a model says so at a known place; otherwise the log may know.
      level: `CASE WHEN substr(s.content, -40) LIKE '%[Truncated from % tokens]%'
    OR s.content LIKE '[LCM fallback summary%' OR substr(s.content, -80) LIKE '%[LCM fallback summary%'
    THEN 'deterministic' ELSE ${logged} END`,
      model: probe.has('summaries', 'model') ? `nullif(${textOf('s.model')}, 'unknown')` : 'NULL',
      file_ids: probe.has('summaries', 'file_ids') ? `coalesce(${textOf('s.file_ids')}, '[]')` : `'[]'`,
      content: `coalesce(${textOf('s.content')}, '')`,
    },
    `main.summaries AS s WHERE ${IS_NAMED}`,
  )
}

/** This system's only lock is the flag of a running maintenance. */
function locksView(probe: SchemaProbe): string {
  if (!probe.has('conversation_compaction_maintenance', 'last_started_at')) return view('conversation_locks', {}, null)
  const started = `coalesce(${textTimeMs('last_started_at')}, ${textTimeMs('updated_at')}, 0)`
  return view(
    'conversation_locks',
    {
      conversation_id: 'conversation_id',
      owner: `'lossless-claw maintenance'`,
      acquired_at: started,
      lease_until: `${started} + ${SWEEP_MS}`,
    },
    'main.conversation_compaction_maintenance WHERE running = 1',
  )
}

/** What the file itself says, where the view of the summaries says otherwise. */
function rangesAsStored(probe: SchemaProbe, { recomputesRanges }: LosslessOptions): string[] {
  if (!recomputesRanges || !probe.has('summaries', 'earliest_at') || !probe.has('summaries', 'latest_at')) return []
  const columns = {
    summary_id: 's.summary_id',
    earliest_at: textTimeMs('s.earliest_at'),
    latest_at: textTimeMs('s.latest_at'),
  }
  return [view('stored_ranges', columns, 'main.summaries AS s')]
}
