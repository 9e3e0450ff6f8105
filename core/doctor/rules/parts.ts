import { type Finding, isAsked } from '../../systems/scanned-memory.ts'
import { type MessageOf, rareMessages, withoutPlainEnd } from './rare-messages.ts'
import { rowRanges } from './row-ranges.ts'
import { onlyInTranscript, type Rule, type RuleContext } from './rule.ts'

const queries = {
  without: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId
    FROM main.messages AS m
    WHERE m.message_id > :after AND m.message_id <= :upTo
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p WHERE p.message_id = m.message_id)`,
  otherSessions: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId, m.seq
    FROM main.messages AS m
    JOIN main.conversations AS c ON c.conversation_id = m.conversation_id
    JOIN main.message_parts AS p ON p.message_id = m.message_id
    WHERE m.message_id > :after AND m.message_id <= :upTo AND p.session_id <> c.session_id
    ORDER BY m.message_id`,
  sessionBegan: /* sql */ `
    SELECT m.seq
    FROM main.conversations AS c
    JOIN main.messages AS m ON m.conversation_id = c.conversation_id
    JOIN main.message_parts AS p ON p.message_id = m.message_id AND p.session_id = c.session_id
    WHERE c.conversation_id = :conversation
    ORDER BY m.seq LIMIT 1`,
  uncalled: /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      'a result that does not say of which call' AS detail
    FROM main.messages AS m
    WHERE m.message_id > :after AND m.message_id <= :upTo AND m.role = 'tool'
      AND EXISTS (SELECT 1 FROM main.message_parts AS p WHERE p.message_id = m.message_id)
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p
        WHERE p.message_id = m.message_id AND coalesce(p.tool_call_id, '') <> '')`,
  places: /* sql */ `
    SELECT 'msg_' || p.message_id AS id, m.conversation_id AS conversationId,
      count(*) || ' parts at the places ' || group_concat(p.ordinal, ', ' ORDER BY p.ordinal) AS detail
    FROM main.message_parts AS p JOIN main.messages AS m ON m.message_id = p.message_id
    WHERE p.message_id > :after AND p.message_id <= :upTo
    GROUP BY p.message_id
    HAVING min(p.ordinal) <> 0 OR max(p.ordinal) <> count(*) - 1 OR count(DISTINCT p.ordinal) <> count(*)`,
  /** What is said twice in the file: once in the message, once in its only part with text. */
  texts: (only: string) => /* sql */ `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId,
      'its part has another text than the message' AS detail
    FROM main.messages AS m
    JOIN main.message_parts AS p ON p.message_id = m.message_id AND p.part_type = 'text'
    WHERE m.message_id > :after AND m.message_id <= :upTo AND m.role IN ('user', 'assistant') ${only}
      AND p.text_content <> m.content
      AND (SELECT count(*) FROM main.message_parts AS o WHERE o.message_id = m.message_id AND o.part_type = 'text') = 1`,
}

function* findWithoutParts(context: RuleContext): Iterable<Finding | null> {
  for (const few of rareMessages(context, rowsInRanges<MessageOf>(context, queries.without))) {
    for (const id of few ? withoutPlainEnd(context, few) : []) {
      const detail = 'has no parts, unlike the other messages of its conversation'
      yield { id: `msg_${id}`, conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

/** A session may follow another in a conversation; parts of another one after its own began are of elsewhere. */
function* findOtherSessions(context: RuleContext): Iterable<Finding | null> {
  const { db } = context
  const began = new Map<number, number | undefined>()
  function* rows(): Generator<MessageOf | null> {
    for (const row of rowsInRanges<MessageOf & { seq: number }>(context, queries.otherSessions)) {
      if (row !== null && !began.has(row.conversationId)) {
        began.set(row.conversationId, db.value<number>(queries.sessionBegan, { conversation: row.conversationId }))
      }
      yield row !== null && row.seq >= (began.get(row.conversationId) ?? Number.POSITIVE_INFINITY) ? row : null
    }
  }
  for (const few of rareMessages(context, rows())) {
    for (const id of few?.ids ?? []) {
      const detail = 'a part of it is of another session than its conversation'
      yield { id: `msg_${id}`, conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

function* rowsInRanges<T>({ db }: RuleContext, sql: string): Generator<T | null> {
  for (const range of rowRanges(db, 'messages')) {
    yield* db.iterate<T>(sql, range)
    yield null
  }
}

function* inRanges(context: RuleContext, sql: string): Iterable<Finding | null> {
  for (const finding of rowsInRanges<Finding>(context, sql)) {
    const of = finding?.conversationId ?? null
    yield of === null || isAsked(context, of) ? finding : null
  }
}

const notApplicable = ({ info, probe, system }: RuleContext): string | null =>
  system.facts.storesPartsAsRows && probe.has('message_parts', 'part_type')
    ? null
    : `${info.systemLabel} stores the parts of a message in another way.`

/** What a system that keeps a message twice, whole and in parts, has to keep in step. */
export const partRules = [
  {
    id: 'part_missing',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'Where messages are stored in parts, every message has some.',
    explanation: 'Calls, results and reasoning stand in the parts only: of this message they are lost.',
    ...onlyInTranscript('Compare with the transcript, or import it into a new memory.'),
    consequenceOf: ['foreign_keys', 'invalid_value'],
    notApplicable,
    find: findWithoutParts,
  },
  {
    id: 'part_order',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The parts of a message are numbered from the first without gaps.',
    explanation: 'A part of the message is gone, or the order of its parts is left to chance.',
    ...onlyInTranscript('Compare with the transcript, or import it into a new memory.'),
    consequenceOf: ['foreign_keys', 'invalid_value'],
    notApplicable,
    find: (context) => inRanges(context, queries.places),
  },
  {
    id: 'part_session',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The parts of a message are of the session of its conversation.',
    explanation: 'The part was written by another session, or moved here from one: it may not belong to this message.',
    ...onlyInTranscript('Compare with the transcript to which session the part belongs.'),
    consequenceOf: ['foreign_keys', 'invalid_value'],
    notApplicable,
    find: findOtherSessions,
  },
  {
    id: 'tool_result_uncalled',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The result of a tool says of which call it is.',
    explanation: 'The result cannot be put beside its call: providers refuse it, or it is left out of the window.',
    ...onlyInTranscript('Nothing has to be done unless a provider refuses the window.'),
    consequenceOf: ['foreign_keys', 'invalid_value'],
    // Earlier releases have it in the original block only.
    notApplicable: (context) =>
      notApplicable(context) ??
      (context.probe.has('lcm_migration_state') && context.probe.has('message_parts', 'tool_call_id')
        ? null
        : `This version of ${context.info.systemLabel} does not store it.`),
    find: (context) => inRanges(context, queries.uncalled),
  },
  {
    id: 'part_text',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'A message says the same as the part that holds its text.',
    explanation: 'One of the two was changed after it was stored: what was really said is not certain.',
    ...onlyInTranscript('Compare with the transcript which of the two texts was said.'),
    consequenceOf: ['content_hash', 'invalid_value', 'foreign_keys'],
    notApplicable,
    find: (context) =>
      inRanges(
        context,
        queries.texts(context.probe.has('messages', 'large_content') ? 'AND m.large_content IS NULL' : ''),
      ),
  },
] as const satisfies readonly Rule[]
