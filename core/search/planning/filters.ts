import { ROLES } from '#core/contract/ids.ts'
import type { GrepInput, MessageEnds } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { messageRange } from '#core/systems/reading/message-range.ts'
import { findNode } from '#core/systems/reading/node-id.ts'
import { prunedMessages } from '#core/systems/reading/pruned-outputs.ts'
import { summaryRowNumbers } from '#core/systems/records/summaries.ts'
import { messagesInWindows, summaryRowsInWindows } from '#core/systems/records/window-entries.ts'
import type { Catalogue } from '../indexes/catalogue.ts'
import type { Corpus } from '../indexes/corpus.ts'
import { hasRow, rowSetOf } from '../indexes/row-set.ts'

/** The rows of each kind to which a summary, the window or a permission limits a search. */
type RowLists = {
  readonly message: readonly number[]
  readonly summary: readonly number[]
}

/** What may be found at all. */
export type Permitted = RowLists & { readonly allowsFile: (id: string) => boolean }

/** Returns the kinds that a search looks at. A filter on roles or depths excludes kinds that have none. */
export function kindsOf(input: GrepInput): readonly Corpus['kind'][] {
  const kinds: Corpus['kind'][] = []
  if (input.scope !== 'summaries' && (input.roles || !input.depths)) kinds.push('message')
  if (input.scope !== 'messages' && (input.depths || !input.roles)) kinds.push('summary')
  return kinds
}

/** Decides which entries of a catalogue a search may find. */
export class Filters {
  readonly #input: GrepInput
  readonly #within: RowLists | null
  readonly #range: RowLists | null
  readonly #window: RowLists | null
  readonly #permitted: Permitted | null

  /**
   * @param permitted the rows that may be found at all, or null when all may
   * @throws LcmError not_found, invalid_argument when `within` is no summary, or an end of the range no message
   */
  constructor(db: ReadDb, reader: MemoryReader, input: GrepInput, permitted: Permitted | null) {
    this.#input = input
    this.#permitted = permitted
    this.#within = input.within === undefined ? null : below(db, reader, input.within)
    this.#range = rangeOf(db, reader, input)
    this.#window =
      input.inContext === undefined
        ? null
        : {
            message: seenMessages(db),
            summary: summaryRowsInWindows(db),
          }
  }

  /** Returns a function that says whether the entry with an index may be found, or null when all may. */
  allows(kind: Corpus['kind'], catalogue: Catalogue): ((index: number) => boolean) | null {
    const { conversationIds, roles, depths, afterMs, beforeMs, inContext } = this.#input
    const groups = kind === 'message' ? roles?.map((role) => ROLES.indexOf(role)) : depths
    const hasBounds = conversationIds || groups || afterMs !== undefined || beforeMs !== undefined
    if (!hasBounds && !this.#within && !this.#range && !this.#window && !this.#permitted) return null

    const conversations = conversationIds && new Set(conversationIds)
    const wantedGroups = groups && new Set(groups)
    const within = this.#within && rowSetOf(this.#within[kind])
    const range = this.#range && rowSetOf(this.#range[kind])
    const window = this.#window && rowSetOf(this.#window[kind])
    const permitted = this.#permitted && rowSetOf(this.#permitted[kind])
    return (index) => {
      const atMs = catalogue.times[index] as number
      const row = catalogue.rows[index] as number
      return (
        (!conversations || conversations.has(catalogue.conversationIds[index] as number)) &&
        (!wantedGroups || wantedGroups.has(catalogue.groups[index] as number)) &&
        (afterMs === undefined || atMs >= afterMs) &&
        (beforeMs === undefined || (atMs <= beforeMs && atMs !== Number.NEGATIVE_INFINITY)) &&
        (!permitted || hasRow(permitted, row)) &&
        (!within || hasRow(within, row)) &&
        (!range || hasRow(range, row)) &&
        (!window || hasRow(window, row) === inContext)
      )
    }
  }
}

/** Returns the messages in a window, except those whose text the model no longer sees. */
function seenMessages(db: ReadDb): readonly number[] {
  const inWindow = messagesInWindows(db)
  const pruned = new Set(prunedMessages(db))
  return pruned.size === 0 ? inWindow : inWindow.filter((messageId) => !pruned.has(messageId))
}

/** Returns the messages and summaries that a summary stands for. */
function below(db: ReadDb, reader: MemoryReader, summaryId: string): RowLists {
  const node = findNode(db, summaryId)
  if (node.kind !== 'summary') {
    throw new LcmError('invalid_argument', `A search can be limited to a summary; ${summaryId} is a ${node.kind}.`, {
      id: summaryId,
    })
  }
  const { messages, summaries, links, coverage } = reader.memory(node.conversationId)
  const start = summaries.nodeOf(summaryId)
  const reached = links.withSources([start])
  const elsewhere = links.messagesElsewhere(reached).map(({ messageId }) => messageId)
  const ids = [...reached].filter((other) => other !== start).map((other) => summaries.at(other).id)
  return {
    message: [...messages.idsIn(coverage.reach(start)), ...elsewhere],
    summary: summaryRowNumbers(db, ids),
  }
}

function rangeOf(db: ReadDb, reader: MemoryReader, ends: MessageEnds): RowLists | null {
  const nodes = nodesBetween(db, reader, ends)
  return nodes && { message: nodes.messages, summary: summaryRowNumbers(db, nodes.summaryIds) }
}

/**
 * Returns the messages between two of them, both included, and the summaries that cover any of these. Null without ends.
 * @throws LcmError as `messageRange`
 */
export function nodesBetween(
  db: ReadDb,
  reader: MemoryReader,
  ends: MessageEnds,
): { readonly messages: readonly number[]; readonly summaryIds: readonly string[] } | null {
  const range = messageRange(db, reader, ends)
  if (range === null) return null
  const { first, end, memory } = range
  const { messages, summaries, coverage } = memory
  const isCovering = (node: number): boolean => {
    const ranges = coverage.reach(node)
    // Pairs of the first position of a range and the one behind it.
    for (let at = 0; at < ranges.length; at += 2)
      if ((ranges[at] as number) < end && (ranges[at + 1] as number) > first) return true
    return false
  }
  return {
    messages: messages.idsIn(Int32Array.of(first, end)),
    summaryIds: summaries.rows.filter(({ index }) => isCovering(index)).map(({ id }) => id),
  }
}
