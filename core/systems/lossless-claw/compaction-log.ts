import { countOf, textTimeMs, view } from '../deriving/canonical.ts'

/**
 * Compactions of the systems that keep them as messages: rows of role system whose part of type `compaction` says in
 * its metadata what was done. What went out of the window is what the new summary was made from. Nothing marks where a
 * run begins: events that no message stands between count as one.
 */
export const LOSSLESS_LOG = /* sql */ `
DROP TABLE IF EXISTS temp.lossless_log;
CREATE TEMP TABLE lossless_log AS
WITH records AS (
  SELECT
    m.message_id,
    m.conversation_id,
    m.seq,
    ${textTimeMs('m.created_at')} AS at,
    CASE WHEN json_valid(p.metadata) THEN iif(json_type(p.metadata) = 'object', p.metadata, '{}') ELSE '{}' END AS data
  FROM main.message_parts AS p
  CROSS JOIN main.messages AS m
  WHERE p.part_type = 'compaction' AND m.message_id = p.message_id AND m.role = 'system'
    AND typeof(m.conversation_id) = 'integer' AND m.conversation_id >= 0 AND typeof(m.seq) = 'integer'
), runs AS (
  SELECT *, seq - dense_rank() OVER (PARTITION BY conversation_id ORDER BY seq) AS run FROM records
)
SELECT
  row_number() OVER (ORDER BY r.message_id, made.key) AS event_id,
  'events_from_msg_' || min(r.message_id) OVER (PARTITION BY r.conversation_id, r.run) AS run_id,
  r.message_id,
  r.conversation_id,
  r.seq,
  coalesce(r.at, 0) AS at,
  iif(json_extract(r.data, '$.pass') = 'leaf', 'leaf', 'condensed') AS pass,
  made.value AS summary_id,
  CASE json_extract(r.data, '$.level')
    WHEN 'normal' THEN 'normal' WHEN 'aggressive' THEN 'aggressive' WHEN 'fallback' THEN 'deterministic'
    ELSE 'unknown' END AS level,
  ${countOf("json_extract(r.data, '$.tokensBefore')")} AS tokens_before,
  ${countOf("json_extract(r.data, '$.tokensAfter')")} AS tokens_after
FROM runs AS r
CROSS JOIN json_each(CASE json_type(r.data, '$.createdSummaryIds')
  WHEN 'array' THEN json_extract(r.data, '$.createdSummaryIds')
  ELSE json_array(json_extract(r.data, '$.createdSummaryId')) END) AS made
WHERE made.type = 'text';
CREATE INDEX temp.lossless_log_summary ON lossless_log (summary_id);
CREATE INDEX temp.lossless_log_conversation ON lossless_log (conversation_id, event_id);
CREATE INDEX temp.lossless_log_run ON lossless_log (run_id, event_id);
`

/** The log that is kept as messages, and which messages those are. */
export function losslessLogViews(importer: string): string {
  const own = `'${importer}'`
  const removed = (table: string, id: string, type: string): string => `(
    SELECT json_group_array(json_array(${countOf('e.ordinal')}, '${type}', ${id}, 0) ORDER BY e.ordinal)
    FROM temp.${table} AS e WHERE e.summary_id = l.summary_id)`
  const isLeaf = 'EXISTS (SELECT 1 FROM temp.summary_messages AS e WHERE e.summary_id = l.summary_id)'
  const tokens = (rows: string, edges: string, source: string, id: string): string =>
    `(SELECT CAST(total(x.token_count) AS INTEGER) FROM temp.${edges} AS e JOIN temp.${rows} AS x ON x.${id} = e.${source}
      WHERE e.summary_id = l.summary_id)`
  return [
    view(
      'event_messages',
      { message_id: 'p.message_id' },
      `main.message_parts AS p CROSS JOIN main.messages AS m ON m.message_id = p.message_id
WHERE p.part_type = 'compaction' AND m.role = 'system'`,
    ),
    view(
      'compaction_runs',
      {
        run_id: 'l.run_id',
        conversation_id: 'l.conversation_id',
        reason: `'not recorded'`,
        mode: `'not recorded'`,
        summarizer: own,
        configuration: `'{}'`,
        owner: own,
        started_at: 'l.at',
        finished_at: '(SELECT max(o.at) FROM temp.lossless_log AS o WHERE o.run_id = l.run_id)',
        tokens_before: 'coalesce(l.tokens_before, 0)',
        tokens_after: `(SELECT o.tokens_after FROM temp.lossless_log AS o WHERE o.run_id = l.run_id
    ORDER BY o.event_id DESC LIMIT 1)`,
        model_input_tokens: '0',
        model_output_tokens: '0',
      },
      `temp.lossless_log AS l
WHERE l.event_id = (SELECT min(o.event_id) FROM temp.lossless_log AS o WHERE o.run_id = l.run_id)`,
    ),
    view(
      'compaction_events',
      {
        event_id: 'l.event_id',
        run_id: 'l.run_id',
        conversation_id: 'l.conversation_id',
        at: 'l.at',
        pass: 'l.pass',
        summary_id: 'l.summary_id',
        ordinal: '0',
        removed: `CASE WHEN ${isLeaf}
    THEN ${removed('summary_messages', `'msg_' || e.message_id`, 'message')}
    ELSE ${removed('summary_sources', 'e.source_summary_id', 'summary')} END`,
        level: 'l.level',
        source_tokens: `CASE WHEN ${isLeaf} THEN ${tokens('messages', 'summary_messages', 'message_id', 'message_id')}
    ELSE ${tokens('summaries', 'summary_sources', 'source_summary_id', 'summary_id')} END`,
        tokens: 'coalesce((SELECT s.token_count FROM temp.summaries AS s WHERE s.summary_id = l.summary_id), 0)',
        duration_ms: '0',
        attempts: `'[]'`,
        // The record of an event is itself the next message.
        newest_seq: 'l.seq - 1',
      },
      'temp.lossless_log AS l',
    ),
  ].join('')
}
