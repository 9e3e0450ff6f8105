import { IdNumbers, Numbers } from '../../id-numbers.ts'
import { type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { blocksOf, commandText, typedText } from './record.ts'

/** Which conversation of the file a record belongs to: the session itself or one of its sub-agents. */
export type ChainKey = {
  readonly sessionId: string
  /** Null for the session itself. */
  readonly agentId: string | null
}

const NONE = -1

const TYPED = 1
/** It names its parent itself. */
const LINKED = 2

type Chain = { readonly key: ChainKey; last: number; typed: string | null; command: string | null }

/**
 * How the records of one transcript hang together: to which conversation each belongs, how many blocks each streamed
 * assistant message has, and which records lie on branches that were given up (the person went back and typed something
 * else). Holds numbers only, no text and no ids: about 40 bytes a record.
 */
export class Chains {
  readonly #records = new IdNumbers()
  readonly #chainAt = new Numbers()
  /** The record before it in its conversation; NONE at the beginning. */
  readonly #parents = new Numbers()
  /** The assistant message whose block it holds, or NONE. */
  readonly #messageAt = new Numbers()
  readonly #flags = new Numbers()
  readonly #chains: Chain[] = []
  readonly #chainOf = new Map<string, number>()
  readonly #messages = new IdNumbers()
  readonly #blocks = new Numbers()
  readonly #fallbackSession: string
  #abandoned: Uint8Array = new Uint8Array()
  #taken: Uint8Array = new Uint8Array()
  #isMessageLive: Uint8Array = new Uint8Array()

  /** `fallbackSession` names the session of records that name none. */
  constructor(fallbackSession: string) {
    this.#fallbackSession = fallbackSession
  }

  /** Takes in the next record of the file. */
  add(record: JsonObject): void {
    const uuid = textAt(record, 'uuid')
    if (uuid !== null && this.#records.has(uuid)) return
    const message = this.#countBlocks(record)
    if (uuid === null) return
    const named = textAt(record, 'logicalParentUuid') ?? textAt(record, 'parentUuid')
    const parent = named === null ? NONE : this.#records.numberOf(named)
    const chainIndex = this.#chainFor(record, parent, uuid)
    const chain = this.#chains[chainIndex] as Chain
    const isSameChain = parent !== NONE && this.#chainAt.get(parent) === chainIndex
    const typed = typedText(record)
    // Words without a parent, among records that have one: the person went back to before the first.
    const isLinked = chain.last !== NONE && (this.#flags.get(chain.last) & LINKED) !== 0
    const isNewBeginning = typed !== null && record.parentUuid === null && named === null && isLinked
    const index = this.#records.add(uuid)
    this.#chainAt.set(index, chainIndex)
    // A parent that is not in the file (resumed, cut) is no fork: what came before in the file goes on.
    this.#parents.set(index, isSameChain ? parent : isNewBeginning ? NONE : chain.last)
    this.#messageAt.set(index, message)
    this.#flags.set(index, (typed === null ? 0 : TYPED) | (isSameChain ? LINKED : 0))
    chain.last = index
    chain.typed ??= typed
    chain.command ??= commandText(record)
  }

  /** To be called after the last record. */
  finish(): void {
    const { count } = this.#records
    const isLive = new Uint8Array(count)
    this.#isMessageLive = new Uint8Array(this.#messages.count)
    for (const { last } of this.#chains) {
      for (let index = last; index !== NONE; index = this.#parents.get(index)) {
        isLive[index] = 1
        const message = this.#messageAt.get(index)
        if (message !== NONE) this.#isMessageLive[message] = 1
      }
    }
    this.#abandoned = new Uint8Array(count)
    this.#taken = new Uint8Array(count)
    for (let index = 0; index < count; index += 1) {
      if (isLive[index] === 1) continue
      if (this.#abandoned[this.#parents.get(index)] === 1 || this.#opensBranch(index)) this.#abandoned[index] = 1
    }
  }

  /** The conversation of a record; also for records that `add` has not seen (the file has grown since). */
  keyOf(record: JsonObject): ChainKey {
    const known = this.#numberOf(record)
    const index = known === NONE ? this.#chainFor(record, NONE, '') : this.#chainAt.get(known)
    return (this.#chains[index] as Chain).key
  }

  /** True once for each record id: a record that stands in the file twice is taken once. */
  take(record: JsonObject): boolean {
    const index = this.#numberOf(record)
    if (index === NONE) return true
    const isFirst = this.#taken[index] === 0
    this.#taken[index] = 1
    return isFirst
  }

  isAbandoned(record: JsonObject): boolean {
    const index = this.#numberOf(record)
    return index !== NONE && this.#abandoned[index] === 1
  }

  has(uuid: string): boolean {
    return this.#records.has(uuid)
  }

  /** Number of blocks that the file holds of an assistant message. */
  blocksOf(apiId: string): number {
    const message = this.#messages.numberOf(apiId)
    return message === NONE ? 0 : this.#blocks.get(message)
  }

  /** First text that a person typed (or a sub-agent was given) in a conversation, or else its first command. */
  firstTyped(key: ChainKey): string | null {
    const chain = this.#chains[this.#chainOf.get(chainName(key)) ?? NONE]
    return chain?.typed ?? chain?.command ?? null
  }

  #numberOf(record: JsonObject): number {
    const uuid = textAt(record, 'uuid')
    return uuid === null ? NONE : this.#records.numberOf(uuid)
  }

  // Tool results and parallel calls hang beside the path to the last record and are no branch; what a person typed, or
  // an answer of which nothing is on the path, is.
  #opensBranch(index: number): boolean {
    const message = this.#messageAt.get(index)
    return message === NONE ? (this.#flags.get(index) & TYPED) !== 0 : this.#isMessageLive[message] !== 1
  }

  #chainFor(record: JsonObject, parent: number, uuid: string): number {
    const sessionId = textAt(record, 'sessionId') ?? this.#fallbackSession
    if (record.isSidechain !== true) return this.#chain({ sessionId, agentId: null })
    const agentId = textAt(record, 'agentId')
    if (agentId !== null) return this.#chain({ sessionId, agentId })
    // Older versions wrote sub-agents into the session's own file without a name: one conversation from each root.
    const parentChain = parent === NONE ? NONE : this.#chainAt.get(parent)
    if (parentChain !== NONE && this.#chains[parentChain]?.key.agentId !== null) return parentChain
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
    const index = this.#messages.add(apiId)
    this.#blocks.set(index, this.#blocks.get(index) + blocksOf(message).length)
    return index
  }
}

const chainName = (key: ChainKey): string => `${key.sessionId}\n${key.agentId ?? ''}`
