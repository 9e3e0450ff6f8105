import { grown } from './packed-numbers.ts'
import { NO_POSITIONS, type PositionRanges, rangesOfPositions } from './position-ranges.ts'

/** A message of a conversation that was not read. */
export type MessageElsewhere = {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly tokens: number
}

/** A link of which one end was not found in what was read. */
export type BrokenLink = {
  readonly summaryId: string
  /** The node of the summary that owns the link, or −1 when that summary is missing. */
  readonly summary: number
  /** What the link leads to. */
  readonly kind: 'message' | 'summary'
  /** The id of what the link leads to, as an id of a node (`msg_…`, `sum_…`). */
  readonly sourceId: string
  /** The index of the link among the summary's links of its kind. */
  readonly place: number
  /**
   * Where the message is, if one conversation was read and the message is in another. Null when it is nowhere in the
   * file.
   */
  readonly elsewhere: MessageElsewhere | null
}

/**
 * The links of one summary as stored, each with its ordinal. They are kept for summaries whose links do not fit the
 * columns.
 */
export type StoredLinks = {
  readonly messages: readonly Link<number>[]
  readonly sources: readonly Link<string>[]
}
export type Link<Id> = { readonly to: Id; readonly ordinal: number }

/** The messages and summaries that every summary was made from, in their stored order. */
export class Links {
  /** By node: its sources, and its dependents. A link that is stored twice is listed twice. */
  readonly sources: number[][]
  readonly dependents: number[][]
  readonly broken: BrokenLink[] = []
  /** The nodes whose links are not numbered 0, 1, 2 and so on. */
  readonly sparse = new Set<number>()
  /**
   * By the id of the owner, whether that summary exists or not: the stored links of all that are in `broken` or
   * `sparse`. Filled only when a whole file was read.
   */
  readonly stored = new Map<string, StoredLinks>()
  /**
   * Positions of the messages that the summaries name, one summary after the other. A message that does not exist is
   * −1.
   */
  #messages: Int32Array
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  #length = 0
  #ranges: PackedRanges | undefined
  #brokenByNode: ReadonlyMap<number, readonly BrokenLink[]> | undefined

  constructor(summaries: number) {
    this.#messages = new Int32Array(0)
    this.#starts = new Int32Array(summaries)
    this.#ends = new Int32Array(summaries)
    this.sources = new Array<number[]>(summaries).fill(NO_NODES)
    this.dependents = new Array<number[]>(summaries).fill(NO_NODES)
  }

  /** Sets the messages that a node names, by their positions. It is called once for each node. */
  setMessages(node: number, positions: Int32Array): void {
    const end = this.#length + positions.length
    if (end > this.#messages.length) this.#messages = grown(this.#messages, Math.ceil(1.25 * end))
    this.#messages.set(positions, this.#length)
    this.#starts[node] = this.#length
    this.#ends[node] = end
    this.#length = end
  }

  addSource(node: number, source: number): void {
    append(this.sources, node, source)
    append(this.dependents, source, node)
  }

  /** Returns the positions of the messages that a node names, in their order. A message that does not exist is −1. */
  messagesOf(node: number): Int32Array {
    return this.#messages.subarray(this.#starts[node], this.#ends[node])
  }

  /** Returns the positions of the messages that a node names, each once. */
  rangesOf(node: number): PositionRanges {
    this.#ranges ??= packedRanges(this, this.#starts.length)
    const { starts, ends } = this.#ranges
    return node < 0 ? NO_POSITIONS : ends.subarray(starts[node], starts[node + 1])
  }

  /** Returns the broken links of a node. */
  brokenOf(node: number): readonly BrokenLink[] {
    if (this.broken.length === 0) return NONE
    this.#brokenByNode ??= Map.groupBy(this.broken, ({ summary }) => summary)
    return this.#brokenByNode.get(node) ?? NONE
  }

  /**
   * Returns the messages of other conversations that some nodes name, each once, in the order of their conversations.
   */
  messagesElsewhere(nodes: Iterable<number>): MessageElsewhere[] {
    if (this.broken.length === 0) return []
    const found = new Map<number, MessageElsewhere>()
    for (const node of nodes) {
      for (const { elsewhere } of this.brokenOf(node)) if (elsewhere) found.set(elsewhere.messageId, elsewhere)
    }
    return [...found.values()].sort((a, b) => a.conversationId - b.conversationId || a.seq - b.seq)
  }

  /** Returns some nodes and all that they reach through their sources. */
  withSources(nodes: Iterable<number>): Set<number> {
    const reached = new Set(nodes)
    // A Set may grow while it is iterated; what is added is visited, too.
    for (const node of reached) for (const source of this.sources[node] ?? []) reached.add(source)
    return reached
  }

  /** Returns some nodes and all their dependents, direct and indirect. */
  withDependents(nodes: Iterable<number>): Set<number> {
    const reached = new Set(nodes)
    for (const node of reached) for (const dependent of this.dependents[node] ?? []) reached.add(dependent)
    return reached
  }

  /** Whether both hold the same links, all of which lead to something that was read. */
  isSameAs(other: Links): boolean {
    if (this.broken.length > 0 || other.broken.length > 0 || !isSameSet(this.sparse, other.sparse)) return false
    const isSame = (links: readonly number[], node: number): boolean => areEqual(links, other.sources[node] ?? [])
    return (
      areEqual(this.#starts, other.#starts) &&
      areEqual(this.#ends, other.#ends) &&
      areEqual(this.#messages.subarray(0, this.#length), other.#messages.subarray(0, other.#length)) &&
      this.sources.every(isSame)
    )
  }

  /** How many links to messages all nodes have. */
  get messageLinks(): number {
    return this.#length
  }
}

const NONE: readonly BrokenLink[] = []
const NO_NODES: number[] = []

/** Adds to one of some lists. Most have none or one, and an empty list that grows takes room for 17 at once. */
function append(lists: number[][], at: number, node: number): void {
  const list = lists[at]
  if (list === undefined) return
  if (list.length === 0) lists[at] = [node]
  else list.push(node)
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

const isSameSet = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean => a.size === b.size && a.isSubsetOf(b)

/** The ranges of all nodes, one after the other. */
type PackedRanges = { readonly starts: Int32Array; readonly ends: Int32Array }

function packedRanges(links: Links, nodes: number): PackedRanges {
  const starts = new Int32Array(nodes + 1)
  let ends = new Int32Array(2 * nodes)
  let length = 0
  for (let node = 0; node < nodes; node += 1) {
    const ranges = rangesOfPositions(links.messagesOf(node))
    if (length + ranges.length > ends.length) ends = grown(ends, 2 * (length + ranges.length))
    ends.set(ranges, length)
    length += ranges.length
    starts[node + 1] = length
  }
  return { starts, ends }
}
