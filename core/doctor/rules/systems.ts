import { isDeterministicSummary } from './markers.ts'
import { rewritingFailed } from './rewriting.ts'
import { type Finding, findIn, isAsked, type Rule, type RuleContext } from './rule.ts'

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
  internal: /* sql */ `
    SELECT NULL AS id, i.conversation_id AS conversationId,
      c.session_id || ': ' || (SELECT count(*) FROM messages AS m WHERE m.conversation_id = i.conversation_id)
        || ' messages' AS detail
    FROM internal_conversations AS i
    JOIN conversations AS c ON c.conversation_id = i.conversation_id
    WHERE :conversation IS NULL OR i.conversation_id = :conversation`,
  /** A summariser's own session has a prompt and an answer; what makes it longer was said elsewhere. */
  misfiled: /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      'message ' || m.seq || ' of a session that the summariser opened' AS detail
    FROM messages AS m
    WHERE m.conversation_id IN (
        SELECT i.conversation_id FROM internal_conversations AS i
        JOIN messages AS n ON n.conversation_id = i.conversation_id
        GROUP BY i.conversation_id HAVING count(*) > 2)
      AND (:conversation IS NULL OR m.conversation_id = :conversation)`,
  emptyMessages: /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId, 'a row of ' || m.role || ' without text' AS detail
    FROM messages AS m
    WHERE m.content = '' AND (:conversation IS NULL OR m.conversation_id = :conversation)`,
  sameFiles: /* sql */ `
    SELECT CAST(max(f.id) AS TEXT) AS id, NULL AS conversationId,
      count(*) || ' rows of one file (' || f.token_count || ' tokens, hash ' || f.content_hash || ')' AS detail
    FROM main.large_files AS f
    WHERE f.content_hash IS NOT NULL
    GROUP BY f.content_hash, f.token_count HAVING count(*) > 1`,
}

const INJECTED = '[LCM Context — Compressed History]'

function* findUnconsumed(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, window } = context.facts
  for (const { index, id, conversationId, depth } of summaries.rows) {
    const isShown = (window.summaryCounts[index] ?? 0) > 0 || (links.dependents[index]?.length ?? 0) > 0
    yield isShown || !isAsked(context, conversationId)
      ? null
      : { id, conversationId, detail: `depth ${depth}, made into nothing else and not shown` }
  }
}

const only =
  (system: string, why: string) =>
  ({ info }: RuleContext): string | null =>
    info.system === system ? null : why

const noInternal = ({ db }: RuleContext): string | null =>
  db.value(/* sql */ 'SELECT 1 FROM internal_conversations LIMIT 1') === undefined
    ? 'No session of a summariser is in this file.'
    : null

/** What only some systems do, to files that only they write. */
export const systemRules = [
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
    notApplicable: only('hermes-lcm', 'Only hermes-lcm notes such a frontier.'),
    find: (context) => findIn(context, ['lcm_lifecycle_state'], queries.frontiers),
  },
  {
    id: 'unconsumed_root',
    group: 'context',
    severity: 'info',
    phase: 'structure',
    invariant: 'Every summary that no other was made of is shown to the model.',
    explanation:
      'This system shows only the newest summary of each depth. Of these the model sees at most a line with their id.',
    notApplicable: only('pi-lcm', 'Other systems show all of them.'),
    find: findUnconsumed,
  },
  {
    id: 'summariser_session',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Every conversation is one of somebody.',
    explanation:
      'The system recorded its own calls of the summariser as conversations: their prompts and answers are in searches and counts.',
    advice: 'Leave these conversations out of searches: choose the one that is asked about.',
    notApplicable: noInternal,
    find: (context) => findIn(context, [], queries.internal),
  },
  {
    id: 'misfiled_message',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A message is in the conversation in which it was said.',
    explanation: 'Messages of a conversation were recorded again in a session of the summariser.',
    advice: 'Look for the message in its own conversation, where it stands as well.',
    consequenceOf: ['summariser_session'],
    notApplicable: noInternal,
    find: (context) => findIn(context, [], queries.misfiled),
  },
  {
    id: 'reingested_summary',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'What the system puts before a message is not recorded as said.',
    explanation:
      'Summaries that were shown to the model came back as part of a message: they are summarised again and again, and found as if somebody had said them.',
    advice: 'Read what stands behind the summaries in it: that is what was said.',
    notApplicable: only('argentos', 'Only ArgentOS puts summaries into messages.'),
    messageTexts:
      () =>
      ({ content, kind }) =>
        kind === 'user' && content?.trimStart().startsWith(INJECTED) ? 'begins with summaries that were shown' : null,
  },
  {
    id: 'empty_message',
    group: 'content',
    severity: 'info',
    phase: 'text',
    invariant: 'Every message says something.',
    explanation: 'This system records some tool calls as rows without text: what was called is not known any more.',
    notApplicable: only('argentos', 'Messages without text have their calls in parts.'),
    find: (context) => findIn(context, [], queries.emptyMessages),
  },
  {
    id: 'duplicate_file',
    group: 'files',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A large file is recorded once.',
    explanation: 'The same file was recorded each time that it was seen: lists and counts show it several times.',
    advice: 'Nothing has to be done: any of the rows leads to the file.',
    notApplicable: only('argentos', 'Other systems name a file by what is in it.'),
    find: (context) => findIn(context, ['large_files'], queries.sameFiles),
  },
  {
    id: 'deterministic_summary',
    group: 'content',
    severity: 'info',
    phase: 'text',
    invariant: 'A summary was made by a model.',
    explanation:
      'The model failed twice, and this system listed the first and the last message instead, as it should. Whatever stood between is not told.',
    fixes: [rewritingFailed('deterministic_summary', 'it was made without a model')],
    notApplicable: only('argentos', 'Only ArgentOS marks what was made without a model like this.'),
    summaryTexts:
      () =>
      ({ content }) =>
        isDeterministicSummary(content ?? '') ? 'made without a model' : null,
  },
] as const satisfies readonly Rule[]
