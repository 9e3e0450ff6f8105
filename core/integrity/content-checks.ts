import { type Check, type CheckContext, type Finding, findByQuery, isAsked } from './check.ts'
import { NO_ROLE } from './message-columns.ts'

const queries = {
  // A compaction that was imported with its transcript replaced messages that nobody summarised alone: the node between
  // is a short note, but the log says what went out.
  replacedMore: /* sql */ `
    SELECT 1 FROM compaction_events AS e JOIN compaction_runs AS r ON r.run_id = e.run_id
    WHERE e.summary_id = :id AND r.owner = 'import' AND e.source_tokens > CAST(:tokens AS INTEGER)`,
  sourceTokens: /* sql */ `
    SELECT summary_id AS id, source_token_count AS stored FROM summaries`,
  storedTokens: /* sql */ `
    SELECT summary_id AS id, descendant_token_count AS descendantTokens, source_message_token_count AS messageTokens
    FROM main.summaries`,
  parts: /* sql */ `
    SELECT 'msg_' || p.message_id AS id, m.conversation_id AS conversationId,
      'its part ' || p.ordinal || ' is of the unknown type ' || coalesce(p.part_type, 'NULL') AS detail
    FROM message_parts AS p LEFT JOIN messages AS m ON m.message_id = p.message_id
    WHERE p.part_type IS NULL OR p.part_type NOT IN ('text', 'reasoning', 'tool', 'patch', 'file', 'subtask', 'compaction',
      'step_start', 'step_finish', 'snapshot', 'agent', 'retry')`,
}

/** Numbers that a system stores for each summary, and what the links give. */
type Numbers = { readonly name: string; readonly stored: ReadonlyMap<string, number>; readonly counted: Float64Array }

function storedNumbers(context: CheckContext): Numbers[] {
  const { db, info, probe, facts } = context
  const { extents, summaries } = facts
  const numbers: Numbers[] = []
  const add = (name: string, stored: ReadonlyMap<string, number>, counted: Float64Array): void => {
    // Files that were brought up to date may have zeros everywhere.
    if ([...stored.values()].some((value) => value !== 0)) numbers.push({ name, stored, counted })
  }
  if (info.system === 'native' || probe.has('summaries', 'descendant_count')) {
    add('descendants', new Map(summaries.rows.map((row) => [row.id, row.descendants])), extents.descendants)
  }
  if (info.system === 'native') {
    const rows = db.all<{ id: string; stored: number }>(queries.sourceTokens)
    add('tokens of messages', new Map(rows.map((row) => [row.id, row.stored])), extents.messageTokens)
  } else if (
    probe.has('summaries', 'descendant_token_count') &&
    probe.has('summaries', 'source_message_token_count') &&
    probe.has('summaries', 'summary_id')
  ) {
    type Row = { id: string; descendantTokens: number; messageTokens: number }
    const rows = db.all<Row>(queries.storedTokens)
    add('tokens of descendants', new Map(rows.map((row) => [row.id, row.descendantTokens])), extents.descendantTokens)
    add('tokens of messages', new Map(rows.map((row) => [row.id, row.messageTokens])), extents.messageTokens)
  }
  return numbers
}

function* findWrongCounts(context: CheckContext): Iterable<Finding | null> {
  const { summaries, extents } = context.facts
  for (const { name, stored, counted } of storedNumbers(context)) {
    for (const { index, id, conversationId } of summaries.rows) {
      const value = stored.get(id)
      const isRight = value === undefined || extents.isWhole[index] === 0 || value === counted[index]
      yield isRight || !isAsked(context, conversationId)
        ? null
        : { id, conversationId, detail: `stores ${value} ${name}, its sources give ${counted[index]}` }
    }
  }
}

type Shift = { readonly fromMs: number; readonly toMs: number }

/** How far the stored range is off at both ends; null where there is nothing to compare or nothing is wrong. */
function shiftOf(context: CheckContext, index: number): Shift | 'missing' | 'inverted' | null {
  const { summaries, extents } = context.facts
  const { earliestAtMs, latestAtMs } = summaries.at(index)
  if (earliestAtMs !== null && latestAtMs !== null && earliestAtMs > latestAtMs) return 'inverted'
  const from = extents.earliestAtMs[index] as number
  const to = extents.latestAtMs[index] as number
  if (extents.isWhole[index] === 0 || Number.isNaN(from)) return null
  if (earliestAtMs === null || latestAtMs === null) return 'missing'
  const shift = { fromMs: earliestAtMs - from, toMs: latestAtMs - to }
  // Some systems keep whole seconds or floating ones.
  return Math.abs(shift.fromMs) < 1000 && Math.abs(shift.toMs) < 1000 ? null : shift
}

