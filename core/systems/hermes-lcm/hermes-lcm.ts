import { join } from 'node:path'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { countOf, requireRowids, secondsMs, textOf, view } from '../deriving/canonical.ts'
import { lineageViews } from '../deriving/derived-views.ts'
import { setIn } from '../places.ts'
import type { ForeignSystem } from '../system.ts'
import { unshownRows } from '../unshown-rows.ts'
import { derivingHermes } from './derived.ts'
import { countTokens, facts, knownExceptions, ownIndexes, ownSettings, preset, valueRules } from './facts.ts'
import { rules } from './rules.ts'

const queries = {
  shown: {
    messages: /* sql */ `SELECT count(*) FROM temp.hermes_messages`,
    summary_nodes: /* sql */ `SELECT count(*) FROM temp.hermes_nodes`,
  },
  /** Counts `below` without the summary itself, which is in it as well. */
  nodesBelow: /* sql */ `SELECT count(*) - 1 FROM below`,
}

/** How its window is worked out, for people. */
const HERMES_WINDOW =
  'No window is stored: it is the system message of the current session (else of the last finalised one), its summaries that no deeper summary of that session was made from, deepest first, and its messages after the frontier.'

/** LCM-X records from version 0.24.8 on at which level a summary was made, and by which model. */
const knowsLevels = (probe: SchemaProbe): boolean =>
  ['node_id', 'escalation_level', 'model'].every((column) => probe.has('summary_node_provenance', column))

/** Hermes Agent's plugin and LCM-X, which share their core tables. */
export const hermes: ForeignSystem = {
  id: 'hermes-lcm',
  facts,
  valueRules,
  ownIndexes,
  tokenRules: [countTokens],
  knownExceptions,
  rules,
  preset,
  ownSettings,
  places: ({ home, env }) => [
    { path: join(setIn(env, 'HERMES_HOME') ?? join(home, '.hermes'), 'lcm.db'), label: 'Hermes' },
  ],
  summaries: 'replace',
  ledger: null,
  label: () => 'hermes-lcm / LCM-X',
  detect: (probe) => probe.has('messages', 'store_id') && probe.has('summary_nodes', 'source_ids'),
  version: (probe) => {
    if (probe.has('messages', 'conversation_id')) return 'schema 5'
    return probe.has('lcm_lifecycle_state') ? 'schema 4' : null
  },
  capabilities: (probe) => ({
    parts: probe.has('messages', 'tool_calls') || probe.has('messages', 'tool_call_id'),
    files: true,
    runs: false,
    storedWindow: false,
    derivedWindow: HERMES_WINDOW,
    levels: knowsLevels(probe),
    fullTextIndex: false,
    substringIndex: false,
  }),
  lacks: (probe, source) => [
    ...unshownRows(source, queries.shown),
    HERMES_WINDOW,
    'No compaction runs: the past of a window is worked out from creation times.',
    'Summaries of sessions that are over are deleted by its own rule: what they were made into stays and names them still.',
    knowsLevels(probe)
      ? 'LCM-X leaves older turns out of a request that would not fit. Which ones is not recorded: the window has them.'
      : 'Which model wrote a summary is not recorded.',
    ...(probe.has('messages', 'conversation_id')
      ? []
      : ['Messages name no conversation: it is that of their session, else the session itself.']),
    ...(probe.has('lcm_lifecycle_state')
      ? []
      : ['No lifecycle of sessions: windows begin after the newest message that a summary was made from.']),
  ],
  views,
  deriving: derivingHermes,
}

