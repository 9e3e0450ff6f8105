import { type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { blocksOf, commandText, typedText } from './record.ts'

/** Which conversation of the file a record belongs to: the session itself or one of its sub-agents. */
export type ChainKey = {
  readonly sessionId: string
  /** Null for the session itself. */
  readonly agentId: string | null
}

const NONE = -1

type RecordNode = {
  readonly chain: number
  /** Index of the record before it in its conversation; NONE at the beginning. */
  readonly parent: number
  /** It names its parent itself. */
  readonly isLinked: boolean
  /** Index of the assistant message whose block it holds, or NONE. */
  readonly message: number
  readonly isTyped: boolean
}

type Chain = { readonly key: ChainKey; last: number; typed: string | null; command: string | null }
type StreamedMessage = { readonly apiId: string; blocks: number; isLive: boolean }

/**
 * How the records of one transcript hang together: to which conversation each belongs, how many blocks each streamed
 * assistant message has, and which records lie on branches that were given up (the person went back and typed something
 * else). Holds ids and numbers only, no text: about 200 bytes a record.
 */
export class Chains {
  readonly #nodes: RecordNode[] = []
  readonly #indexOf = new Map<string, number>()
  readonly #chains: Chain[] = []
  readonly #chainOf = new Map<string, number>()
  readonly #messages: StreamedMessage[] = []
  readonly #messageOf = new Map<string, number>()
  readonly #fallbackSession: string
  #abandoned: Uint8Array = new Uint8Array()
  #taken: Uint8Array = new Uint8Array()

  /** `fallbackSession` names the session of records that name none. */
  constructor(fallbackSession: string) {
    this.#fallbackSession = fallbackSession
  }

  /** Takes in the next record of the file. */
  add(record: JsonObject): void {
    const uuid = textAt(record, 'uuid')
    if (uuid !== null && this.#indexOf.has(uuid)) return
    const message = this.#countBlocks(record)
    if (uuid === null) return
    const index = this.#nodes.length
    const named = textAt(record, 'logicalParentUuid') ?? textAt(record, 'parentUuid')
    const parent = named === null ? NONE : (this.#indexOf.get(named) ?? NONE)
    const chainIndex = this.#chainFor(record, parent, uuid)
    const chain = this.#chains[chainIndex] as Chain
    const isSameChain = parent !== NONE && this.#nodes[parent]?.chain === chainIndex
    const typed = typedText(record)
    // Words without a parent, among records that have one: the person went back to before the first.
    const isNewBeginning = typed !== null && record.parentUuid === null && named === null && this.#isLinked(chain.last)
    this.#nodes.push({
      chain: chainIndex,
      // A parent that is not in the file (resumed, cut) is no fork: what came before in the file goes on.
      parent: isSameChain ? parent : isNewBeginning ? NONE : chain.last,
      isLinked: isSameChain,
      message,
      isTyped: typed !== null,
    })
    this.#indexOf.set(uuid, index)
    chain.last = index
    chain.typed ??= typed
    chain.command ??= commandText(record)
  }

  /** To be called after the last record. */
  finish(): void {
    const isLive = new Uint8Array(this.#nodes.length)
    for (const { last } of this.#chains) {
      for (let index = last; index !== NONE; index = this.#nodes[index]?.parent ?? NONE) {
        isLive[index] = 1
        const message = this.#messages[this.#nodes[index]?.message ?? NONE]
        if (message) message.isLive = true
      }
    }
    this.#abandoned = new Uint8Array(this.#nodes.length)
    this.#taken = new Uint8Array(this.#nodes.length)
    this.#nodes.forEach((node, index) => {
      if (!isLive[index] && (this.#abandoned[node.parent] === 1 || this.#opensBranch(node))) this.#abandoned[index] = 1
    })
  }

  /** The conversation of a record; also for records that `add` has not seen (the file has grown since). */
  keyOf(record: JsonObject): ChainKey {
    const known = this.#indexOf.get(textAt(record, 'uuid') ?? '')
    const index = known === undefined ? this.#chainFor(record, NONE, '') : (this.#nodes[known]?.chain ?? NONE)
    return (this.#chains[index] as Chain).key
  }

  /** True once for each record id: a record that stands in the file twice is taken once. */
  take(record: JsonObject): boolean {
    const index = this.#indexOf.get(textAt(record, 'uuid') ?? '')
    if (index === undefined) return true
    const isFirst = this.#taken[index] === 0
    this.#taken[index] = 1
    return isFirst
  }

  isAbandoned(record: JsonObject): boolean {
    const index = this.#indexOf.get(textAt(record, 'uuid') ?? '')
    return index !== undefined && this.#abandoned[index] === 1
  }

  /** Id of the message that a record is, or is a part of. */
  messageIdOf(uuid: string): string {
    const node = this.#nodes[this.#indexOf.get(uuid) ?? NONE]
    return this.#messages[node?.message ?? NONE]?.apiId ?? uuid
  }

  has(uuid: string): boolean {
    return this.#indexOf.has(uuid)
  }

  /** Number of blocks that the file holds of an assistant message. */
  blocksOf(apiId: string): number {
    return this.#messages[this.#messageOf.get(apiId) ?? NONE]?.blocks ?? 0
  }

  /** First text that a person typed (or a sub-agent was given) in a conversation, or else its first command. */
  firstTyped(key: ChainKey): string | null {
    const chain = this.#chains[this.#chainOf.get(chainName(key)) ?? NONE]
    return chain?.typed ?? chain?.command ?? null
  }

  #isLinked(index: number): boolean {
    return this.#nodes[index]?.isLinked === true
  }

  // Tool results and parallel calls hang beside the path to the last record and are no branch; what a person typed, or
  // an answer of which nothing is on the path, is.
  #opensBranch(node: RecordNode): boolean {
    if (node.message === NONE) return node.isTyped
    return this.#messages[node.message]?.isLive !== true
  }

  #chainFor(record: JsonObject, parent: number, uuid: string): number {
    const sessionId = textAt(record, 'sessionId') ?? this.#fallbackSession
    if (record.isSidechain !== true) return this.#chain({ sessionId, agentId: null })
    const agentId = textAt(record, 'agentId')
    if (agentId !== null) return this.#chain({ sessionId, agentId })
    // Older versions wrote sub-agents into the session's own file without a name: one conversation from each root.
    const parentChain = this.#nodes[parent]?.chain
    if (parentChain !== undefined && this.#chains[parentChain]?.key.agentId !== null) return parentChain
    return this.#chain({ sessionId, agentId: uuid === '' ? 'unnamed' : uuid })
  }

  #chain(key: ChainKey): number {
    const name = chainName(key)
    const known = this.#chainOf.get(name)
    if (known !== undefined) return known
    this.#chains.push({ key, last: NONE, typed: null, command: null })
    this.#chainOf.set(name, this.#chains.length - 1)
    return this.#chains.length - 1
  }

  #countBlocks(record: JsonObject): number {
    const message = objectAt(record, 'message')
    const apiId = record.type === 'assistant' ? textAt(message, 'id') : null
    if (apiId === null) return NONE
    let index = this.#messageOf.get(apiId)
    if (index === undefined) {
      index = this.#messages.push({ apiId, blocks: 0, isLive: false }) - 1
      this.#messageOf.set(apiId, index)
    }
    const counted = this.#messages[index] as StreamedMessage
    counted.blocks += blocksOf(message).length
    return index
  }
}

const chainName = (key: ChainKey): string => `${key.sessionId}\n${key.agentId ?? ''}`
