import type { SchemaProbe } from '#core/sqlite/schema-probe.ts'
import { view } from '../deriving/canonical.ts'
import { columnsOf } from '../deriving/derived-views.ts'
import { blockColumns, resultText, withFirst } from '../reading/json-blocks.ts'

/** Summaries of Pi's own, which it sends in the user's place. */
export const PI_SUMMARY_ROLES = `'compactionSummary', 'branchSummary'`

/** Parts from the JSON of the original messages. Broken JSON costs its own message's parts only: its text stands beside it. */
export function piPartsView(probe: SchemaProbe): string {
  if (!probe.has('messages', 'content_json')) return view('message_parts', {}, null)
  const column = columnsOf(probe, 'messages', 'm')
  const role = column('role')
  const json = `iif(json_valid(m.content_json), m.content_json, '{}')`
  const blocks = `(${json} -> '$.content')`
  const images = `(SELECT json_group_array(json(b.value)) FROM json_each(${json}, '$.content') AS b
      WHERE b.type = 'object' AND json_extract(b.value, '$.type') <> 'text')`
  const array = `CASE
    WHEN NOT coalesce(json_valid(m.content_json), 0) THEN '[]'
    WHEN ${role} = 'toolResult' THEN ${withFirst('{"type":"lcm:result"}', images)}
    WHEN ${role} = 'bashExecution' THEN '[{"type":"lcm:bash"}]'
    WHEN ${role} IN (${PI_SUMMARY_ROLES}) THEN '[{"type":"lcm:summary"}]'
    WHEN json_type(m.content_json, '$.content') = 'array' THEN iif(json_type(m.content_json, '$.usage') = 'object',
      iif(json_array_length(m.content_json, '$.content') = 0, '[', substr(json(${blocks}), 1, length(json(${blocks})) - 1) || ',') || '{"type":"lcm:step"}]',
      ${blocks})
    WHEN json_type(m.content_json, '$.content') IS NOT NULL THEN '[{"type":"lcm:said"}]'
    ELSE '[]' END`
  const at = (path: string): string => `json_extract(${json}, '$.${path}')`
  /** Everything of the original but what the part's columns hold. */
  const rest = (...paths: readonly string[]): string =>
    `json_remove(${json}, ${['role', 'timestamp', ...paths].map((path) => `'$.${path}'`).join(', ')})`
  const columns = blockColumns('m.rowid', column('content_text'), {
    'lcm:result': {
      part_type: `'tool'`,
      tool_call_id: at('toolCallId'),
      tool_name: `coalesce(${at('toolName')}, ${column('tool_name')})`,
      tool_status: `iif(coalesce(${at('isError')}, 0), 'error', 'completed')`,
      tool_output: `coalesce(${resultText(json, '$.content')}, '')`,
      metadata: `nullif(${rest('content', 'toolCallId', 'toolName', 'isError')}, '{}')`,
    },
    'lcm:bash': {
      part_type: `'tool'`,
      tool_name: `'bash'`,
      tool_status: `iif(coalesce(${at('exitCode')}, 0) <> 0 OR coalesce(${at('cancelled')}, 0), 'error', 'completed')`,
      tool_input: `json_object('command', ${at('command')})`,
      tool_output: `coalesce(${at('output')}, '')`,
      metadata: rest('command', 'output'),
    },
    'lcm:summary': {
      part_type: `'compaction'`,
      is_content: '1',
      metadata: rest('summary'),
    },
    'lcm:said': {
      part_type: `'text'`,
      is_content: '1',
      metadata: `nullif(${rest('content')}, '{}')`,
    },
    'lcm:step': {
      part_type: `'step_finish'`,
      step_reason: at('stopReason'),
      step_tokens_in: `CAST(${at('usage.input')} AS INTEGER)`,
      step_tokens_out: `CAST(${at('usage.output')} AS INTEGER)`,
      step_cost: `CAST(${at('usage.cost.total')} AS REAL)`,
      metadata: rest('content', 'stopReason'),
    },
  })
  return view('message_parts', columns, `main.messages AS m, json_each(${array}) AS e`)
}
