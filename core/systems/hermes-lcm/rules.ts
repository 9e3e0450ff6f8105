import { textOf } from '../deriving/canonical.ts'
import { onlyIn, type Rule } from '../rules/rule.ts'
import { findByQuery, findIn, type ScanContext } from '../rules/scanned-memory.ts'

const queries = {
  /** A session stands for its conversation by its name. */
  frontiers: /* sql */ `
    SELECT NULL AS id, c.conversation_id AS conversationId,
      'its frontier is message ' || max(l.current_frontier_store_id, l.last_finalized_frontier_store_id)
        || ', the newest is ' || (SELECT max(store_id) FROM main.messages) AS detail
    FROM main.lcm_lifecycle_state AS l
    LEFT JOIN conversations AS c ON c.session_id = l.conversation_id OR c.logical_key = l.conversation_id
    WHERE max(l.current_frontier_store_id, l.last_finalized_frontier_store_id) > max(
        coalesce((SELECT max(store_id) FROM main.messages), 0),
        coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = 'messages'), 0))
      AND (:conversation IS NULL OR c.conversation_id = :conversation)
    GROUP BY l.conversation_id`,
  /** The agent looks up nodes by its session, and after a change of sessions by the one before it. */
  unreachable: /* sql */ `
    WITH RECURSIVE reachable (session_id) AS (
      SELECT ${textOf('l.current_session_id')} FROM main.lcm_lifecycle_state AS l
      UNION SELECT ${textOf('l.last_finalized_session_id')} FROM main.lcm_lifecycle_state AS l
    ),
    unreachable AS (
      SELECT n.node_id, n.summary_id, n.session_id, n.conversation_id
      FROM temp.hermes_nodes AS n
      WHERE EXISTS (SELECT 1 FROM reachable WHERE session_id <> '')
        AND n.session_id NOT IN (SELECT session_id FROM reachable WHERE session_id IS NOT NULL)
        AND (:conversation IS NULL OR n.conversation_id = :conversation)
    ),
    below (session_id, summary_id) AS (
      SELECT session_id, summary_id FROM unreachable
      UNION
      SELECT b.session_id, e.source_summary_id
      FROM below AS b JOIN temp.hermes_node_sources AS e ON e.summary_id = b.summary_id
    ),
    messages_below AS (
      SELECT b.session_id, count(DISTINCT l.message_id) AS messages
      FROM below AS b JOIN temp.hermes_node_messages AS l ON l.summary_id = b.summary_id
      GROUP BY b.session_id
    )
    SELECT u.summary_id AS id, u.conversation_id AS conversationId, min(u.node_id) AS firstNode,
      'the first of ' || count(*) || ' in the session ' || u.session_id || ', made from '
        || coalesce((SELECT m.messages FROM messages_below AS m WHERE m.session_id = u.session_id), 0)
        || ' messages' AS detail
    FROM unreachable AS u
    GROUP BY u.session_id
    ORDER BY firstNode`,
}

const knowsSessions = ({ probe }: ScanContext): boolean =>
  ['current_session_id', 'last_finalized_session_id'].every((column) => probe.has('lcm_lifecycle_state', column))

export const rules: readonly Rule[] = [
  {
    id: 'frontier_beyond_messages',
    group: 'operations',
    severity: 'error',
    phase: 'structure',
    invariant: 'What is noted as compacted ends at a message that exists.',
    explanation:
      'The next messages count as compacted already: they are neither shown to the model nor ever summarised.',
    advice:
      'Stop the agent before it goes on, and restore a backup; a working copy ("lcm copy") shows all messages at once.',
    notApplicable: onlyIn('hermes-lcm', 'Only hermes-lcm notes such a frontier.'),
    find: (context) => findIn(context, ['lcm_lifecycle_state'], queries.frontiers),
  },
  {
    id: 'node_unreachable',
    group: 'context',
    severity: 'info',
    phase: 'structure',
    invariant: 'Every summary is in the current session of its agent or in the one before it.',
    explanation:
      'The tools of the agent look for summaries in the current session and in the one that was finalised last. These are in the file, can be read here, and are "not found" for the agent; of their sessions only what was moved over still reaches it.',
    notApplicable: (context) =>
      onlyIn('hermes-lcm', 'Only hermes-lcm looks for summaries by their session.')(context) ??
      (knowsSessions(context) ? null : 'This file does not say which session is the current one.'),
    find: (context) => findByQuery(context, queries.unreachable),
  },
]
