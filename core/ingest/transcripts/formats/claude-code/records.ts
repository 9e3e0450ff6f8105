import { sha256 } from '#core/hashing.ts'
import { IdNumbers, Numbers } from '#core/ingest/transcripts/id-numbers.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { timeOf } from '#core/ingest/transcripts/parts.ts'
import { type ChainBreak, RecordGraph } from '#core/ingest/transcripts/record-graph.ts'
import { keptSegment } from './messages.ts'
import { blocksOf, commandText, typedText } from './record.ts'

/** Where a parent is missing, Claude Code goes on with the record before it when that is not older than this. */
const BRIDGED_MS = 5000

/** The conversation of a record: the session itself or one of its sub-agents. */
export type ConversationKey = {
  readonly sessionId: string
  /** Null for the session itself. */
  readonly agentId: string | null
}

type Conversation = {
  readonly key: ConversationKey
  typed: string | null
  command: string | null
  /** The last record names its parent. */
  isLinked: boolean
}

/**
 * Finds out how the records of a transcript are related: to which conversation each belongs, how many blocks each
 * streamed answer has, and which records are on branches that were given up because the person went back and typed
 * something else.
 */
export class ClaudeCodeRecords {
  readonly #graph = new RecordGraph(BRIDGED_MS)
  readonly #conversations: Conversation[] = []
  readonly #numbers = new Map<string, number>()
  readonly #answers = new IdNumbers()
  readonly #blocks = new Numbers()
  /** Hashes of the records whose ids were met again, by id, once the second reading has met them. */
  readonly #repeated = new Map<string, string | null>()
  readonly #boundaries = new BoundaryNames()
  /** `uuid` names another record than before from here on, because a boundary used it again. */
  readonly #renamed = new Map<string, string>()
  readonly #fallbackSession: string

  /** `fallbackSession` names the session of records that name none. */
  constructor(fallbackSession: string) {
    this.#fallbackSession = fallbackSession
  }

