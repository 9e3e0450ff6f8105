import { isNative } from '#core/systems/native/native.ts'
import { onlyInTranscript, type Rule, type RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, findByQuery, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { recounting } from './recounting.ts'

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

type Shift = { readonly fromMs: number; readonly toMs: number }

/**
 * Returns how far the stored range is off at both ends, or null when there is nothing to compare or nothing is wrong.
 */
function shiftOf(context: RuleContext, index: number): Shift | 'missing' | 'inverted' | null {
  const { summaries, extents } = context.memory
  const { earliestAtMs, latestAtMs } = summaries.at(index)
  if (earliestAtMs !== null && latestAtMs !== null && earliestAtMs > latestAtMs) return 'inverted'
  const from = extents.earliestAtMs[index] as number
  const to = extents.latestAtMs[index] as number
  if (extents.isWhole[index] === 0 || Number.isNaN(from)) return null
  if (earliestAtMs === null || latestAtMs === null) return 'missing'
  const shift = { fromMs: earliestAtMs - from, toMs: latestAtMs - to }
  // Some systems store whole seconds or fractions.
  return Math.abs(shift.fromMs) < 1000 && Math.abs(shift.toMs) < 1000 ? null : shift
}

const QUARTER_HOUR_MS = 900_000
/** Offsets from UTC are between −12 and +14 hours. */
const LARGEST_OFFSET_MS = 14 * 3_600_000

function isOffset(shift: ReturnType<typeof shiftOf>): shift is Shift {
  if (shift === null || typeof shift === 'string') return false
  const { fromMs, toMs } = shift
  const near = Math.round(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS
  return (
    near !== 0 && Math.abs(near) <= LARGEST_OFFSET_MS && Math.abs(fromMs - near) < 1000 && Math.abs(toMs - near) < 1000
  )
}

function hasTimeRanges({ memory }: RuleContext): boolean {
  return memory.summaries.rows.some((row) => row.earliestAtMs !== null || row.latestAtMs !== null)
}

function* findWrongRanges(context: RuleContext): Iterable<Finding | null> {
  const { rows } = context.memory.summaries
  if (!hasTimeRanges(context)) return
  for (const { index, id, conversationId } of rows) {
    const shift = shiftOf(context, index)
    if (shift === null || !isAsked(context, conversationId) || (context.system.facts.shiftsTimes && isOffset(shift)))
      yield null
    else {
      const detail =
        shift === 'missing'
          ? 'has no time range, its messages have times'
          : shift === 'inverted'
            ? 'its time range ends before it begins'
            : `begins ${seconds(shift.fromMs)} and ends ${seconds(shift.toMs)} the times of its messages`
      yield { id, conversationId, detail }
    }
  }
}

const seconds = (ms: number): string =>
  ms === 0 ? 'with' : `${Math.abs(Math.round(ms / 1000)).toLocaleString('en')} s ${ms < 0 ? 'before' : 'after'}`

function* findShifts(context: RuleContext): Iterable<Finding | null> {
  for (const { index, id, conversationId } of context.memory.summaries.rows) {
    const shift = shiftOf(context, index)
    if (!isOffset(shift) || !isAsked(context, conversationId)) yield null
    else {
      const hours = Math.round(shift.fromMs / QUARTER_HOUR_MS) / 4
      yield { id, conversationId, detail: `shifted by ${hours > 0 ? '+' : '−'}${Math.abs(hours)} h` }
    }
  }
}

/** No memory is older. */
const FIRST_MS = Date.UTC(2000, 0)
/** Clocks differ, parallel calls return out of order, and time zones are confused, but by no more than this. */
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/**
 * Finds wrong clocks and values that are no time. When all times of a file are strange, its system uses a clock of its
 * own.
 */
function* findImpossibleTimes(context: RuleContext): Iterable<Finding | null> {
  const { messages } = context.memory
  const { createdAtMs } = messages
  const now = Math.max(context.clock(), Date.now()) + DAY_MS
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId)) continue
    let newest = Number.NEGATIVE_INFINITY
    let oldest = Number.POSITIVE_INFINITY
    for (let position = from; position < to; position += 1) {
      const at = createdAtMs[position] as number
      if (at > newest) newest = at
      if (at < oldest) oldest = at
    }
    if (newest === Number.NEGATIVE_INFINITY) continue
    let before = oldest
    for (let position = from; position < to; position += 1) {
      const at = createdAtMs[position] as number
      const isLeap =
        at > now &&
        (at - before > YEAR_MS || (position + 1 < to && (createdAtMs[position + 1] as number) < at - YEAR_MS))
      const detail = Number.isNaN(at)
        ? 'its time cannot be read'
        : at < FIRST_MS && newest >= FIRST_MS
          ? 'before the year 2000'
          : isLeap
            ? 'in the future, unlike its neighbours'
            : null
      if (!Number.isNaN(at) && !isLeap) before = at
      if (detail !== null) yield { id: context.memory.messageId(position), conversationId, detail }
      else if (position % 1024 === 0) yield null
    }
  }
}

