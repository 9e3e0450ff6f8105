import { isNative } from '../../systems/native/native.ts'
import { type Finding, findByQuery, isAsked } from '../../systems/scanned-memory.ts'
import { onlyInTranscript, type Rule, type RuleContext } from './rule.ts'

const queries = {
  unmade: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId, 'when it was made cannot be read' AS detail
    FROM summaries
    WHERE created_at IS NULL AND (:conversation IS NULL OR conversation_id = :conversation)`,
  early: /* sql */ `
    SELECT summary_id AS id, conversation_id AS conversationId,
      ((latest_at - created_at) / 86400000) || ' days before the newest of its messages' AS detail
    FROM summaries
    WHERE created_at < latest_at - 86400000 AND (:conversation IS NULL OR conversation_id = :conversation)`,
  unbegun: /* sql */ `
    SELECT NULL AS id, conversation_id AS conversationId, 'when the conversation began cannot be read' AS detail
    FROM conversations
    WHERE created_at IS NULL AND (:conversation IS NULL OR conversation_id = :conversation)`,
}

/** Clocks differ, parallel calls come back out of order, and time zones are mixed up; not by more than this. */
const DAY_MS = 86_400_000

function* findStepsBack(context: RuleContext): Iterable<Finding | null> {
  const { messages, events } = context.facts
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId)) continue
    let before = -1
    for (let place = from; place < to; place += 1) {
      // A row that tells of a compaction has the time of that, whatever the times of the messages around it are.
      if (events.has(place)) continue
      const back = before < 0 ? 0 : (messages.createdAtMs[before] as number) - (messages.createdAtMs[place] as number)
      before = place
      if (!(back > DAY_MS)) {
        if (place % 1024 === 0) yield null
        continue
      }
      const days = Math.floor(back / DAY_MS)
      const detail = `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'} before the message that it follows`
      yield { id: context.facts.messageId(place), conversationId, detail }
    }
  }
}

/** Most systems do not note of everything when it was made. */
function* findImpossibleMaking(context: RuleContext): Iterable<Finding> {
  if (!context.system.facts.recordsMaking) return
  yield* findByQuery(context, queries.unmade)
  yield* findByQuery(context, queries.early)
  yield* findByQuery(context, queries.unbegun)
}

export const orderInTimeRules = [
  {
    id: 'time_order',
    group: 'content',
    // What was imported from forks and resumed sessions is as its agent wrote it.
    severity: (info) => (isNative(info) ? 'info' : 'warning'),
    phase: 'structure',
    invariant: 'Messages follow each other in time, within a day.',
    explanation: 'A time was changed, or older history was put behind newer: the sequence or the time is wrong.',
    ...onlyInTranscript('Compare with the transcript which of the two is wrong, the order or the time.'),
    consequenceOf: ['impossible_time', 'source_order', 'sequence_gap', 'cross_conversation_edge'],
    find: findStepsBack,
  },
  {
    id: 'creation_time',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant:
      'It is known when a summary was made and a conversation began, and no summary is older than its messages.',
    explanation:
      'When it was made or begun is not recorded, or cannot be: time travel and sorting by time cannot place it.',
    advice: 'Nothing has to be done: order and lineage do not rest on this time.',
    consequenceOf: ['time_range', 'impossible_time', 'time_order'],
    find: findImpossibleMaking,
  },
] as const satisfies readonly Rule[]