/** Roles as the system and those who call it write them; what is none of these keeps its name in a part. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  system: ['system', 'developer'],
  user: ['user', 'human'],
  assistant: ['assistant', 'model', 'ai'],
  tool: ['tool', 'function', 'tool_result', 'toolresult'],
}
const roleName = `coalesce(lower(trim(m.role)), '')`
const inList = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

function views(probe: SchemaProbe): string {
  requireRowids(probe, 'hermes-lcm', ['lcm_lifecycle_state'])
  const has = (column: string): string => (probe.has('messages', column) ? `m.${column}` : 'NULL')
  const ofMessage = (expression: string): string =>
    `(SELECT ${expression} FROM main.messages AS m WHERE m.store_id = h.message_id)`
  const isKnownRole = `${roleName} IN (${Object.values(ROLES).map(inList).join(', ')})`
  // Nearly every role is written as it is named here, and that is told without making other texts of it.
  const role = `CASE WHEN m.role IN (${inList(Object.keys(ROLES))}) THEN m.role ${Object.entries(ROLES)
    .map(([name, names]) => `WHEN ${roleName} IN (${inList(names)}) THEN '${name}'`)
    .join(
      ' ',
    )} WHEN ${has('tool_call_id')} IS NOT NULL THEN 'tool' WHEN ${has('tool_calls')} IS NOT NULL THEN 'assistant'
    ELSE 'user' END`

  return [
    view(
      'conversations',
      {
        conversation_id: 'c.conversation_id',
        session_id: 'c.key',
        logical_key: 'c.key',
        importer: `'hermes-lcm'`,
        created_at: 'c.created_at',
        updated_at: 'c.updated_at',
      },
      'temp.hermes_conversations AS c',
    ),
    view(
      'messages',
      {
        message_id: 'h.message_id',
        conversation_id: 'h.conversation_id',
        seq: 'h.message_id',
        role: `coalesce(${ofMessage(role)}, 'user')`,
        token_count: `coalesce(${ofMessage(countOf(has('token_estimate')))}, 0)`,
        created_at: ofMessage(secondsMs(has('timestamp'))),
        content: `coalesce(${ofMessage(textOf('m.content'))}, '')`,
      },
      'temp.hermes_messages AS h',
    ),
    partsView(has, isKnownRole),
    textView(has),
    summariesView(has, knowsLevels(probe)),
    lineageViews({
      messages: 'temp.hermes_node_messages',
      sources: 'temp.hermes_node_sources',
      window: 'temp.hermes_window',
    }),
    view(
      'large_files',
      {
        file_id: 'file_id',
        conversation_id: 'conversation_id',
        file_name: 'file_id',
        mime_type: `'application/json'`,
        byte_size: 'byte_size',
        storage_uri: 'storage_uri',
        exploration_summary: 'note',
        created_at: 'created_at',
      },
      'temp.hermes_files',
    ),
  ].join('')
}

/** The calls of a message as a JSON array; an empty one where there are none, or the text is broken. */
const callsOf = (column: string): string =>
  `CASE WHEN NOT coalesce(json_valid(${column}), 0) THEN '[]' WHEN json_type(${column}) = 'array' THEN ${column}
    WHEN json_type(${column}) = 'object' THEN json_array(json(${column})) ELSE '[]' END`

const fieldOf = (...paths: readonly string[]): string =>
  `iif(c.type = 'object', coalesce(${paths.map((path) => `json_extract(c.value, '$.${path}')`).join(', ')}, NULL), NULL)`
const CALL_ID = fieldOf('id', 'call_id', 'tool_call_id')
const CALL_NAME = fieldOf('function.name', 'name')
const CALL_INPUT = fieldOf('function.arguments', 'arguments', 'input')

type Column = (name: string) => string

