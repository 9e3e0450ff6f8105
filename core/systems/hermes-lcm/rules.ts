import { onlyIn, type Rule } from '../rule.ts'
import { findIn } from '../scanned-memory.ts'

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
}

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
]
