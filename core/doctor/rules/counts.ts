import type { Memory } from '#core/memory/memory.ts'
import { isNative } from '#core/systems/native/native.ts'
import { rewriting } from '#core/systems/rules/rewriting.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { tokensOfSources } from '../surgery/rewrite.ts'
import { recounting } from './recounting.ts'

const queries = {
  // A compaction that was imported with its transcript replaced more messages than its summary covers: the node is a
  // short note, and the log names the replaced range.
  replacedMore: /* sql */ `
    SELECT 1 FROM compaction_events AS e JOIN compaction_runs AS r ON r.run_id = e.run_id
    WHERE e.summary_id = :id AND r.owner = 'import' AND e.source_tokens > CAST(:tokens AS INTEGER)`,
}

/** The numbers that a system stores with each summary, and those that follow from the links. */
type Numbers = { readonly name: string; readonly stored: ReadonlyMap<string, number>; readonly counted: Float64Array }

function storedNumbers(context: RuleContext): Numbers[] {
  const { db, info, probe, memory, system } = context
  const { extents, summaries } = memory
  const { tokenSums } = system.facts
  const numbers: Numbers[] = []
  const add = (name: string, stored: ReadonlyMap<string, number>, counted: Float64Array): void => {
    // Migrated files may have zeros everywhere.
    if ([...stored.values()].some((value) => value !== 0)) numbers.push({ name, stored, counted })
  }
  if (isNative(info) || probe.has('summaries', 'descendant_count')) {
    add('descendants', new Map(summaries.rows.map((row) => [row.id, row.descendants ?? 0])), extents.descendants)
  }
  if (isNative(info)) {
    add(
      'tokens of messages',
      new Map(summaries.rows.map((row) => [row.id, row.recordedTokens ?? 0])),
      extents.messageTokens,
    )
  } else if (tokenSums?.needs.every(([table, column]) => probe.has(table, column))) {
    type Row = { id: string; descendantTokens: number; messageTokens: number }
    const rows = db.all<Row>(tokenSums.sql)
    add('tokens of descendants', new Map(rows.map((row) => [row.id, row.descendantTokens])), extents.descendantTokens)
    add('tokens of messages', new Map(rows.map((row) => [row.id, row.messageTokens])), extents.messageTokens)
  }
  return numbers
}

function* findWrongCounts(context: RuleContext): Iterable<Finding | null> {
  const { summaries, extents } = context.memory
  for (const { name, stored, counted } of storedNumbers(context)) {
    for (const { index, id, conversationId } of summaries.rows) {
      const value = stored.get(id)
      const isRight = value === undefined || extents.isWhole[index] === 0 || value === counted[index]
      yield isRight || !isAsked(context, conversationId)
        ? null
        : {
            id,
            conversationId,
            detail: `stores ${Number.isSafeInteger(value) ? value : 'a number beyond 2⁵³ of'} ${name}, its sources give ${counted[index]}`,
            mark: `${name} ${value} ${counted[index]}`,
          }
    }
  }
}

function* findWrongCountsInCycles(context: RuleContext): Iterable<Finding | null> {
  const { info, probe, memory } = context
  if (!isNative(info) && !probe.has('summaries', 'descendant_count')) return
  for (const [index, { least, most }] of countsInCycles(memory)) {
    const { id, conversationId, descendants: stored } = memory.summaries.at(index)
    const descendants = stored ?? 0
    const isPossible = descendants >= least && descendants <= most
    const range = least === most ? `${least}` : `between ${least} and ${most}`
    const detail = `stores ${descendants} descendants; it stands in a circle, and without it there are ${range}`
    yield isPossible || !isAsked(context, conversationId)
      ? null
      : { id, conversationId, detail, mark: `circle ${descendants} ${least} ${most}` }
  }
}

function* findNotSmaller(context: RuleContext): Iterable<Finding | null> {
  const { db, info } = context
  const { summaries, links, extents, order } = context.memory
  for (const { index, id, conversationId, tokens, recordedTokens } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId) || order.onCycle[index] === 1) continue
    let sourceTokens = 0
    for (const source of links.sources[index] ?? []) sourceTokens += Math.max(0, summaries.at(source).tokens)
    const isLeaf = (links.sources[index]?.length ?? 0) === 0
    // Some systems also count the text that they put around messages.
    if (isLeaf) sourceTokens = Math.max(extents.messageTokens[index] as number, recordedTokens ?? 0)
    if (sourceTokens > 0 && tokens >= sourceTokens) {
      if (isNative(info) && db.value(queries.replacedMore, { id, tokens }) !== undefined) continue
      const what = isLeaf ? 'messages' : 'summaries'
      const detail = `${tokens} tokens for ${sourceTokens} tokens of ${what}`
      yield { id, conversationId, detail, mark: `${tokens} ${sourceTokens}` }
    }
  }
}

