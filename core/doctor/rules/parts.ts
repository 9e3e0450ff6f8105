import { exactMessageId } from '#core/systems/reading/node-id.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import type { PartRows } from '#core/systems/system-facts.ts'
import { type MessageOf, rareMessages, withoutPlainEnd } from './rare-messages.ts'
import { rangesWith } from './row-conditions.ts'
import { rowRanges } from './row-ranges.ts'

function* findWithoutParts(context: RuleContext): Iterable<Finding | null> {
  const { partRows } = context.system.facts
  if (!partRows) return
  for (const few of rareMessages(context, rowsInRanges<MessageOf>(context, partRows.without))) {
    for (const id of few ? withoutPlainEnd(context, few) : []) {
      const detail = 'has no parts, unlike the other messages of its conversation'
      yield { id: exactMessageId(id), conversationId: few?.conversationId ?? null, detail }
    }
    yield null
  }
}

type Part = MessageOf & { readonly seq: number }

/**
 * Sessions may follow each other in a conversation. After the conversation's own session has begun, a part of another
 * session is in the wrong message.
 */
function* findOtherSessions(context: RuleContext): Iterable<Finding | null> {
  const { db } = context
  const { partRows } = context.system.facts
  if (!partRows) return
  const { otherSessions, sessionBegan } = partRows
  const began = new Map<number, number | undefined>()
  const isSince = ({ conversationId: conversation, seq }: Omit<Part, 'messageId'>): boolean => {
    if (!began.has(conversation)) began.set(conversation, db.value<number>(sessionBegan, { conversation }))
    return seq >= (began.get(conversation) ?? Number.POSITIVE_INFINITY)
  }
  function* rows(): Generator<MessageOf | null> {
    for (const range of rowRanges(db, 'messages')) {
      // Most of them belong to an earlier session, which the newest one of each conversation shows.
      if (db.all<Part>(otherSessions.newest, range).some(isSince)) {
        for (const part of db.iterate<Part>(otherSessions.all, range)) yield isSince(part) ? part : null
      }
      yield null
    }
  }
  for (const few of rareMessages(context, rows())) {
    for (const id of few?.ids ?? []) {
      const detail = 'a part of it is of another session than its conversation'
      yield { id: exactMessageId(id), conversationId: few?.conversationId ?? null, detail }
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

function* inRanges(context: RuleContext, sqlOf: (parts: PartRows) => string | null): Iterable<Finding | null> {
  const { partRows } = context.system.facts
  const sql = partRows && sqlOf(partRows)
  if (sql === null) return
  for (const finding of rowsInRanges<Finding>(context, sql)) {
    const of = finding?.conversationId ?? null
    yield of === null || isAsked(context, of) ? finding : null
  }
}

function* findOtherTexts(context: RuleContext): Iterable<Finding | null> {
  const other = context.system.facts.partRows?.otherText(context.probe)
  if (!other) return
  const ranges = yield* rangesWith(context, { table: 'message_parts', condition: other.condition })
  if (ranges.length > 0) yield* inRanges(context, () => other.sql)
}

const notApplicable = ({ info, probe, system }: RuleContext): string | null =>
  system.facts.partRows !== null && probe.has('message_parts', 'part_type')
    ? null
    : `${info.systemLabel} stores the parts of a message in another way.`

/** What these rules have in common. */
const ofParts = {
  group: 'content',
  severity: 'warning',
  phase: 'text',
  consequenceOf: ['foreign_keys', 'invalid_value'],
  notApplicable,
} as const

/** Rules for systems that store a message twice, whole and in parts. Both have to agree. */
export const partRules = [
  {
    id: 'part_missing',
    ...ofParts,
    invariant: 'Where messages are stored in parts, every message has some.',
    explanation: 'Calls, results and reasoning stand in the parts only: of this message they are lost.',
    ...onlyInTranscript('Compare with the transcript, or import it into a new memory.'),
    find: findWithoutParts,
  },
  {
    id: 'part_order',
    ...ofParts,
    invariant: 'The parts of a message are numbered from the first without gaps.',
    explanation: 'A part of the message is gone, or the order of its parts is left to chance.',
    ...onlyInTranscript('Compare with the transcript, or import it into a new memory.'),
    find: (context) => inRanges(context, (parts) => parts.misnumbered),
  },
  {
    id: 'part_session',
    ...ofParts,
    invariant: 'The parts of a message are of the session of its conversation.',
    explanation: 'The part was written by another session, or moved here from one: it may not belong to this message.',
    ...onlyInTranscript('Compare with the transcript to which session the part belongs.'),
    find: findOtherSessions,
  },
  {
    id: 'tool_result_uncalled',
    ...ofParts,
    invariant: 'The result of a tool says of which call it is.',
    explanation: 'The result cannot be put beside its call: providers refuse it, or it is left out of the window.',
    ...onlyInTranscript('Nothing has to be done unless a provider refuses the window.'),
    notApplicable: (context) =>
      notApplicable(context) ??
      (context.system.facts.partRows?.uncalled(context.probe) == null
        ? `This version of ${context.info.systemLabel} does not store it.`
        : null),
    find: (context) => inRanges(context, (parts) => parts.uncalled(context.probe)),
  },
  {
    id: 'part_text',
    ...ofParts,
    invariant: 'A message says the same as the part that holds its text.',
    explanation: 'One of the two was changed after it was stored: what was really said is not certain.',
    ...onlyInTranscript('Compare with the transcript which of the two texts was said.'),
    consequenceOf: ['content_hash', 'invalid_value', 'foreign_keys'],
    find: findOtherTexts,
  },
] as const satisfies readonly Rule[]
