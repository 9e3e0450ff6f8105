import { ROLES } from '../contract/lists.ts'
import { type Check, type CheckContext, type Finding, isAsked } from './check.ts'
import { rowRanges } from './row-ranges.ts'

const queries = {
  without: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId
    FROM main.messages AS m
    WHERE m.message_id > :after AND m.message_id <= :upTo
      AND NOT EXISTS (SELECT 1 FROM main.message_parts AS p WHERE p.message_id = m.message_id)`,
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

/** Messages without parts are the rule in some conversations, and the exception in others. */
const FEW = 0.1
const LEAST = 10

type Without = { readonly messageId: number; readonly conversationId: number }

const TOOL = ROLES.indexOf('tool')

/** What a writer of its own put behind the rest loses nothing by having no parts: all that it says is in its text. */
function withoutPlainEnd({ facts }: CheckContext, conversationId: number, ids: readonly number[]): readonly number[] {
  const { messages } = facts
  const range = messages.ranges.find((one) => one.conversationId === conversationId)
  const left = new Set(ids)
  for (let place = (range?.to ?? 0) - 1; place >= (range?.from ?? 0); place -= 1) {
    if (messages.roles[place] === TOOL || !left.delete(messages.ids[place] as number)) break
  }
  return [...left]
}

/** Remembers no more ids of a conversation than can be exceptions in it. */
function* findWithoutParts(context: CheckContext): Iterable<Finding | null> {
  const { db, facts } = context
  const most = new Map(
    facts.messages.ranges.map(({ conversationId, from, to }) => [
      conversationId,
      to - from < LEAST ? 0 : (to - from) * FEW,
    ]),
  )
  const without = new Map<number, number[]>()
  for (const range of rowRanges(db, 'messages')) {
    for (const { messageId, conversationId } of db.iterate<Without>(queries.without, range)) {
      const ids = without.get(conversationId) ?? []
      without.set(conversationId, ids)
      if (ids.length <= (most.get(conversationId) ?? 0)) ids.push(messageId)
    }
    yield null
  }
  for (const [conversationId, ids] of without) {
    if (ids.length > (most.get(conversationId) ?? 0) || !isAsked(context, conversationId)) continue
    for (const id of withoutPlainEnd(context, conversationId, ids)) {
      yield { id: `msg_${id}`, conversationId, detail: 'has no parts, unlike the other messages of its conversation' }
    }
  }
}

function* inRanges(context: CheckContext, sql: string): Iterable<Finding | null> {
  for (const range of rowRanges(context.db, 'messages')) {
    for (const finding of context.db.iterate<Finding>(sql, range)) {
      yield finding.conversationId === null || isAsked(context, finding.conversationId) ? finding : null
    }
    yield null
  }
}

const notApplicable = ({ info, probe }: CheckContext): string | null =>
  info.system === 'lossless-claw' && probe.has('message_parts', 'part_type')
    ? null
    : `${info.systemLabel} stores the parts of a message in another way.`

/** What a system that keeps a message twice, whole and in parts, has to keep in step. */
export const partChecks: readonly Check[] = [
  {
    id: 'part_missing',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'Where messages are stored in parts, every message has some.',
    explanation: 'Calls, results and reasoning stand in the parts only: of this message they are lost.',
    repairable: false,
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
    repairable: false,
    consequenceOf: ['foreign_keys', 'invalid_value'],
    notApplicable,
    find: (context) => inRanges(context, queries.places),
  },
  {
    id: 'tool_result_uncalled',
    group: 'content',
    severity: 'warning',
    phase: 'text',
    invariant: 'The result of a tool says of which call it is.',
    explanation: 'The result cannot be put beside its call: providers refuse it, or it is left out of the window.',
    repairable: false,
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
    repairable: false,
    consequenceOf: ['content_hash', 'invalid_value', 'foreign_keys'],
    notApplicable,
    find: (context) =>
      inRanges(
        context,
        queries.texts(context.probe.has('messages', 'large_content') ? 'AND m.large_content IS NULL' : ''),
      ),
  },
]
