import type { Sample } from '#core/contract/integrity.ts'
import { ROLES } from '#core/contract/lists.ts'
import { isNative } from '#core/systems/native/native.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'

const queries = {
  /** Selects calls and results of the messages in a window. Usually there are few. */
  inWindows: /* sql */ `
    SELECT c.message_id, p.tool_call_id
    FROM context_items AS c
    JOIN message_parts AS p ON p.message_id = c.message_id
    WHERE c.message_id IS NOT NULL AND p.tool_call_id IS NOT NULL
      AND (:conversation IS NULL OR c.conversation_id = :conversation)
    ORDER BY c.conversation_id, c.ordinal, p.ordinal`,
  /** Selects all calls and results from a covering index, which is faster where many messages are in a window. */
  all: /* sql */ `SELECT message_id, tool_call_id FROM message_parts WHERE tool_call_id IS NOT NULL`,
  elsewhere: /* sql */ `
    SELECT p.tool_call_id, p.message_id
    FROM message_parts AS p
    WHERE p.tool_call_id IN (SELECT value FROM json_each(:calls))`,
  halves: /* sql */ `
    SELECT DISTINCT o.message_id
    FROM message_parts AS p
    JOIN message_parts AS o ON o.tool_call_id = p.tool_call_id AND o.message_id <> p.message_id
    JOIN messages AS m ON m.message_id = o.message_id AND m.conversation_id = :conversationId
    WHERE p.message_id = :messageId AND p.tool_call_id IS NOT NULL`,
}

const TOOL = ROLES.indexOf('tool')

const ASSISTANT = ROLES.indexOf('assistant')

/** From this share of messages in windows on, all calls are read from an index. Fewer are looked up one by one. */
const INDEXED_SHARE = 0.2

type Side = { readonly position: number; readonly callId: string }

type Pairs = {
  readonly calls: ReadonlyMap<string, Side>
  readonly results: ReadonlyMap<string, readonly Side[]>
}

const known = new WeakMap<object, Pairs>()

/**
 * Returns calls and results in the windows, by conversation and call id. The id of a call is unique within its
 * conversation.
 */
function* pairsInWindows({ db, info, memory, conversationId: conversation }: RuleContext): Generator<null, Pairs> {
  const before = known.get(memory)
  if (before) return before
  const calls = new Map<string, Side>()
  const results = new Map<string, Side[]>()
  const isIndexed =
    isNative(info) && conversation === null && memory.window.length > INDEXED_SHARE * memory.messages.length
  const rows = isIndexed
    ? db.iterateRows<[number, string]>(queries.all)
    : db.iterateRows<[number, string]>(queries.inWindows, { conversation })
  let count = 0
  for (const [messageId, callId] of rows) {
    count += 1
    if (count % 4096 === 0) yield null
    const position = memory.messages.positionOf(messageId)
    if (position < 0 || memory.window.messageCounts[position] === 0) continue
    const key = keyOf(memory.messageConversation(position), callId)
    if (memory.messages.roles[position] === TOOL) results.set(key, [...(results.get(key) ?? []), { position, callId }])
    else if (memory.messages.roles[position] === ASSISTANT && !calls.has(key)) calls.set(key, { position, callId })
  }
  const pairs = { calls, results }
  known.set(memory, pairs)
  return pairs
}

const keyOf = (conversationId: number, callId: string): string => `${conversationId} ${callId}`

/** Finds results in a window without their call, and calls whose result is elsewhere. */
function* findSplitPairs(context: RuleContext): Iterable<Finding | null> {
  const { memory } = context
  const { calls, results } = yield* pairsInWindows(context)
  const lonely = [...results].flatMap(([key, sides]) => (calls.has(key) ? [] : sides))
  const unanswered = [...calls].flatMap(([key, side]) => (results.has(key) ? [] : [side]))
  const homes = positionsElsewhere(context, [...lonely, ...unanswered])
  for (const { position, callId } of lonely) {
    const conversationId = memory.messageConversation(position)
    const home = homes.calls.get(keyOf(conversationId, callId))
    const where = home === undefined ? 'does not exist' : `is in ${memory.messageId(home)}, which is not in the window`
    const mark = home === undefined ? callId : `${memory.messageId(home)} ${callId}`
    yield { id: memory.messageId(position), conversationId, detail: `the call ${callId} of this result ${where}`, mark }
  }
  for (const { position, callId } of unanswered) {
    const conversationId = memory.messageConversation(position)
    const home = homes.results.get(keyOf(conversationId, callId))
    if (home === undefined) continue
    const detail = `the result of its call ${callId} is in ${memory.messageId(home)}, which is not in the window`
    const mark = `${memory.messageId(home)} ${callId}`
    yield { id: memory.messageId(position), conversationId, detail, mark }
  }
}

