import type { Grant } from '#core/contract/expand-query.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { Permitted } from '#core/search/planning/filters.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from '#core/systems/reading/change-stamp.ts'
import type { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { lookUp, messageNodeId, messageNumber } from '#core/systems/reading/node-id.ts'
import { fileReferences } from '#core/systems/records/files.ts'
import { summaryRowNumbers } from '#core/systems/records/summaries.ts'

/** A grant of at least this many levels is limited by its conversations only. */
export const ANY_DEPTH = 1_000

type Extent = Pick<Grant, 'conversationIds' | 'rootIds' | 'depth'>
/** The level below the roots of every id that may be read. */
export type Reach = ReadonlyMap<string, number>

/**
 * What of a memory may be read, as it is now: some nodes and a number of levels below them, or some conversations and so
 * many levels below their topmost summaries.
 */
export class Scope {
  readonly conversationIds: readonly number[]
  readonly #db: ReadDb
  readonly #reader: MemoryReader
  readonly #extent: Extent
  #known: { readonly stamp: string; readonly reach: Reach } | null = null

  constructor(db: ReadDb, reader: MemoryReader, extent: Extent) {
    this.#db = db
    this.#reader = reader
    this.#extent = extent
    this.conversationIds = extent.conversationIds
  }

  /** Null when everything in the conversations may be read. */
  get reach(): Reach | null {
    const { rootIds, depth } = this.#extent
    if (rootIds.length === 0 && depth >= ANY_DEPTH) return null
    const stamp = changeStamp(this.#db)
    if (this.#known?.stamp !== stamp) this.#known = { stamp, reach: reachOf(this.#db, this.#reader, this.#extent) }
    return this.#known.reach
  }

  /** True for what is there and may be read. */
  allows(id: string): boolean {
    const node = lookUp(this.#db, id)
    if (!node || !this.conversationIds.includes(node.conversationId)) return false
    const { reach } = this
    if (reach === null) return true
    if (node.kind !== 'file') return reach.has(node.id)
    // A file belongs to the messages and summaries that name it.
    const { messages, summaries } = fileReferences(this.#db, node.id, node.conversationId)
    return [...messages.map(messageNodeId), ...summaries.map((summary) => summary.id)].some((one) => reach.has(one))
  }

  /** True for what is there and must not be read. */
  hides(id: string): boolean {
    return lookUp(this.#db, id) !== null && !this.allows(id)
  }

  /** What a search may find, or null for all of the conversations. */
  permitted(): Permitted | null {
    const { reach } = this
    return reach === null ? null : { ...permittedOf(this.#db, reach), allowsFile: (id) => this.allows(id) }
  }
}

/** What a search of messages and summaries may find. */
export function permittedOf(db: ReadDb, reach: Reach): Permitted {
  const ids = [...reach.keys()]
  return {
    message: ids.flatMap((id) => messageNumber(id) ?? []),
    summary: summaryRowNumbers(db, ids),
    allowsFile: () => false,
  }
}

function reachOf(db: ReadDb, reader: MemoryReader, { conversationIds, rootIds, depth }: Extent): Reach {
  const reach = new Map<string, number>()
  const near = (id: string, level: number): void => {
    reach.set(id, Math.min(reach.get(id) ?? level, level))
  }
  for (const root of rootIds.flatMap((id) => lookUp(db, id) ?? [])) {
    if (!conversationIds.includes(root.conversationId)) continue
    near(root.id, 0)
    if (root.kind === 'summary') walk(reader.memory(root.conversationId), [root.id], { depth, conversationIds, near })
  }
  if (rootIds.length > 0) return reach
  for (const conversationId of conversationIds) {
    const memory = reader.memory(conversationId)
    const { messages, coverage } = memory
    const tops = topmost(memory)
    for (const id of tops) near(id, 0)
    for (let position = 0; position < messages.length; position += 1) {
      if ((coverage.leaf[position] as number) < 0) near(memory.messageId(position), 0)
    }
    walk(memory, tops, { depth, conversationIds, near })
  }
  return reach
}

/** The summaries of a conversation from which no other was made. */
const topmost = ({ messages, summaries, lineage }: Memory): string[] =>
  summaries.rows.flatMap(({ id, index, conversationId }) =>
    conversationId === messages.conversationId && (lineage.dependents[index] ?? []).length === 0 ? id : [],
  )

type Walk = {
  readonly depth: number
  readonly conversationIds: readonly number[]
  readonly near: (id: string, level: number) => void
}

/** Goes from summaries to their sources, level by level. In a damaged file some lie in other conversations. */
function walk({ messages, summaries, links }: Memory, from: readonly string[], { depth, conversationIds, near }: Walk) {
  let nodes = from.map((id) => summaries.nodeOf(id)).filter((node) => node >= 0)
  const seen = new Set(nodes)
  for (let level = 1; level <= depth && nodes.length > 0; level += 1) {
    for (const node of nodes) {
      for (const number of messages.idsIn(links.rangesOf(node))) near(messageNodeId(number), level)
    }
    for (const { messageId, conversationId } of links.messagesElsewhere(nodes)) {
      if (conversationIds.includes(conversationId)) near(messageNodeId(messageId), level)
    }
    nodes = nodes.flatMap((node) =>
      (links.sources[node] ?? []).filter(
        (source) =>
          !seen.has(source) && conversationIds.includes(summaries.at(source).conversationId) && seen.add(source),
      ),
    )
    for (const node of nodes) near(summaries.at(node).id, level)
  }
}