const QUARTER_HOUR_MS = 900_000
/** Offsets from UTC lie between −12 and +14 hours. */
const LARGEST_OFFSET_MS = 14 * 3_600_000

function isOffset(shift: ReturnType<typeof shiftOf>): shift is Shift {
  if (shift === null || typeof shift === 'string') return false
  const { fromMs, toMs } = shift
  const near = Math.round(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS
  return (
    near !== 0 && Math.abs(near) <= LARGEST_OFFSET_MS && Math.abs(fromMs - near) < 1000 && Math.abs(toMs - near) < 1000
  )
}

function hasTimeRanges({ facts }: CheckContext): boolean {
  return facts.summaries.rows.some((row) => row.earliestAtMs !== null || row.latestAtMs !== null)
}

function* findWrongRanges(context: CheckContext): Iterable<Finding | null> {
  const { rows } = context.facts.summaries
  if (!hasTimeRanges(context)) return
  for (const { index, id, conversationId } of rows) {
    const shift = shiftOf(context, index)
    if (shift === null || !isAsked(context, conversationId) || (context.dialect.shiftsTimes && isOffset(shift)))
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

function* findShifts(context: CheckContext): Iterable<Finding | null> {
  for (const { index, id, conversationId } of context.facts.summaries.rows) {
    const shift = shiftOf(context, index)
    if (!isOffset(shift) || !isAsked(context, conversationId)) yield null
    else {
      const hours = Math.round(shift.fromMs / QUARTER_HOUR_MS) / 4
      yield { id, conversationId, detail: `shifted by ${hours > 0 ? '+' : '−'}${Math.abs(hours)} h` }
    }
  }
}

function* findNotSmaller(context: CheckContext): Iterable<Finding | null> {
  const { db, info } = context
  const { summaries, links, extents } = context.facts
  for (const { index, id, conversationId, tokens } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId)) continue
    let beneath = 0
    for (const source of links.sources[index] ?? []) beneath += Math.max(0, summaries.at(source).tokens)
    const isLeaf = (links.sources[index]?.length ?? 0) === 0
    if (isLeaf) beneath = extents.messageTokens[index] as number
    if (beneath > 0 && tokens >= beneath) {
      if (info.system === 'native' && db.value(queries.replacedMore, { id, tokens }) !== undefined) continue
      const what = isLeaf ? 'messages' : 'summaries'
      yield { id, conversationId, detail: `${tokens} tokens for ${beneath} tokens of ${what}` }
    }
  }
}

function* findImpossible(context: CheckContext): Iterable<Finding | null> {
  const { messages, summaries } = context.facts
  for (let place = 0; place < messages.length; place += 1) {
    const tokens = messages.tokens[place] as number
    const seq = messages.seqs[place] as number
    const detail =
      messages.roles[place] === NO_ROLE
        ? 'its role is none of the known ones'
        : !(tokens >= 0)
          ? `its number of tokens is ${Number.isNaN(tokens) ? 'no number' : tokens}`
          : !(seq >= 0)
            ? 'its place in the sequence is no number'
            : null
    if (detail === null) {
      if (place % 1024 === 0) yield null
      continue
    }
    const conversationId = context.facts.messageConversation(place)
    if (isAsked(context, conversationId)) yield { id: context.facts.messageId(place), conversationId, detail }
  }
  for (const { id, conversationId, kind, depth, tokens } of summaries.rows) {
    const detail =
      kind !== 'leaf' && kind !== 'condensed'
        ? `its kind is ${kind}`
        : !(depth >= 0)
          ? `its depth is ${depth}`
          : !(tokens >= 0)
            ? `its number of tokens is ${tokens}`
            : null
    yield detail === null || !isAsked(context, conversationId) ? null : { id, conversationId, detail }
  }
  if (context.info.system !== 'native') yield* findByQuery(context, queries.parts)
}

/** Nobody kept a memory before. */
const FIRST_MS = Date.UTC(2000, 0)
const DAY_MS = 86_400_000

function* findImpossibleTimes(context: CheckContext): Iterable<Finding | null> {
  const { messages } = context.facts
  const latest = Math.max(context.clock(), Date.now()) + DAY_MS
  const hasTimes = messages.atMs.subarray(0, messages.length).some((at) => !Number.isNaN(at))
  if (!hasTimes) return
  for (let place = 0; place < messages.length; place += 1) {
    const at = messages.atMs[place] as number
    if (at >= FIRST_MS && at <= latest) {
      if (place % 1024 === 0) yield null
      continue
    }
    const conversationId = context.facts.messageConversation(place)
    if (!isAsked(context, conversationId)) continue
    const detail = Number.isNaN(at)
      ? 'its time cannot be read'
      : at < FIRST_MS
        ? 'before the year 2000'
        : 'in the future'
    yield { id: context.facts.messageId(place), conversationId, detail }
  }
}

function* findSequence(context: CheckContext, isWanted: 'gap' | 'duplicate' | 'pruned'): Iterable<Finding | null> {
  const { messages } = context.facts
  const { sequence } = context.dialect
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId)) continue
    for (let place = from + 1; place < to; place += 1) {
      const step = (messages.seqs[place] as number) - (messages.seqs[place - 1] as number)
      const kind =
        step === 0 ? 'duplicate' : step > 1 ? (sequence === 'pruned' && step <= MAX_PRUNED ? 'pruned' : 'gap') : null
      if (kind !== isWanted || (sequence === 'free' && kind === 'gap')) {
        if (place % 1024 === 0) yield null
        continue
      }
      const seq = messages.seqs[place]
      const detail = kind === 'duplicate' ? `number ${seq} a second time` : `${step - 1} numbers missing before ${seq}`
      yield { id: context.facts.messageId(place), conversationId, detail }
    }
  }
}

