import { ROLES } from '../contract/ids.ts'
import type { GrepInput } from '../contract/retrieval.ts'
import { LcmError } from '../errors.ts'
import type { SummaryGraph } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import type { HistoryIndex } from '../systems/history-index.ts'
import { findNode } from '../systems/node-id.ts'
import { prunedMessages } from '../systems/pruned-outputs.ts'
import { strayMessages } from '../systems/stray-messages.ts'
import type { Catalogue } from './catalogue.ts'
import type { Corpus } from './corpus.ts'

const queries = {
  messagesInWindow: /* sql */ `
    SELECT c.message_id
    FROM context_items AS c
    JOIN messages AS m ON m.message_id = c.message_id AND m.conversation_id = c.conversation_id`,
  summariesInWindow: /* sql */ `
    SELECT s.summary_rowid
    FROM context_items AS c
    JOIN summaries AS s ON s.summary_id = c.summary_id AND s.conversation_id = c.conversation_id`,
  summaryRows: /* sql */ `
    SELECT summary_rowid FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
}

/** Rows of each kind that a search is limited to by one summary or by the window. */
type RowLists = {
  readonly message: readonly number[]
  readonly summary: readonly number[]
  readonly file: readonly number[]
}

/** Which kinds of things a search looks at: a filter on roles or depths leaves out what has none. */
export function kindsOf(input: GrepInput): readonly Corpus['kind'][] {
  if (input.scope === 'files') return input.roles || input.depths ? [] : ['file']
  const kinds: Corpus['kind'][] = []
  if (input.scope !== 'summaries' && (input.roles || !input.depths)) kinds.push('message')
  if (input.scope !== 'messages' && (input.depths || !input.roles)) kinds.push('summary')
  return kinds
}

/** Decides which entries of a catalogue a search may hit. */
export class Filters {
  readonly #input: GrepInput
  readonly #within: RowLists | null
  readonly #window: RowLists | null

  /** @throws LcmError not_found, invalid_argument when `within` is no summary */
  constructor(db: ReadDb, histories: HistoryIndex, input: GrepInput) {
    this.#input = input
    this.#within = input.within === undefined ? null : below(db, histories, input.within)
    this.#window =
      input.inContext === undefined
        ? null
        : {
            message: seenMessages(db),
            summary: db.column<number>(queries.summariesInWindow),
            file: [],
          }
  }

  /** Whether an entry may be hit, by its index; null when all may. */
  allows(kind: Corpus['kind'], catalogue: Catalogue): ((index: number) => boolean) | null {
    const { conversationIds, roles, depths, afterMs, beforeMs, inContext } = this.#input
    const groups =
      kind === 'message' ? roles?.map((role) => ROLES.indexOf(role)) : kind === 'summary' ? depths : undefined
    const hasBounds = conversationIds || groups || afterMs !== undefined || beforeMs !== undefined
    if (!hasBounds && !this.#within && !this.#window) return null

    const conversations = conversationIds && new Set(conversationIds)
    const wantedGroups = groups && new Set(groups)
    const within = this.#within && new Set(this.#within[kind])
    const window = this.#window && new Set(this.#window[kind])
    return (index) => {
      const atMs = catalogue.times[index] as number
      const row = catalogue.rows[index] as number
      return (
        (!conversations || conversations.has(catalogue.conversationIds[index] as number)) &&
        (!wantedGroups || wantedGroups.has(catalogue.groups[index] as number)) &&
        (afterMs === undefined || atMs >= afterMs) &&
        (beforeMs === undefined || (atMs <= beforeMs && atMs !== Number.NEGATIVE_INFINITY)) &&
        (!within || within.has(row)) &&
        (!window || window.has(row) === inContext)
      )
    }
  }
}

/** Those in a window, without those of which the model no longer sees the text. */
function seenMessages(db: ReadDb): readonly number[] {
  const inWindow = db.column<number>(queries.messagesInWindow)
  const pruned = new Set(prunedMessages(db))
  return pruned.size === 0 ? inWindow : inWindow.filter((messageId) => !pruned.has(messageId))
}

/** Messages and summaries that a summary stands for. */
function below(db: ReadDb, histories: HistoryIndex, summaryId: string): RowLists {
  const node = findNode(db, summaryId)
  if (node.kind !== 'summary') {
    throw new LcmError('invalid_argument', `A search can be limited to a summary; ${summaryId} is a ${node.kind}.`, {
      id: summaryId,
    })
  }
  const graph = histories.graph(node.conversationId)
  const start = graph.indexOf(summaryId)
  const reached = [...reachable(graph, start)]
  const messages: number[] = []
  const ranges = graph.nodes[start]?.ranges ?? []
  for (let i = 0; i < ranges.length; i += 2) {
    for (const id of graph.history.ids.subarray(ranges[i], ranges[i + 1])) messages.push(id)
  }
  const ids = reached.filter((index) => index !== start).flatMap((index) => graph.nodes[index]?.id ?? [])
  return {
    message: [...messages, ...strayMessages(db, graph, reached)],
    summary: db.column<number>(queries.summaryRows, { ids: JSON.stringify(ids) }),
    file: [],
  }
}

function reachable(graph: SummaryGraph, start: number): Set<number> {
  const reached = new Set([start])
  // A set grows while it is walked.
  for (const index of reached) for (const source of graph.sources[index] ?? []) reached.add(source)
  return reached
}
