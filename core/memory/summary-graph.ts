import type { LineageOrder } from './lineage-order.ts'
import type { Messages } from './messages.ts'
import { NO_POSITIONS, type PositionRanges, positionCount } from './position-ranges.ts'

/** How a message or summary relates to the window; the higher, the nearer. */
export const ABSENT = 0
export const COVERED = 1
export const IN_WINDOW = 2
/** Of a message that is no part of the conversation: nothing has to cover it. */
export const EVENT = 3
export const VISIBILITIES = ['absent', 'covered', 'in_window'] as const

/** A summary in memory, without its text. `missing`: named as a source or a dependent, but not in the file. */
export type GraphNode = {
  readonly id: string
  readonly kind: 'leaf' | 'condensed' | 'missing'
  readonly conversationId: number | null
  readonly depth: number
  readonly tokens: number
  readonly createdAtMs: number | null
  /** Index into SummaryLevel.options. */
  readonly level: number
  /** Messages that it names as its sources, there or not. */
  readonly messageEdges: number
  /** This conversation's messages among those that it names, and how many of them are in other conversations. */
  readonly directRanges: PositionRanges
  readonly directStrays: number
  /** Ranks of this conversation's messages that it reaches, through all its sources. */
  readonly ranges: PositionRanges
  /** Messages of other conversations that it reaches (in damaged files); counted once for every way to them. */
  readonly strayMessages: number
}

/** One entry of the window, in order. `position` and `node` are −1 where the item names nothing that is there. */
export type WindowItem = { readonly messageId: number | null; readonly position: number; readonly node: number }

/** The summaries of one conversation, how they rest on each other, what they cover, and the window over them. */
export class SummaryGraph {
  readonly history: Messages
  /** The conversation's own, oldest first; then those that other conversations share with it, then missing ones. */
  readonly nodes: readonly GraphNode[]
  /** Direct sources that are summaries, in order. */
  readonly sources: readonly (readonly number[])[]
  readonly dependents: readonly (readonly number[])[]
  readonly order: LineageOrder
  readonly window: readonly WindowItem[]
  /** ABSENT, COVERED or IN_WINDOW by node. */
  readonly nodeStates: Uint8Array
  /** The same by position of the message, or EVENT. */
  readonly messageStates: Uint8Array
  readonly #indexes: ReadonlyMap<string, number>

  constructor(
    history: Messages,
    parts: Pick<SummaryGraph, 'nodes' | 'sources' | 'dependents' | 'order' | 'window'> & {
      /** Ranks of the messages that are events. */
      readonly events: readonly number[]
    },
    indexes: ReadonlyMap<string, number>,
  ) {
    this.history = history
    this.nodes = parts.nodes
    this.sources = parts.sources
    this.dependents = parts.dependents
    this.order = parts.order
    this.window = parts.window
    this.#indexes = indexes
    this.nodeStates = nodeStates(this)
    this.messageStates = messageStates(this, parts.events)
  }

  /** −1 when the id is not known here. */
  indexOf(summaryId: string): number {
    return this.#indexes.get(summaryId) ?? -1
  }

  /** Messages that a node stands for. */
  messageCount(node: GraphNode): number {
    return positionCount(node.ranges) + node.strayMessages
  }

  /** Tokens of this conversation's messages that a node stands for. */
  messageTokens(node: GraphNode): number {
    const before = this.history.tokensBefore
    let tokens = 0
    for (let i = 0; i < node.ranges.length; i += 2) {
      tokens += (before[node.ranges[i + 1] as number] as number) - (before[node.ranges[i] as number] as number)
    }
    return tokens
  }

  /** Lowest and highest seq of the messages that a node stands for; null when it reaches none. */
  seqSpan(node: GraphNode): { readonly firstSeq: number; readonly lastSeq: number } | null {
    const firstSeq = this.history.seqs[node.ranges[0] ?? -1]
    const lastSeq = this.history.seqs[(node.ranges.at(-1) ?? 0) - 1]
    return firstSeq === undefined || lastSeq === undefined ? null : { firstSeq, lastSeq }
  }
}

function nodeStates(graph: SummaryGraph): Uint8Array {
  const states = new Uint8Array(graph.nodes.length)
  const inWindow = graph.window.map((item) => item.node).filter((node) => node >= 0)
  const pending = [...inWindow]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const source of graph.sources[node] ?? []) {
      if (states[source] !== ABSENT) continue
      states[source] = COVERED
      pending.push(source)
    }
  }
  for (const node of inWindow) states[node] = IN_WINDOW
  return states
}

function messageStates(graph: SummaryGraph, events: readonly number[]): Uint8Array {
  const states = new Uint8Array(graph.history.length)
  for (const position of events) states[position] = EVENT
  for (const { node } of graph.window) {
    if (node < 0) continue
    const ranges = graph.nodes[node]?.ranges ?? NO_POSITIONS
    for (let i = 0; i < ranges.length; i += 2) states.fill(COVERED, ranges[i], ranges[i + 1])
  }
  for (const { position } of graph.window) if (position >= 0) states[position] = IN_WINDOW
  return states
}
