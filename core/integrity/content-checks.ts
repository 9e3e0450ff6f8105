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
  recordedTokens: /* sql */ `SELECT summary_id, source_token_count FROM summaries`,
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

function* findNotSmaller(context: CheckContext): Iterable<Finding | null> {
  const { db, info } = context
  const { summaries, links, extents, order } = context.facts
  const recorded = new Map(context.db.iterateRaw<[string, number]>(queries.recordedTokens))
  for (const { index, id, conversationId, tokens } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId) || order.isCyclic[index] === 1) continue
    let beneath = 0
    for (const source of links.sources[index] ?? []) beneath += Math.max(0, summaries.at(source).tokens)
    const isLeaf = (links.sources[index]?.length ?? 0) === 0
    // Some systems count more than the messages: what stands around them.
    if (isLeaf) beneath = Math.max(extents.messageTokens[index] as number, recorded.get(id) ?? 0)
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
  for (const { id, conversationId, kind, tokens } of summaries.rows) {
    const detail =
      kind !== 'leaf' && kind !== 'condensed'
        ? `its kind is ${kind}`
        : !(tokens >= 0)
          ? `its number of tokens is ${tokens}`
          : null
    yield detail === null || !isAsked(context, conversationId) ? null : { id, conversationId, detail }
  }
  if (context.info.system !== 'native') yield* findByQuery(context, queries.parts)
}

export const contentChecks: readonly Check[] = [
  {
    id: 'invalid_value',
    group: 'content',
    severity: 'error',
    phase: 'structure',
    invariant: 'Roles, kinds, types and numbers of tokens are possible ones.',
    explanation: 'A value cannot be what it says. Tools that rely on it stop, or treat the row as something else.',
    repairable: false,
    find: findImpossible,
    messageTexts: () => (row) => (row.content === null ? 'it has no text at all' : null),
    summaryTexts: () => (row) => (row.content === null ? 'it has no text at all' : null),
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
      'empty_summary',
      'not_smaller_than_sources',
      'orphan_summary',
      'double_coverage',
      'kind_mismatch',
      'cross_conversation_edge',
      'duplicate_edge',
      'summary_without_source',
    ],
    find: findWrongCounts,
  },
  {
    id: 'not_smaller_than_sources',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A summary has fewer tokens than what it was made from.',
    explanation: 'Compaction made the window larger here instead of smaller.',
    repairable: true,
    consequenceOf: ['token_drift', 'dangling_edge', 'duplicate_edge'],
    notApplicable: ({ info }) =>
      info.capabilities.freeSummaries ? `${info.systemLabel} lists what it summarises instead of shortening it.` : null,
    find: findNotSmaller,
  },
]