const setDescendants = recounting({
  name: 'descendant_count',
  stage: 'descendants',
  what: 'descendants',
  fields: ['descendants', 'sourceTokens'],
  reads: ['edges', 'kind', 'summaries', 'descendants', 'sourceTokens', 'tokens'],
  rule: 'The sum over the sources of their own count and one, and the tokens of the messages below, from the first summaries up.',
})

const rewriteLong = rewriting({
  name: 'not_smaller_than_sources',
  stage: 'long summaries',
  what: 'it is not smaller than what it stands for',
  isStill: ({ draft }, id) => (draft.summaries.get(id)?.tokens ?? 0) >= tokensOfSources(draft, id),
})

export const countRules = [
  {
    id: 'descendant_count',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The stored numbers of descendants and of tokens below a summary are those that its sources give.',
    explanation:
      'The stored number is not what the sources add up to: views and agents are told a wrong size of what a summary stands for.',
    fixes: [setDescendants],
    consequenceOf: [
      'fresh_tail_compacted',
      'token_drift',
      'invalid_value',
      'empty_summary',
      'not_smaller_than_sources',
      'orphan_summary',
      'source_gap',
      'double_coverage',
      'kind_mismatch',
      'cross_conversation_edge',
      'duplicate_edge',
      'summary_without_source',
    ],
    find: function* (context) {
      yield* findWrongCounts(context)
      yield* findWrongCountsInCycles(context)
    },
  },
  {
    id: 'not_smaller_than_sources',
    group: 'content',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A summary has fewer tokens than what it was made from.',
    explanation:
      'The summary is as long as its sources, or longer: compaction made the window larger here, not smaller.',
    fixes: [rewriteLong],
    consequenceOf: ['token_drift', 'dangling_edge', 'duplicate_edge'],
    notApplicable: ({ info }) =>
      info.capabilities.freeSummaries ? `${info.systemLabel} lists what it summarises instead of shortening it.` : null,
    find: findNotSmaller,
  },
] as const satisfies readonly Rule[]

/** The range of a number, with both ends. */
type Bounds = { readonly least: number; readonly most: number }

/**
 * Returns how many descendants the summaries on a cycle can have. No number is right while the cycle exists, because
 * each would have to be larger than itself. Whichever links of the cycle are wrong, a summary has at least the
 * descendants of its other sources, and at most every descendant of the cycle once.
 */
function countsInCycles({ summaries, links, order, extents }: Memory): Map<number, Bounds> {
  const bounds = new Map<number, Bounds>()
  const seen = new Set<number>()
  const sourcesOf = (summary: number): readonly number[] => links.sources[summary] ?? []
  const isCyclic = (summary: number): boolean => order.onCycle[summary] === 1
  for (let start = 0; start < summaries.length; start += 1) {
    if (!isCyclic(start) || seen.has(start)) continue
    const circle = reached(start, (at) => sourcesOf(at).filter(isCyclic))
    const back = reached(start, (at) => (links.dependents[at] ?? []).filter(isCyclic))
    const members = circle.intersection(back)
    for (const member of members) seen.add(member)
    const outside = (member: number): readonly number[] => sourcesOf(member).filter((source) => !members.has(source))
    // A count that depends on another cycle or on a broken link is not certain.
    const isKnown = [...members].every((member) => outside(member).every((source) => extents.isWhole[source] === 1))
    if (!isKnown) continue
    const least = (member: number): number =>
      outside(member).reduce((sum, source) => sum + 1 + (extents.descendants[source] as number), 0)
    const most = [...members].reduce((sum, member) => sum + 1 + least(member), 0) - 1
    for (const member of members) bounds.set(member, { least: least(member), most })
  }
  return bounds
}

function reached(start: number, next: (at: number) => readonly number[]): Set<number> {
  const found = new Set([start])
  for (const at of found) for (const other of next(at)) found.add(other)
  return found
}
