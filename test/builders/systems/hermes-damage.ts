const AT = 1_780_000_000
const node = (
  id: number,
  depth: number,
  summary: string,
  more: Partial<Record<string, string | number>> = {},
): string => {
  const row = {
    token_count: 5,
    source_token_count: 100,
    source_ids: '[]',
    source_type: 'messages',
    earliest_at: AT - 1000,
    latest_at: AT - 100,
    ...more,
  }
  const value = (column: keyof typeof row): string =>
    typeof row[column] === 'number' ? String(row[column]) : `'${row[column]}'`
  const columns = Object.keys(row) as (keyof typeof row)[]
  return `INSERT INTO summary_nodes (node_id, session_id, depth, summary, created_at, ${columns.join(', ')})
    SELECT ${id}, session_id, ${depth}, '${summary}', ${AT}, ${columns.map(value).join(', ')} FROM summary_nodes LIMIT 1;`
}

const LOST_PAYLOAD = '20260101_000000_call_00013_0123456789ab_0123456789abcdef.json'

/**
 * The file of hermes-lcm with everything wrong that is seen in the field. `messages` are those of its first two leaves;
 * `leaf` is the first of its nodes, whose second message goes.
 */
export function hermesDamage({ leaf, covered, covers, last, nodes }: HermesPlaces): {
  sql: string
  faults: HermesFault[]
} {
  const gone = covered[1] ?? 0
  const again = JSON.stringify(covers)
  const [one = 0, two = 0] = covers
  const ids = (...list: number[]): string => JSON.stringify(list)
  return {
    sql: `
    DELETE FROM messages WHERE store_id = ${gone};
    DROP TRIGGER msg_fts_insert;
    INSERT INTO messages (store_id, session_id, source, role, content, timestamp, token_estimate)
    SELECT ${last + 1}, session_id, 'cli', 'user', 'unindexed message quuxword', ${AT}, 6 FROM messages LIMIT 1;
    INSERT INTO messages (store_id, session_id, source, role, content, tool_call_id, tool_name, timestamp, token_estimate)
    SELECT ${last + 2}, session_id, source, role, content, tool_call_id, tool_name, ${AT}, token_estimate
    FROM messages WHERE tool_call_id IS NOT NULL LIMIT 1;
    INSERT INTO messages (store_id, session_id, source, role, content, tool_call_id, timestamp, token_estimate)
    SELECT ${last + 3}, session_id, 'cli', 'tool',
      '[Externalized tool output: tool_call_id=call_00013; chars=5000; bytes=5000; ref=${LOST_PAYLOAD}]', 'call_00013', ${AT}, 30
    FROM messages LIMIT 1;
    INSERT INTO messages (store_id, session_id, source, role, content, timestamp, token_estimate)
    SELECT ${last + 4}, session_id, '', 'user', 'legacy blank source row', ${AT}, 5 FROM messages LIMIT 1;
    ${node(nodes + 1, 0, 'node with broken json', { source_ids: '[1, 2' })}
    ${node(nodes + 2, 0, 'node without sources')}
    ${node(nodes + 3, 1, 'cycle a', { source_ids: ids(nodes + 4), source_type: 'nodes' })}
    ${node(nodes + 4, 2, 'cycle b', { source_ids: ids(nodes + 3), source_type: 'nodes' })}
    ${node(nodes + 5, 0, 'd0 that points at nodes', { source_ids: ids(leaf), source_type: 'nodes' })}
    ${node(nodes + 6, 1, 'weird source type', { source_ids: ids(leaf), source_type: 'files' })}
    ${node(nodes + 7, 0, 'covers the same messages again', { source_ids: again })}
    ${node(nodes + 8, 0, 'earliest after latest', { source_ids: ids(one), earliest_at: AT + 999, latest_at: AT - 9999 })}
    ${node(nodes + 9, 0, 'x '.repeat(2000).trim(), { source_ids: ids(one), token_count: 2000, source_token_count: 10 })}
    ${node(nodes + 10, 0, 'head\n\n[...deterministic truncation — details available via lcm_expand...]\n\ntail', { source_ids: ids(one, two) })}
    ${node(nodes + 11, 2, 'points at a pruned node', { source_ids: ids(98765), source_type: 'nodes' })}
    UPDATE lcm_lifecycle_state SET current_frontier_store_id = 999999;`,
    faults: [
      { fault: 'missing_source_message', store_id: gone },
      { fault: 'missing_fts_trigger', trigger: 'msg_fts_insert' },
      { fault: 'fts_missing_row', store_id: last + 1 },
      { fault: 'malformed_source_ids_json', node_id: nodes + 1 },
      { fault: 'empty_sources', node_id: nodes + 2 },
      { fault: 'cycle', node_id: nodes + 3 },
      { fault: 'cycle', node_id: nodes + 4 },
      { fault: 'depth_mismatch_leaf_of_nodes', node_id: nodes + 5 },
      { fault: 'unknown_source_type', node_id: nodes + 6 },
      { fault: 'duplicate_coverage', node_id: nodes + 7 },
      { fault: 'time_window_inverted', node_id: nodes + 8 },
      { fault: 'summary_not_smaller_than_source', node_id: nodes + 9 },
      { fault: 'l3_truncation_fallback', node_id: nodes + 10 },
      { fault: 'missing_source_node', node_id: nodes + 11 },
      { fault: 'lifecycle_frontier_beyond_messages' },
      { fault: 'duplicate_tool_call_id_result' },
      { fault: 'externalized_payload_missing', ref: LOST_PAYLOAD },
      { fault: 'blank_source (not a fault: legacy)', store_id: last + 4 },
    ],
  }
}

export type HermesPlaces = {
  readonly leaf: number
  readonly covered: readonly number[]
  readonly covers: readonly number[]
  readonly last: number
  /** The number of nodes. New nodes get the numbers after it. */
  readonly nodes: number
}

export type HermesFault = {
  readonly fault: string
  readonly node_id?: number
  readonly store_id?: number
  readonly trigger?: string
  readonly ref?: string
}