function* findStepsBack(context: RuleContext): Iterable<Finding | null> {
  const { messages, events } = context.memory
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId)) continue
    let before = -1
    for (let position = from; position < to; position += 1) {
      // The record of a compaction has the time of the compaction, whatever the times of the messages around it are.
      if (events.has(position)) continue
      const back =
        before < 0 ? 0 : (messages.createdAtMs[before] as number) - (messages.createdAtMs[position] as number)
      before = position
      if (!(back > DAY_MS)) {
        if (position % 1024 === 0) yield null
        continue
      }
      const days = Math.floor(back / DAY_MS)
      const detail = `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'} before the message that it follows`
      yield { id: context.memory.messageId(position), conversationId, detail }
    }
  }
}

/** Most systems do not record for everything when it was created. */
function* findImpossibleMaking(context: RuleContext): Iterable<Finding> {
  if (!context.system.facts.recordsMaking) return
  yield* findByQuery(context, queries.unmade)
  yield* findByQuery(context, queries.early)
  yield* findByQuery(context, queries.unbegun)
}

const setTimes = recounting({
  name: 'time_range',
  stage: 'time ranges',
  what: 'time range',
  fields: ['earliestAtMs', 'latestAtMs'],
  reads: ['edges', 'summaries', 'times'],
  rule: 'From the first to the last message below.',
})

export const timeRules = [
  {
    id: 'impossible_time',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Every message has a time that can be.',
    explanation:
      'The time of these messages is missing, or cannot be: searching by time and the time axis cannot place them.',
    ...onlyInTranscript('Look at the messages beside it, and at the transcript, for when it was said.'),
    find: findImpossibleTimes,
  },
  {
    id: 'time_range',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The time range of a summary is that of the messages below it.',
    explanation:
      'The stored range begins or ends at another time than the messages do: searching by time misses these summaries or finds them where they do not belong.',
    fixes: [setTimes],
    consequenceOf: [
      'fresh_tail_compacted',
      'double_coverage',
      'orphan_summary',
      'duplicate_edge',
      'impossible_time',
      'cross_conversation_edge',
      'kind_mismatch',
    ],
    find: findWrongRanges,
  },
  {
    id: 'time_range_shifted',
    group: 'content',
    severity: 'info',
    phase: 'structure',
    invariant: 'Time ranges of summaries are in UTC.',
    explanation:
      'This system shifts them by its offset from UTC when it writes. Times are computed from the messages wherever they are shown here.',
    fixes: [setTimes],
    notApplicable: ({ info, system }) => (system.facts.shiftsTimes ? null : `${info.systemLabel} writes them in UTC.`),
    find: findShifts,
  },
  {
    id: 'time_order',
    group: 'content',
    // Imports from forks and resumed sessions keep the order in which the agent wrote.
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
