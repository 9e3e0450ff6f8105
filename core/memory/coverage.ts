import { withoutYielding } from '../yielding.ts'
import type { LineageOrder } from './lineage-order.ts'
import type { Links } from './links.ts'
import type { Messages } from './messages.ts'
import { type PositionRanges, positionCount } from './position-ranges.ts'
import { Reach } from './reach.ts'
import type { Summaries } from './summaries.ts'
import type { WindowEntries } from './window-entries.ts'

/** How a message or summary relates to the windows. A higher number means that it is nearer to a window. */
export const ABSENT = 0
export const COVERED = 1
export const IN_WINDOW = 2
/** Only of messages: one that records an event is no part of the conversation, and nothing has to cover it. */
export const EVENT = 3
export const VISIBILITIES = ['absent', 'covered', 'in_window'] as const

/** The parts of a memory from which its coverage is computed. */
export type Covering = {
  readonly messages: Messages
  readonly events: ReadonlySet<number>
  readonly summaries: Summaries
  readonly links: Links
  readonly window: WindowEntries
  readonly order: LineageOrder
}

/**
 * Which messages each summary stands for, and which messages and summaries the windows lead to. A message is covered
 * when a summary in a window reaches it through its sources. Each part is computed when it is first asked for.
 */
export class Coverage {
  readonly #of: Covering
  #reach: Reach | undefined
  #isReached: Uint8Array | undefined
  #nodeStates: Uint8Array | undefined
  #messageStates: Uint8Array | undefined
  #leaves: Leaves | undefined

  constructor(covering: Covering) {
    this.#of = covering
  }

  /**
   * Returns the coverage after messages were appended or the window changed, while summaries and links stayed the same.
   */
  grown(covering: Covering): Coverage {
    const coverage = new Coverage(covering)
    coverage.#reach = this.#reach
    return coverage
  }

  /** Computes what the rules ask for, in pieces of some milliseconds. */
  *deriving(): Generator<void> {
    this.#isReached ??= reachedByWindows(this.#of)
    yield
    this.#leaves ??= yield* findingLeaves(this.#of, this.nodeStates)
  }

  /** Returns the positions of the messages that a node stands for, through all its sources. */
  reach(node: number): PositionRanges {
    return this.#reached.ranges(node)
  }

  /**
   * Returns how many messages of other conversations a node reaches, which happens in damaged files only. A message
   * counts once for every path that leads to it.
   */
  outside(node: number): number {
    return this.#reached.outside(node)
  }

  /** Returns how many messages a node stands for, with their tokens where the messages were read. */
  messageCount(node: number): number {
    return positionCount(this.reach(node)) + this.outside(node)
  }

  messageTokens(node: number): number {
    return this.#of.messages.tokensIn(this.reach(node))
  }

  /** Returns the first and the last position of the messages that a node stands for, or null when it reaches none. */
  ends(node: number): readonly [first: number, last: number] | null {
    const ranges = this.reach(node)
    const [first, end] = [ranges[0], ranges.at(-1)]
    return first === undefined || end === undefined ? null : [first, end - 1]
  }

  /** Returns the lowest and the highest seq of the messages that a node stands for, or null when it reaches none. */
  seqRange(node: number): { readonly firstSeq: number; readonly lastSeq: number } | null {
    const { seqs } = this.#of.messages
    const [first = -1, last = -1] = this.ends(node) ?? []
    const [firstSeq, lastSeq] = [seqs[first], seqs[last]]
    return firstSeq === undefined || lastSeq === undefined ? null : { firstSeq, lastSeq }
  }

  /** By node: 1 when the summary is a source, direct or indirect, of another summary that is in a window. */
  get isReached(): Uint8Array {
    this.#isReached ??= reachedByWindows(this.#of)
    return this.#isReached
  }

  /** By node: ABSENT, COVERED or IN_WINDOW. */
  get nodeStates(): Uint8Array {
    const { summaryCounts } = this.#of.window
    this.#nodeStates ??= this.isReached.map((isReached, node) =>
      summaryCounts[node] !== 0 ? IN_WINDOW : isReached === 1 ? COVERED : ABSENT,
    )
    return this.#nodeStates
  }

  /** By position of the message: ABSENT, COVERED, IN_WINDOW or EVENT. */
  get messageStates(): Uint8Array {
    this.#messageStates ??= statesOfMessages(this.#of, this.nodeStates)
    return this.#messageStates
  }

  /**
   * By position of the message: the first summary that names it, or −1. A summary that the windows lead to is
   * preferred.
   */
  get leaf(): Int32Array {
    return this.#named.leaf
  }

  /** The messages that several summaries name, each with the nodes of those summaries. */
  get shared(): ReadonlyMap<number, readonly number[]> {
    return this.#named.shared
  }

  /** Whether a summary that a window leads to names the message. */
  isCovered(position: number): boolean {
    const leaf = this.leaf[position] as number
    return leaf >= 0 && this.nodeStates[leaf] !== ABSENT
  }

  get #reached(): Reach {
    this.#reach ??= new Reach(this.#of.links, this.#of.order)
    return this.#reach
  }

  get #named(): Leaves {
    this.#leaves ??= withoutYielding(findingLeaves(this.#of, this.nodeStates))
    return this.#leaves
  }
}

function reachedByWindows({ summaries, links, window }: Covering): Uint8Array {
  const isReached = new Uint8Array(summaries.length)
  const open: number[] = []
  for (let node = 0; node < summaries.length; node += 1) if (window.summaryCounts[node] !== 0) open.push(node)
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const source of links.sources[node] as number[]) {
      if (isReached[source] === 1) continue
      isReached[source] = 1
      open.push(source)
    }
  }
  return isReached
}

function statesOfMessages({ messages, events, links, window }: Covering, nodeStates: Uint8Array): Uint8Array {
  const states = new Uint8Array(messages.length)
  for (const position of events) states[position] = EVENT
  for (let node = 0; node < nodeStates.length; node += 1) {
    if (nodeStates[node] === ABSENT) continue
    const ranges = links.rangesOf(node)
    for (let end = 0; end < ranges.length; end += 2) states.fill(COVERED, ranges[end], ranges[end + 1])
  }
  const { length, isSummary, targets } = window
  for (let item = 0; item < length; item += 1) {
    if (isSummary[item] === 0 && (targets[item] as number) >= 0) states[targets[item] as number] = IN_WINDOW
  }
  return states
}

type Leaves = { readonly leaf: Int32Array; readonly shared: ReadonlyMap<number, readonly number[]> }

function* findingLeaves({ messages, links }: Covering, nodeStates: Uint8Array): Generator<void, Leaves> {
  const leaf = new Int32Array(messages.length).fill(-1)
  const shared = new Map<number, number[]>()
  const cover = (position: number, node: number): void => {
    const before = leaf[position] as number
    if (before === node) return
    if (before < 0) {
      leaf[position] = node
      return
    }
    const all = shared.get(position)
    if (!all) shared.set(position, [before, node])
    else if (!all.includes(node)) all.push(node)
    if (nodeStates[before] === ABSENT && nodeStates[node] !== ABSENT) leaf[position] = node
  }
  let steps = 0
  for (let node = 0; node < nodeStates.length; node += 1) {
    const named = links.messagesOf(node)
    for (const position of named) if (position >= 0) cover(position, node)
    steps += named.length
    if (steps > 32_768) {
      steps = 0
      yield
    }
  }
  return { leaf, shared }
}
