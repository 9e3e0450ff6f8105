import { rewritingFailed } from '../rules/rewriting.ts'
import { onlyIn, type Rule } from '../rules/rule.ts'
import { findIn, type ScanContext } from '../rules/scanned-memory.ts'

const queries = {
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
  anyInternal: /* sql */ `SELECT 1 FROM internal_conversations LIMIT 1`,
}

const INJECTED = '[LCM Context — Compressed History]'
/** A text that the system made without a model, which is its last resort, begins with this. */
const DETERMINISTIC_SUMMARY = /^\[Deterministic summary of [\d,]+ messages, [\d,]+ tokens total\]/
const NO_SUMMARISER_SESSION = 'No session of a summariser is in this file.'

const noInternal = ({ db }: ScanContext): string | null =>
  db.value(queries.anyInternal) === undefined ? NO_SUMMARISER_SESSION : null

export const rules: readonly Rule[] = [
  {
    id: 'summariser_session',
    group: 'operations',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Every conversation is one of somebody.',
    explanation:
      'The system recorded its own calls of the summariser as conversations: their prompts and answers are in searches and counts.',
    advice: 'Leave these conversations out of searches: choose the one that is asked about.',
    notApplicable: onlyIn('argentos', NO_SUMMARISER_SESSION, noInternal),
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
    notApplicable: onlyIn('argentos', NO_SUMMARISER_SESSION, noInternal),
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
    notApplicable: onlyIn('argentos', 'Only ArgentOS puts summaries into messages.'),
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
    notApplicable: onlyIn('argentos', 'Messages without text have their calls in parts.'),
    find: (context) => findIn(context, [], queries.emptyMessages),
  },
  {
    id: 'duplicate_file',
    group: 'files',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A large file is recorded once.',
    explanation:
      'This system recorded a file again each time it saw it, so that lists and counts show the file several times.',
    advice: 'Nothing has to be done: any of the rows leads to the file.',
    notApplicable: onlyIn('argentos', 'Other systems name a file by what is in it.'),
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
    notApplicable: onlyIn('argentos', 'Only ArgentOS marks what was made without a model like this.'),
    summaryTexts:
      () =>
      ({ content }) =>
        DETERMINISTIC_SUMMARY.test(content ?? '') ? 'made without a model' : null,
  },
]
