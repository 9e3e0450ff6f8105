import type { Strata, StrataAxis, StrataMessages } from '../contract/strata.ts'
import { firstAbove, type Messages } from '../memory/messages.ts'
import { IN_WINDOW, type SummaryGraph } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { type Axis, axisOf, nodeRange } from './strata-axis.ts'
import { type MarkRules, marksOf } from './strata-marks.ts'
import { type BucketedRange, messageColumns } from './strata-messages.ts'
import { ticksOf } from './strata-ticks.ts'
import { windowRuns } from './strata-window.ts'

/** Entries of a window of which it is shown what is left out. */
const MOST_ENTRIES = 50_000

const EVERYTHING: MarkRules = { overlaps: true, unshown: true }

const queries = {
  archivedAt: /* sql */ `SELECT archived_at FROM conversations WHERE conversation_id = :conversation`,
  runs: /* sql */ `
    SELECT
      r.run_id AS runId,
      r.started_at AS atMs,
      (SELECT max(e.newest_seq) FROM compaction_events AS e WHERE e.run_id = r.run_id) AS newestSeq
    FROM compaction_runs AS r
    WHERE r.conversation_id = :conversation
    ORDER BY r.started_at, r.run_id`,
}

/** A conversation as layers over its history: the whole of its summaries, and its messages a range at a time. */
export class StrataService {
  readonly #db: ReadDb
  readonly #histories: HistoryIndex
  readonly #freshTailCount: number
  readonly #rules: MarkRules
  readonly #leftOutOf: (conversationId: number) => ReadonlySet<string>
  readonly #axes = new WeakMap<Messages, Map<StrataAxis, Axis>>()

  /**
   * @param freshTailCount newest raw messages that are never compacted
   * @param leftOut ids of the active items of a conversation that do not go to the model
   */
  constructor(
    db: ReadDb,
    histories: HistoryIndex,
    freshTailCount: number,
    rules: MarkRules = EVERYTHING,
    leftOut: (conversationId: number) => ReadonlySet<string> = () => new Set(),
  ) {
    this.#db = db
    this.#histories = histories
    this.#freshTailCount = freshTailCount
    this.#rules = rules
    this.#leftOutOf = leftOut
  }

  /**
   * Everything of the strata but the messages.
   * @throws LcmError not_found
   */
  get(input: {
    readonly conversationId: number
    readonly axis: StrataAxis
    readonly freshTailCount?: number | undefined
  }): Strata {
    return readSnapshot(this.#db, () => {
      const graph = this.#histories.graph(input.conversationId)
      const { history } = graph
      const axis = this.#axis(history, input.axis)
      const tail = freshTail(graph, input.freshTailCount ?? this.#freshTailCount)
      return {
        conversationId: input.conversationId,
        axis: input.axis,
        extent: axis.extent,
        originMs: axis.originMs,
        totalMessages: history.length,
        totalTokens: history.totalTokens,
        maxDepth: graph.nodes.reduce(
          (depth, node) => (node.kind === 'missing' ? depth : Math.max(depth, node.depth)),
          -1,
        ),
        summaries: summaryColumns(graph, axis),
        window: windowRuns(graph, axis, this.#leftOut(graph)),
        freshTailX: tail === history.length ? axis.extent : axis.startOf(tail),
        marks: marksOf(graph, axis, this.#rules, this.#isArchived(input.conversationId)),
        runs: this.#runs(history, axis),
        ticks: ticksOf(history, axis),
      }
    })
  }

  /**
   * The messages of a range, merged into columns; one that reaches into the range belongs to it.
   * @throws LcmError not_found
   */
  messages(input: BucketedRange & { readonly conversationId: number; readonly axis: StrataAxis }): StrataMessages {
    return readSnapshot(this.#db, () => {
      const graph = this.#histories.graph(input.conversationId)
      return messageColumns(graph, this.#axis(graph.history, input.axis), input)
    })
  }

  /** A very large window is not put together for it: it takes longer than whoever opens a file should wait. */
  #leftOut({ window, history }: SummaryGraph): ReadonlySet<string> {
    return window.length > MOST_ENTRIES ? new Set() : this.#leftOutOf(history.conversationId)
  }

  #isArchived(conversation: number): boolean {
    return (this.#db.value<number>(queries.archivedAt, { conversation }) ?? null) !== null
  }

  #axis(history: Messages, kind: StrataAxis): Axis {
    const axes = this.#axes.get(history) ?? new Map<StrataAxis, Axis>()
    this.#axes.set(history, axes)
    const axis = axes.get(kind) ?? axisOf(history, kind)
    axes.set(kind, axis)
    return axis
  }

  #runs(history: Messages, axis: Axis): Strata['runs'] {
    return this.#db
      .all<{ runId: string; atMs: number; newestSeq: number | null }>(queries.runs, {
        conversation: history.conversationId,
      })
      .map(({ runId, atMs, newestSeq }) => {
        // Imported messages bear the times of their agent, a run that of this machine.
        const present = newestSeq === null ? history.positionAtTime(atMs + 1) : firstAbove(history.seqs, newestSeq)
        return { x: present === 0 ? 0 : axis.endOf(present - 1), runId, atMs }
      })
  }
}

/** Position of the first of the newest `count` messages of the window: a message that is compacted is in no tail. */
function freshTail({ history, window }: SummaryGraph, count: number): number {
  let first = history.length
  let left = count
  for (let index = window.length - 1; index >= 0 && left > 0; index -= 1) {
    const position = window[index]?.position ?? -1
    if (position < 0) continue
    first = Math.min(first, position)
    left -= 1
  }
  return first
}

function summaryColumns(graph: SummaryGraph, axis: Axis): Strata['summaries'] {
  const own = graph.nodes
    .map((node, index) => ({ node, index, range: nodeRange(graph, node, axis) }))
    .filter(({ node }) => node.kind !== 'missing' && node.conversationId === graph.history.conversationId)
    .sort((a, b) => a.node.depth - b.node.depth || a.range[0] - b.range[0] || a.range[1] - b.range[1])
  return {
    id: own.map(({ node }) => node.id),
    depth: own.map(({ node }) => node.depth),
    x0: own.map(({ range }) => range[0]),
    x1: own.map(({ range }) => range[1]),
    tokens: own.map(({ node }) => node.tokens),
    sourceTokens: own.map(({ node }) => graph.messageTokens(node)),
    messages: own.map(({ node }) => graph.messageCount(node)),
    createdAtMs: own.map(({ node }) => node.createdAtMs),
    level: own.map(({ node }) => node.level),
    inWindow: own.map(({ index }) => (graph.nodeStates[index] === IN_WINDOW ? 1 : 0)),
  }
}
