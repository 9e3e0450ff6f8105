import type { ReadDb } from '../db/read-db.ts'

const queries = {
  summaries: `
    SELECT summary_id AS id, conversation_id AS conversationId, kind, depth
    FROM summaries
    WHERE :conversation IS NULL OR conversation_id = :conversation`,
  sources: `
    SELECT e.summary_id AS summaryId, e.source_summary_id AS sourceId
    FROM summary_sources AS e
    ORDER BY e.summary_id, e.ordinal`,
  leafRanges: `
    SELECT e.summary_id AS id, min(m.seq) AS firstSeq, max(m.seq) AS lastSeq, count(*) AS messages,
      min(m.created_at) AS earliestAtMs, max(m.created_at) AS latestAtMs, sum(m.token_count) AS tokens
    FROM summary_messages AS e
    JOIN messages AS m ON m.message_id = e.message_id
    GROUP BY e.summary_id`,
  inContext: `
    SELECT summary_id FROM context_items WHERE item_type = 'summary' AND summary_id IS NOT NULL`,
}

export type SummaryFacts = {
  readonly id: string
  readonly conversationId: number
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number
}
export type Range = {
  firstSeq: number
  lastSeq: number
  messages: number
  earliestAtMs: number
  latestAtMs: number
  tokens: number
}

/** The summary DAG in memory, for the questions that SQL answers badly: cycles, order, ranges through many levels. */
export class DagFacts {
  readonly summaries: ReadonlyMap<string, SummaryFacts>
  /** Sources of each summary in ordinal order, as stored: dangling ids included. */
  readonly sources: ReadonlyMap<string, readonly string[]>
  readonly dependents: ReadonlyMap<string, readonly string[]>
  readonly inContext: ReadonlySet<string>
  /** Summaries that reach themselves through sources. */
  readonly cyclic: ReadonlySet<string>
  /** What each summary stands for, through all its sources; absent when it reaches no message. */
  readonly ranges: ReadonlyMap<string, Range>

  constructor(db: ReadDb, conversationId: number | null) {
    const rows = db.all<SummaryFacts>(queries.summaries, { conversation: conversationId })
    this.summaries = new Map(rows.map((row) => [row.id, row]))
    const sources = new Map<string, string[]>()
    const dependents = new Map<string, string[]>()
    for (const { summaryId, sourceId } of db.iterate<{ summaryId: string; sourceId: string }>(queries.sources)) {
      push(sources, summaryId, sourceId)
      push(dependents, sourceId, summaryId)
    }
    this.sources = sources
    this.dependents = dependents
    this.inContext = new Set(db.column<string>(queries.inContext))
    this.cyclic = findCyclic(this.summaries, sources, dependents)
    const leaves = new Map(db.all<Range & { id: string }>(queries.leafRanges).map((row) => [row.id, row]))
    this.ranges = this.#propagate(leaves)
  }

  /** Every summary reachable from `id` through `next`, without `id` itself unless it lies on a cycle. */
  reach(id: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
    const seen = new Set<string>()
    const open = [...(next.get(id) ?? [])]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      open.push(...(next.get(at) ?? []))
    }
    return seen
  }

  /** From the leaves up, in topological order; nodes on cycles keep what their own messages give. */
  #propagate(leaves: ReadonlyMap<string, Range>): Map<string, Range> {
    const ranges = new Map<string, Range>()
    const missing = new Map<string, number>()
    const ready: string[] = []
    for (const id of this.summaries.keys()) {
      const open = (this.sources.get(id) ?? []).filter((source) => this.summaries.has(source)).length
      missing.set(id, open)
      if (open === 0) ready.push(id)
    }
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      const own = leaves.get(id)
      const below = (this.sources.get(id) ?? [])
        .map((source) => ranges.get(source))
        .filter((range) => range !== undefined)
      const merged = merge(own ? [own, ...below] : below)
      if (merged) ranges.set(id, merged)
      for (const dependent of this.dependents.get(id) ?? []) {
        const left = (missing.get(dependent) ?? 0) - 1
        missing.set(dependent, left)
        if (left === 0) ready.push(dependent)
      }
    }
    return ranges
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function merge(ranges: readonly Range[]): Range | undefined {
  if (ranges.length === 0) return undefined
  return {
    firstSeq: Math.min(...ranges.map((range) => range.firstSeq)),
    lastSeq: Math.max(...ranges.map((range) => range.lastSeq)),
    earliestAtMs: Math.min(...ranges.map((range) => range.earliestAtMs)),
    latestAtMs: Math.max(...ranges.map((range) => range.latestAtMs)),
    messages: ranges.reduce((sum, range) => sum + range.messages, 0),
    tokens: ranges.reduce((sum, range) => sum + range.tokens, 0),
  }
}

/** Peels nodes without open sources, then nodes without open dependents: what stays lies on a cycle or between cycles. */
function findCyclic(
  summaries: ReadonlyMap<string, SummaryFacts>,
  sources: ReadonlyMap<string, readonly string[]>,
  dependents: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const left = new Set(summaries.keys())
  const peel = (down: ReadonlyMap<string, readonly string[]>, up: ReadonlyMap<string, readonly string[]>): void => {
    const open = new Map([...left].map((id) => [id, (down.get(id) ?? []).filter((other) => left.has(other)).length]))
    const ready = [...left].filter((id) => open.get(id) === 0)
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      left.delete(id)
      for (const other of up.get(id) ?? []) {
        if (!left.has(other)) continue
        const now = (open.get(other) ?? 0) - 1
        open.set(other, now)
        if (now === 0) ready.push(other)
      }
    }
  }
  peel(sources, dependents)
  peel(dependents, sources)
  return left
}