  /** Adds the next record of the file. */
  add(record: JsonObject, line: number): void {
    const uuid = textAt(record, 'uuid')
    if (uuid === null) {
      this.#countBlocks(record)
      return
    }
    const name = this.#boundaries.nameOf(record, uuid)
    if (name !== uuid) this.#renamed.set(uuid, name)
    if (this.#graph.has(name)) {
      this.#repeated.set(name, null)
      return
    }
    const named = this.#comesAfter(record)
    const parent = named == null ? null : (this.#renamed.get(named) ?? named)
    const group = this.#groupFor(record, parent, uuid)
    const conversation = this.#conversations[group] as Conversation
    const typed = typedText(record)
    // Words without a parent, among records with parents, mean that the person went back to before the first record.
    const isNewBeginning = typed !== null && record.parentUuid === null && named === null && conversation.isLinked
    this.#graph.add(name, parent ?? (isNewBeginning ? null : undefined), {
      isSpoken: record.type === 'user' || record.type === 'assistant',
      group,
      answer: this.#countBlocks(record),
      // Tool results and parallel calls beside the path to the last record are no branch. Words of a person are.
      opensBranch: typed !== null,
      line,
      atMs: timeOf(record.timestamp),
    })
    conversation.isLinked = parent !== null && this.#graph.groupOf(parent) === group
    conversation.typed ??= typed
    conversation.command ??= commandText(record)
  }

  /**
   * Returns the id of the record after which this one comes, or null for the last one so far. That is its parent, except
   * for the boundary of a compaction, which has none. A boundary comes after what was summarised and after what stays in the
   * window. Where a person had the end of a session summarised, it comes after that end. A fork may have copied what stays
   * behind the boundary.
   */
  #comesAfter(record: JsonObject): string | null {
    const compacted = textAt(record, 'logicalParentUuid')
    if (compacted === null || !this.#graph.has(compacted)) return textAt(record, 'parentUuid')
    const kept = keptSegment(record)
    if (kept?.isBefore) return null
    return kept?.last == null ? compacted : this.#graph.laterOf(compacted, kept.last)
  }

  /** Completes the result after the last record. The second reading begins at the first one again. */
  finish(): void {
    this.#graph.finish()
    this.#boundaries.startAgain()
  }

  /**
   * In the second reading, names the record: by its uuid, unless an earlier boundary has it and says something else.
   * Returns null for a record without an id.
   */
  nameOf(record: JsonObject): string | null {
    const uuid = textAt(record, 'uuid')
    return uuid === null ? null : this.#boundaries.nameOf(record, uuid)
  }

  /**
   * In the second reading, says whether the record is there for the first time, or again with the same content, or with
   * another one.
   */
  take(record: JsonObject, name: string | null): 'first' | 'again' | 'other' {
    const before = name === null ? undefined : this.#repeated.get(name)
    if (name === null || before === undefined) return 'first'
    const said = contentOf(record)
    if (before !== null) return before === said ? 'again' : 'other'
    this.#repeated.set(name, said)
    return 'first'
  }

  /** Returns the conversation of a record, also of one that `add` has not seen because the file has grown since. */
  keyOf(record: JsonObject): ConversationKey {
    const uuid = textAt(record, 'uuid')
    const group = (uuid === null ? null : this.#graph.groupOf(uuid)) ?? this.#groupFor(record, null, '')
    return (this.#conversations[group] as Conversation).key
  }

  /** See `RecordGraph`. */
  get isEmpty(): boolean {
    return this.#graph.isEmpty
  }

  get lastOfAll(): string | null {
    return this.#graph.lastOfAll
  }

  get unwritten(): readonly string[] {
    return this.#graph.unwritten
  }

  isGivenUp(name: string | null): boolean {
    return !this.#graph.isLive(name)
  }

  has(uuid: string): boolean {
    return this.#graph.has(uuid)
  }

  /** The parent of a record that stands behind it in the file, or null. */
  parentWrittenLater(name: string | null): string | null {
    return name === null ? null : this.#graph.parentWrittenLater(name)
  }

  /** The first message at or after a record that a compaction kept. */
  messageFrom(uuid: string): string | null {
    return this.#graph.messageFrom(uuid)
  }

  get breaks(): readonly ChainBreak[] {
    return this.#graph.breaks
  }

  /** Counts the blocks that the file holds of an assistant message. */
  blocksOf(apiId: string): number {
    const message = this.#answers.numberOf(apiId)
    return message === -1 ? 0 : this.#blocks.get(message)
  }

  /**
   * Returns the first text that a person typed (or that a sub-agent was given) in a conversation, or else its first
   * command.
   */
  firstTyped(key: ConversationKey): string | null {
    const conversation = this.#conversations[this.#numbers.get(nameOf(key)) ?? -1]
    return conversation?.typed ?? conversation?.command ?? null
  }

  /** Whether the title of a conversation without a name is the first text that a person typed in it. */
  hasTyped(key: ConversationKey): boolean {
    return (this.#conversations[this.#numbers.get(nameOf(key)) ?? -1]?.typed ?? null) !== null
  }

  #groupFor(record: JsonObject, parent: string | null, uuid: string): number {
    const sessionId = textAt(record, 'sessionId') ?? this.#fallbackSession
    if (record.isSidechain !== true) return this.#group({ sessionId, agentId: null })
    const agentId = textAt(record, 'agentId')
    if (agentId !== null) return this.#group({ sessionId, agentId })
    // Older versions wrote sub-agents into the file of the session without a name, each with a root of its own.
    const group = parent === null ? null : this.#graph.groupOf(parent)
    if (group !== null && this.#conversations[group]?.key.agentId !== null) return group
    return this.#group({ sessionId, agentId: uuid === '' ? 'unnamed' : uuid })
  }

  #group(key: ConversationKey): number {
    const name = nameOf(key)
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#conversations.push({ key, typed: null, command: null, isLinked: false })
    this.#numbers.set(name, this.#conversations.length - 1)
    return this.#conversations.length - 1
  }

  /** Returns the id of the answer of which the record is a part, or null. */
  #countBlocks(record: JsonObject): string | null {
    const message = objectAt(record, 'message')
    const apiId = record.type === 'assistant' ? textAt(message, 'id') : null
    if (apiId === null) return null
    const index = this.#answers.add(apiId)
    this.#blocks.set(index, this.#blocks.get(index) + blocksOf(message).length)
    return apiId
  }
}

/** Names the boundaries of compactions. A second one with the uuid of the first is a compaction of its own. */
class BoundaryNames {
  /** The names of the boundaries with a uuid, by what they say. */
  #names = new Map<string, Map<string, string>>()

  nameOf(record: JsonObject, uuid: string): string {
    if (record.subtype !== 'compact_boundary') return uuid
    const said = JSON.stringify([record.logicalParentUuid, record.parentUuid, record.timestamp, record.compactMetadata])
    const names = this.#names.get(uuid) ?? new Map<string, string>()
    this.#names.set(uuid, names)
    const name = names.get(said) ?? (names.size === 0 ? uuid : `${uuid}~${names.size + 1}`)
    names.set(said, name)
    return name
  }

  startAgain(): void {
    this.#names = new Map()
  }
}

/** A hash of what a record says, without what a copy of it changes. */
function contentOf(record: JsonObject): string {
  const { type, subtype, message, content, attachment } = record
  const said = [type, subtype, isObject(message) ? message.content : null, content, attachment]
  return sha256(JSON.stringify(said), 'base64')
}

const nameOf = (key: ConversationKey): string => `${key.sessionId}\n${key.agentId ?? ''}`