/** A call is an entry of a message's list; a result is a message that names its call: its text is the output. */
function partsView(has: Column, isKnownRole: string): string {
  const calls = callsOf(has('tool_calls'))
  const isResult = `${has('tool_call_id')} IS NOT NULL`
  const isCall = `c.type <> 'null'`
  return view(
    'message_parts',
    {
      part_id: `'part_' || m.store_id || '_' || c.key`,
      message_id: 'm.store_id',
      session_id: textOf('m.session_id'),
      part_type: `iif(${isCall} OR ${isResult}, 'tool', 'text')`,
      ordinal: 'c.key',
      is_content: `iif(${isCall}, 0, 1)`,
      is_ignored: '0',
      is_synthetic: '0',
      tool_call_id: textOf(`iif(${isCall}, ${CALL_ID}, ${has('tool_call_id')})`),
      tool_name: textOf(`iif(${isCall}, ${CALL_NAME}, ${has('tool_name')})`),
      tool_input: textOf(`iif(${isCall}, ${CALL_INPUT}, NULL)`),
      metadata: `CASE WHEN NOT (${isKnownRole}) THEN json_object('role', ${textOf('m.role')})
    WHEN ${isCall} AND c.type <> 'object' THEN json_quote(c.value) END`,
    },
    `main.messages AS m, json_each(CASE WHEN ${calls} <> '[]' THEN ${calls}
    WHEN ${isResult} OR NOT (${isKnownRole}) THEN '[null]' ELSE '[]' END) AS c`,
  )
}

/** Made of the rows themselves: a search through all of them parses only the lists that are there. */
function textView(has: Column): string {
  const inputs = `(SELECT group_concat(${CALL_INPUT}, char(10)) FROM json_each(${callsOf(has('tool_calls'))}) AS c)`
  return view(
    'message_text',
    {
      message_id: 'm.store_id',
      content: `coalesce(${textOf('m.content')}, '')`,
      tool_input: `CASE WHEN ${has('tool_calls')} IS NOT NULL THEN ${inputs} END`,
    },
    'main.messages AS m',
  )
}

function summariesView(has: Column, hasLevels: boolean): string {
  const ofSources = (answer: string): string => `(
    WITH RECURSIVE below (id) AS (
      SELECT s.summary_id
      UNION
      SELECT e.source_summary_id FROM below JOIN temp.hermes_node_sources AS e ON e.summary_id = below.id
    ) ${answer})`
  // Their own figure is what went into the summariser: for a node of nodes the size of those.
  const tokens = ofSources(/* sql */ `
    SELECT CAST(total(${countOf(has('token_estimate'))}) AS INTEGER) FROM below
    JOIN temp.hermes_node_messages AS l ON l.summary_id = below.id
    JOIN main.messages AS m ON m.store_id = l.message_id`)
  const text = `(SELECT coalesce(${textOf('n.summary')}, '') FROM main.summary_nodes AS n WHERE n.node_id = s.node_id)`
  // Between what is left of the beginning and of the end: a text that quotes the words has them elsewhere.
  const cut = `char(10) || '[...deterministic truncation — details available via lcm_expand...]' || char(10)`
  const ofProvenance = (column: string): string =>
    hasLevels ? `(SELECT ${column} FROM main.summary_node_provenance AS p WHERE p.node_id = s.node_id)` : 'NULL'
  return view(
    'summaries',
    {
      summary_rowid: 's.node_id',
      summary_id: 's.summary_id',
      conversation_id: 's.conversation_id',
      kind: 's.kind',
      depth: 's.depth',
      token_count: 's.token_count',
      source_token_count: `iif(s.kind = 'leaf', s.source_tokens, coalesce(nullif(${tokens}, 0), s.source_tokens))`,
      descendant_count: ofSources(queries.nodesBelow),
      earliest_at: 's.earliest_at',
      latest_at: 's.latest_at',
      created_at: 's.created_at',
      level: `CASE ${ofProvenance('p.escalation_level')} WHEN 1 THEN 'normal' WHEN 2 THEN 'aggressive' WHEN 3 THEN 'deterministic'
    ELSE iif(instr(${text}, ${cut}) > 0, 'deterministic', 'unknown') END`,
      model: `nullif(${ofProvenance(textOf('p.model'))}, '')`,
      file_ids: `'[]'`,
      content: text,
    },
    'temp.hermes_nodes AS s',
  )
}
