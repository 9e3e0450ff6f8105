import { grown } from './packed-numbers.ts'
import { NO_POSITIONS, type PositionRanges, rangesOfPositions } from './position-ranges.ts'

/** A message of a conversation that was not read. */
export type MessageElsewhere = {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly tokens: number
}

/** A link of which one end is missing from what was read. */
export type BrokenLink = {
  readonly summaryId: string
  /** The node of the summary, or −1 when that is what is missing. */
  readonly summary: number
  /** Of what its other end is. */
  readonly kind: 'message' | 'summary'
  /** As an id of a node. */
  readonly sourceId: string
  /** How many links of its kind stand before it in the summary's list. */
  readonly place: number
  /** The message that it leads to, where one conversation was read and the message is in another; null: it is nowhere. */
  readonly elsewhere: MessageElsewhere | null
}

/** Links of one summary as stored, each with its ordinal: for those whose ends or ordinals the columns cannot hold. */
export type StoredLinks = {
  readonly messages: readonly Link<number>[]
  readonly sources: readonly Link<string>[]
}
export type Link<Id> = { readonly to: Id; readonly ordinal: number }

/** Which messages and summaries every summary was made from, in their stored order. */
export class Links {
  /** Nodes that are sources of a node, and nodes that it is a source of. A link that is stored twice is here twice. */
  readonly sources: number[][]
  readonly dependents: number[][]
  readonly broken: BrokenLink[] = []
  /** Nodes whose links are not numbered 0, 1, 2 … */
  readonly sparse = new Set<number>()
  /** By the id of the summary, there or not: all that are in `broken` or `sparse`. Only of a whole file. */
  readonly stored = new Map<string, StoredLinks>()
  /** Positions of the messages of all summaries, one after the other; −1 for one that does not exist. */
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
    this.sources = Array.from({ length: summaries }, () => [])
    this.dependents = Array.from({ length: summaries }, () => [])
  }

  /** The messages that a node names, by their positions. Call once for each node. */
  setMessages(node: number, positions: Int32Array): void {
    const end = this.#length + positions.length
    if (end > this.#messages.length) this.#messages = grown(this.#messages, Math.ceil(1.25 * end))
    this.#messages.set(positions, this.#length)
    this.#starts[node] = this.#length
    this.#ends[node] = end
    this.#length = end
  }

  addSource(node: number, source: number): void {
    this.sources[node]?.push(source)
    this.dependents[source]?.push(node)
  }

  /** Positions of the messages that a node names, in their order; −1 for one that does not exist. */
  messagesOf(node: number): Int32Array {
    return this.#messages.subarray(this.#starts[node], this.#ends[node])
  }

  /** Positions of the messages that a node names, each once. */
  rangesOf(node: number): PositionRanges {
    this.#ranges ??= packedRanges(this, this.#starts.length)
    const { starts, ends } = this.#ranges
    return node < 0 ? NO_POSITIONS : ends.subarray(starts[node], starts[node + 1])
  }

  /** Links of a node that lead nowhere. */
  brokenOf(node: number): readonly BrokenLink[] {
    if (this.broken.length === 0) return NONE
    this.#brokenByNode ??= Map.groupBy(this.broken, ({ summary }) => summary)
    return this.#brokenByNode.get(node) ?? NONE
  }

  /** Messages of other conversations that some nodes name, each once, in the order of their conversations. */
  messagesElsewhere(nodes: Iterable<number>): MessageElsewhere[] {
    if (this.broken.length === 0) return []
    const found = new Map<number, MessageElsewhere>()
    for (const node of nodes) {
      for (const { elsewhere } of this.brokenOf(node)) if (elsewhere) found.set(elsewhere.messageId, elsewhere)
    }
    return [...found.values()].sort((a, b) => a.conversationId - b.conversationId || a.seq - b.seq)
  }

  /** Some nodes and all that they reach through their sources. */
  beneath(nodes: Iterable<number>): Set<number> {
    const reached = new Set(nodes)
    // A set grows while it is walked.
    for (const node of reached) for (const source of this.sources[node] ?? []) reached.add(source)
    return reached
  }

  /** Some nodes and all that were made from them. */
  above(nodes: Iterable<number>): Set<number> {
    const reached = new Set(nodes)
    for (const node of reached) for (const dependent of this.dependents[node] ?? []) reached.add(dependent)
    return reached
  }

  /** Links to messages, of all nodes. */
  get messageLinks(): number {
    return this.#length
  }
}

const NONE: readonly BrokenLink[] = []

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
