import { PartType } from '#core/contract/ids.ts'
import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { isExactInteger } from '#core/sqlite/shown-values.ts'
import { CANONICAL, countOf, sizeOf, textOf, view } from '../deriving/canonical.ts'

/** Worked out, or read with what stands for them where they are missing. */
const MADE_PART_COLUMNS = new Set([
  ...['part_type', 'is_content', 'is_ignored', 'is_synthetic'],
  ...['text_is_content', 'metadata_has_text'],
])
const STORED_PART_COLUMNS = (CANONICAL.message_parts ?? []).filter((column) => !MADE_PART_COLUMNS.has(column))

/** As they are, so that rows are found by them. */
const KEYS = new Set(['message_id', 'step_cost', 'compaction_auto'])
const COUNTS = new Set(['step_tokens_in', 'step_tokens_out'])
const PART_TYPES = PartType.options.map((type) => `'${type}'`).join(', ')

/** Parts of messages. Which columns are filled depends on the release; the original block is kept in `metadata`. */
export function partsView(probe: SchemaProbe): string {
  const stored = STORED_PART_COLUMNS.filter((column) => probe.has('message_parts', column))
  // From the release that keeps a list of its migrations on, the columns are filled; before, some only have metadata.
  const isFilled = probe.has('lcm_migration_state') || !probe.has('message_parts', 'metadata')
  const has = (column: string): string => (probe.has('message_parts', column) ? `p.${column}` : 'NULL')
  const tool = isFilled ? null : toolFromMetadata(has)
  const call = tool?.tool_call_id ?? has('tool_call_id')
  return view(
    'message_parts',
    {
      ...Object.fromEntries(stored.map((column) => [column, shownColumn(column)])),
      ...tool,
      ...(stored.includes('part_id')
        ? { part_id: `iif(typeof(p.part_id) = 'text', p.part_id, p.message_id || '/' || ${countOf(has('ordinal'))})` }
        : {}),
      ordinal: countOf(has('ordinal')),
      // A tool result is stored as the text part of a `tool` message that names the call. lossless-claude has skills and
      // commands as parts of their own, with a name and what they were given.
      part_type: `CASE WHEN p.part_type = 'text' AND ${call} IS NOT NULL OR p.part_type IN ('skill', 'command') THEN 'tool'
    WHEN p.part_type IN (${PART_TYPES}) THEN p.part_type ELSE 'text' END`,
      is_content: '0',
      is_ignored: `coalesce(${has('is_ignored')}, 0)`,
      is_synthetic: `coalesce(${has('is_synthetic')}, 0)`,
    },
    probe.has('message_parts') ? `main.message_parts AS p WHERE ${isExactInteger('p.message_id')}` : null,
  )
}

function shownColumn(column: string): string {
  const value = `p.${column}`
  if (COUNTS.has(column)) return sizeOf(value)
  return KEYS.has(column) ? value : textOf(value)
}

/** What the columns lack and the original block has. Broken JSON costs its own row's tool only. */
function toolFromMetadata(has: (column: string) => string) {
  const field = (...names: readonly string[]): string =>
    `coalesce(${names.map((name) => `json_extract(p.metadata, '$.${name}')`).join(', ')}, NULL)`
  const isTool = `(json_extract(p.metadata, '$.raw.type') LIKE '%tool%' OR json_extract(p.metadata, '$.raw.type') LIKE '%function%')`
  const otherwise = (column: string, plain: string, inTool: string): string =>
    `CASE WHEN ${has(column)} IS NOT NULL OR NOT coalesce(json_valid(p.metadata), 0) THEN ${textOf(has(column))}
    WHEN ${isTool} THEN coalesce(${plain}, ${inTool}) ELSE ${plain} END`
  return {
    tool_call_id: otherwise(
      'tool_call_id',
      field('toolCallId'),
      field('raw.id', 'raw.call_id', 'raw.toolCallId', 'raw.tool_call_id', 'raw.tool_use_id'),
    ),
    tool_name: otherwise('tool_name', field('toolName'), field('raw.name', 'raw.toolName', 'raw.tool_name')),
    tool_input: otherwise('tool_input', 'NULL', field('raw.input', 'raw.arguments')),
  }
}
