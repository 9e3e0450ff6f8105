import { join } from 'node:path'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { MESSAGE_TEXT_VIEW, textTimeMs, view } from '../deriving/canonical.ts'
import { asText, columnsOf, derivedViews, schemaLabel } from '../deriving/derived-views.ts'
import { blockColumns, withFirst } from '../reading/json-blocks.ts'
import type { ForeignSystem } from '../system.ts'
import { indexOfMessages } from '../system-facts.ts'
import { unshownRows } from '../unshown-rows.ts'
import { derivingArgentos } from './derived.ts'
import { facts, knownExceptions, ownSettings, preset, valueRules } from './facts.ts'
import { rules } from './rules.ts'

/** Around the summaries that this system puts before a user's message, and later stores as a part of it. */
const INJECTED_START = '[LCM Context — Compressed History]'
const INJECTED_END = '[End LCM Compressed History]'

/** Sessions are conversations. Messages and summaries are numbered apart; a summary's id here is its number as text. */
export const argentos: ForeignSystem = {
  id: 'argentos',
  facts,
  valueRules,
  ownIndexes: [indexOfMessages('t.id', 't.content')],
  tokenRules: [(text) => Math.ceil(text.length / 4)],
  knownExceptions,
  rules,
  preset,
  ownSettings,
  // Its last tool goes from a summary to the original messages.
  toolNames: { lcm_grep: 'aos_lcm_grep', lcm_describe: 'aos_lcm_describe', lcm_expand: 'aos_lcm_expand_query' },
  places: ({ home }) => [{ path: join(home, '.argentos', 'lcm.db'), label: 'ArgentOS' }],
  summaries: 'replace',
  ledger: null,
  label: () => 'ArgentOS',
  detect: (probe) =>
    probe.has('lcm_meta') &&
    probe.has('context_items', 'ref_id') &&
    probe.has('summaries', 'condensed') &&
    !probe.has('conversations'),
  version: (probe, { db }) =>
    probe.has('lcm_meta', 'value') && probe.has('lcm_meta', 'key') ? schemaLabel(db.value(queries.version)) : null,
  capabilities: (probe) => ({
    parts: true,
    files: probe.has('large_files'),
    fileContents: false,
    runs: false,
    storedWindow: true,
    chronologicalWindow: false,
    sourceOrder: false,
    levels: false,
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (_probe, source) => [
    ...unshownRows(source, queries.shown),
    'The window is stored with each new summary behind the newest message of its time, not where the history stood that it replaced; ArgentOS itself sends all summaries first, then the messages.',
    'Sources are stored without an order: they are shown in that of their numbers.',
    'Tool calls are stored as text, so that a result cannot be joined to its call.',
    'The contents of large files are stored nowhere: there is their name, size and exploration summary.',
    'When and why the window was compacted is not recorded.',
  ],
  views,
  deriving: derivingArgentos,
}

const queries = {
  shown: {
    messages: /* sql */ `SELECT count(*) FROM temp.derived_messages`,
    summaries: /* sql */ `SELECT count(*) FROM temp.derived_summaries`,
    summary_messages: /* sql */ `SELECT count(*) FROM temp.derived_summary_messages`,
    summary_sources: /* sql */ `SELECT count(*) FROM temp.derived_summary_sources`,
    context_items: /* sql */ `SELECT count(*) FROM temp.derived_context_items`,
  },
  version: /* sql */ `SELECT CAST(value AS INTEGER) FROM main.lcm_meta WHERE key = 'schema_version'`,
}

function views(probe: SchemaProbe): string {
  const text = (table: string, row: string): string =>
    probe.has(table, 'content') && probe.has(table, 'id')
      ? `(SELECT ${asText('t.content')} FROM main.${table} AS t WHERE t.id = ${row})`
      : `''`
  return [
    derivedViews({
      importer: 'argentos',
      messageContent: text('messages', 'd.message_id'),
      summaryContent: text('summaries', 's.summary_rowid'),
    }),
    partsView(probe),
    MESSAGE_TEXT_VIEW,
    filesView(probe),
  ].join('')
}

function partsView(probe: SchemaProbe): string {
  if (!probe.has('messages', 'id')) return view('message_parts', {}, null)
  const column = columnsOf(probe, 'messages', 'm')
  const [callId, stored, content] = [column('tool_call_id'), column('content_blocks'), column('content', `''`)]
  const blocks = `iif(json_valid(${stored}), iif(json_type(${stored}) = 'array', ${stored}, NULL), NULL)`
  const injectedEnd = `instr(${content}, '${INJECTED_END}')`
  const array = `CASE
    WHEN ${callId} IS NOT NULL AND coalesce(instr(${stored}, '"tool_'), 0) = 0
      THEN ${withFirst('{"type":"lcm:result"}', blocks)}
    WHEN coalesce(json_array_length(${blocks}), 0) > 0 THEN ${stored}
    WHEN ${column('role')} = 'user' AND substr(${content}, 1, ${INJECTED_START.length}) = '${INJECTED_START}' AND ${injectedEnd} > 0
      THEN '[{"type":"lcm:injected"},{"type":"lcm:rest"}]'
    ELSE '[]' END`
  const columns = blockColumns('m.id', content, {
    // The id is given as one only where there is a call that it could be joined to.
    'lcm:result': {
      part_type: `'tool'`,
      is_content: '1',
      tool_call_id: `(SELECT k.call_id FROM temp.argentos_calls AS k WHERE k.call_id = ${callId})`,
      metadata: `json_object('toolCallId', CAST(${callId} AS TEXT))`,
    },
    'lcm:injected': {
      part_type: `'compaction'`,
      is_synthetic: '1',
      text_content: `substr(${content}, 1, ${injectedEnd} + ${INJECTED_END.length - 1})`,
      metadata: `'{"reingested":true}'`,
    },
    'lcm:rest': {
      part_type: `'text'`,
      text_content: `ltrim(substr(${content}, ${injectedEnd} + ${INJECTED_END.length}), char(10))`,
    },
  })
  return view(
    'message_parts',
    { ...columns, session_id: asText(column('session_id')) },
    `main.messages AS m, json_each(${array}) AS e`,
  )
}

/** Their numbers are also those of summaries: a word before them tells them apart. */
function filesView(probe: SchemaProbe): string {
  const column = columnsOf(probe, 'large_files', 'f')
  return view(
    'large_files',
    {
      file_id: `'file_' || ${column('id', 'f.rowid')}`,
      conversation_id: `(SELECT c.conversation_id FROM temp.derived_conversations AS c WHERE c.key = ${asText(column('session_id'))})`,
      file_name: `CAST(${column('file_path')} AS TEXT)`,
      content_hash: `CAST(${column('content_hash')} AS TEXT)`,
      storage_uri: `''`,
      exploration_summary: `CAST(${column('exploration_summary')} AS TEXT)`,
      created_at: textTimeMs(column('stored_at')),
    },
    probe.has('large_files') ? 'main.large_files AS f' : null,
  )
}
