import { IdNumbers, Numbers } from '../../id-numbers.ts'
import { type JsonObject, objectAt, textAt } from '../../json-value.ts'
import { blocksOf, commandText, typedText } from './record.ts'

/** The conversation of a record: the session itself or one of its sub-agents. */
export type ChainKey = {
  readonly sessionId: string
  /** Null for the session itself. */
  readonly agentId: string | null
}

const NONE = -1

const TYPED = 1
/** The record names its parent. */
const LINKED = 2

type Chain = { readonly key: ChainKey; last: number; typed: string | null; command: string | null }

/**
 * Finds out how the records of a transcript are related: to which conversation each belongs, how many blocks each
 * streamed assistant message has, and which records are on branches that were given up because the person went back and
 * typed something else. It holds numbers only, about 40 bytes a record.
 */
export class Chains {
  readonly #records = new IdNumbers()
  readonly #chainAt = new Numbers()
  /** The previous record of the same conversation, or NONE at the beginning. */
  readonly #parents = new Numbers()
  /** The assistant message whose block the record holds, or NONE. */
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

  /** Adds the next record of the file. */
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
    // Words without a parent, among records with parents, mean that the person went back to before the first record.
    const isLinked = chain.last !== NONE && (this.#flags.get(chain.last) & LINKED) !== 0
    const isNewBeginning = typed !== null && record.parentUuid === null && named === null && isLinked
    const index = this.#records.add(uuid)
    this.#chainAt.set(index, chainIndex)
    // A parent that is not in the file (resumed, cut) is no fork, so the record before this one is its parent.
    this.#parents.set(index, isSameChain ? parent : isNewBeginning ? NONE : chain.last)
    this.#messageAt.set(index, message)
    this.#flags.set(index, (typed === null ? 0 : TYPED) | (isSameChain ? LINKED : 0))
    chain.last = index
    chain.typed ??= typed
    chain.command ??= commandText(record)
  }

  /** Completes the result after the last record. */
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

  /** Returns the conversation of a record, also of one that `add` has not seen because the file has grown since. */
  keyOf(record: JsonObject): ChainKey {
    const known = this.#numberOf(record)
    const index = known === NONE ? this.#chainFor(record, NONE, '') : this.#chainAt.get(known)
    return (this.#chains[index] as Chain).key
  }

  /** Returns true once for each record id, so that a record that is in the file twice is taken once. */
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

  /** Counts the blocks that the file holds of an assistant message. */
  blocksOf(apiId: string): number {
    const message = this.#messages.numberOf(apiId)
    return message === NONE ? 0 : this.#blocks.get(message)
  }

  /**
   * Returns the first text that a person typed (or that a sub-agent was given) in a conversation, or else its first
   * command.
   */
  firstTyped(key: ChainKey): string | null {
    const chain = this.#chains[this.#chainOf.get(chainName(key)) ?? NONE]
    return chain?.typed ?? chain?.command ?? null
  }

  #numberOf(record: JsonObject): number {
    const uuid = textAt(record, 'uuid')
    return uuid === null ? NONE : this.#records.numberOf(uuid)
  }

  // Tool results and parallel calls beside the path to the last record are no branch. Words of a person are, and so is
  // an answer without any block on the path.
  #opensBranch(index: number): boolean {
    const message = this.#messageAt.get(index)
    return message === NONE ? (this.#flags.get(index) & TYPED) !== 0 : this.#isMessageLive[message] !== 1
  }

  #chainFor(record: JsonObject, parent: number, uuid: string): number {
    const sessionId = textAt(record, 'sessionId') ?? this.#fallbackSession
    if (record.isSidechain !== true) return this.#chain({ sessionId, agentId: null })
    const agentId = textAt(record, 'agentId')
    if (agentId !== null) return this.#chain({ sessionId, agentId })
    // Older versions wrote sub-agents into the file of the session without a name, each with a root of its own.
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
