import { grown } from './packed-numbers.ts'

/** A link of which one end is missing. */
export type BrokenLink = {
  readonly summaryId: string
  /** The node of the summary, or −1 when that is what is missing. */
  readonly summary: number
  /** As an id of a node. */
  readonly sourceId: string
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
  /** By the id of the summary, there or not: all that are in `broken` or `sparse`. */
  readonly stored = new Map<string, StoredLinks>()
  /** Positions of the messages of all summaries, one after the other; −1 for one that does not exist. */
  #messages = new Int32Array(1024)
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  #length = 0

  constructor(summaries: number) {
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

  /** Links to messages, of all nodes. */
  get messageLinks(): number {
    return this.#length
  }
}