/** A turn that a system takes out by itself (a heartbeat without an answer) has few messages. */
const MAX_PRUNED = 16

export const findPrunedMessages = (context: CheckContext): Iterable<Finding | null> => findSequence(context, 'pruned')

export const contentChecks: readonly Check[] = [
  {
    id: 'invalid_value',
    group: 'content',
    severity: 'error',
    phase: 'structure',
    invariant: 'Roles, kinds, depths, types and numbers of tokens are possible ones.',
    explanation: 'A value cannot be what it says. Tools that rely on it stop, or treat the row as something else.',
    repairable: false,
    find: findImpossible,
    messageTexts: () => (row) => (row.content === null ? 'it has no text at all' : null),
    summaryTexts: () => (row) => (row.content === null ? 'it has no text at all' : null),
  },
  {
    id: 'impossible_time',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Every message has a time that can be: after 1999 and not in the future.',
    explanation: 'Searching by time and the time axis cannot place these messages.',
    repairable: false,
    find: findImpossibleTimes,
  },
  {
    id: 'sequence_duplicate',
    group: 'content',
    severity: 'error',
    phase: 'structure',
    invariant: 'No two messages of a conversation have the same number in its sequence.',
    explanation: 'The order of these messages is left to chance.',
    repairable: false,
    find: (context) => findSequence(context, 'duplicate'),
  },
  {
    id: 'sequence_gap',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The messages of a conversation are numbered without gaps.',
    explanation: 'Messages that were there once are gone, or were numbered anew by something else than their system.',
    repairable: false,
    consequenceOf: ['dangling_edge', 'dangling_item'],
    find: (context) => findSequence(context, 'gap'),
  },
  {
    id: 'descendant_count',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The stored numbers of descendants and of tokens beneath a summary are those that its sources give.',
    explanation: 'Views and agents are told a wrong size of what a summary stands for.',
    repairable: true,
    consequenceOf: [
      'token_drift',
      'invalid_value',
      'double_coverage',
      'kind_mismatch',
      'cross_conversation_edge',
      'duplicate_edge',
      'summary_without_source',
    ],
    find: findWrongCounts,
  },
  {
    id: 'time_range',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The time range of a summary is that of the messages beneath it.',
    explanation: 'Searching by time misses these summaries or finds them where they do not belong.',
    repairable: true,
    consequenceOf: ['double_coverage', 'impossible_time', 'cross_conversation_edge', 'kind_mismatch'],
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
    repairable: true,
    notApplicable: ({ info, dialect }) => (dialect.shiftsTimes ? null : `${info.systemLabel} writes them in UTC.`),
    find: findShifts,
  },
  {
    id: 'not_smaller_than_sources',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A summary has fewer tokens than what it was made from.',
    explanation: 'Compaction made the window larger here instead of smaller.',
    repairable: false,
    consequenceOf: ['token_drift', 'dangling_edge', 'duplicate_edge'],
    find: findNotSmaller,
  },
]