/** Returns the positions of the other halves in their conversations. */
function positionsElsewhere({ db, memory }: RuleContext, alone: readonly Side[]) {
  const homes = { calls: new Map<string, number>(), results: new Map<string, number>() }
  if (alone.length === 0) return homes
  const calls = JSON.stringify([...new Set(alone.map(({ callId }) => callId))])
  for (const [callId, messageId] of db.rows<[string, number]>(queries.elsewhere, { calls })) {
    const position = memory.messages.positionOf(messageId)
    if (position < 0) continue
    const key = keyOf(memory.messageConversation(position), callId)
    if (memory.messages.roles[position] === ASSISTANT) homes.calls.set(key, position)
    if (memory.messages.roles[position] === TOOL) homes.results.set(key, position)
  }
  return homes
}

/** Finds calls in a window, before the newest message, that have no result anywhere. */
function* findUnanswered(context: RuleContext): Iterable<Finding | null> {
  const { memory } = context
  const { calls, results } = yield* pairsInWindows(context)
  // No later message will answer these calls.
  known.delete(memory)
  const newest = new Map(memory.messages.ranges.map(({ conversationId, to }) => [conversationId, to - 1]))
  const unanswered = [...calls].flatMap(([key, side]) => (results.has(key) ? [] : [side]))
  const homes = positionsElsewhere(context, unanswered)
  for (const { position, callId } of unanswered) {
    const conversationId = memory.messageConversation(position)
    const isOpen = position === newest.get(conversationId) || homes.results.has(keyOf(conversationId, callId))
    yield isOpen || !isAsked(context, conversationId)
      ? null
      : { id: memory.messageId(position), conversationId, detail: `the call ${callId} has no result` }
  }
}

/**
 * True when, in this state of the windows, the half that was found alone is there with its other half, or not at all.
 */
function isPaired({ id, conversationId }: Sample, draft: FileDraft): boolean {
  const messageId = messageNumber(id ?? '')
  if (messageId === null || conversationId === null) return false
  const shown = shownIn(draft, conversationId)
  return !shown.has(messageId) || otherHalves(draft, conversationId, messageId).some((half) => shown.has(half))
}

/** Returns those messages whose calls and results have another half in the file, and none in this state of the window. */
export function halvesAlone(draft: FileDraft, conversationId: number, messageIds: readonly number[]): number[] {
  const shown = shownIn(draft, conversationId)
  return messageIds.filter((messageId) => {
    const halves = otherHalves(draft, conversationId, messageId)
    return halves.length > 0 && !halves.some((half) => shown.has(half))
  })
}

const shownIn = (draft: FileDraft, conversationId: number): ReadonlySet<number | null> =>
  new Set(draft.window(conversationId).map((entry) => entry.messageId))

const otherHalves = (draft: FileDraft, conversationId: number, messageId: number): number[] =>
  draft.db.column<number>(queries.halves, { messageId, conversationId })

export const toolPairRules = [
  {
    id: 'tool_pair_split',
    group: 'context',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A tool call and its result are in the window together, or neither is.',
    explanation:
      'Providers refuse a result without its call and a call without its result: one is dropped or made up, or the request fails.',
    settledAlong: { reads: ['window'], isGone: isPaired },
    givesWayToErrors: true,
    advice:
      'Dissolve the summary that covers the other half. A half that stands alone is left out when the window is sent.',
    consequenceOf: ['dangling_item', 'coverage_gap', 'fresh_tail_compacted', 'invalid_value', 'tool_call_repeated'],
    notApplicable: ({ info, system }) =>
      !info.capabilities.parts
        ? `${info.systemLabel} stores no tool calls.`
        : system.facts.hidesMessages
          ? `${info.systemLabel} does not store what the model sees beside its summaries.`
          : null,
    find: findSplitPairs,
  },
  {
    id: 'tool_call_unanswered',
    group: 'context',
    severity: 'info',
    phase: 'structure',
    invariant: 'A tool call in the window has a result.',
    explanation:
      'An agent that was interrupted leaves calls without a result. Providers ask for one; systems make it up when they send the window.',
    consequenceOf: ['tool_pair_split', 'tool_call_repeated'],
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: findUnanswered,
  },
] as const satisfies readonly Rule[]
