import { ROLES, type Role } from '../contract/ids.ts'
import { ABSENT, IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { tokenCount } from '../window/window.ts'

/** Where a ladder begins: a message by its position, or a summary by its node. */
export type Foot = { readonly position: number } | { readonly node: number }

/** The summaries that stand for a message or summary: those on the way to the window, nearest first, and all others. */
export type Ladder = { readonly way: readonly number[]; readonly others: readonly number[] }

/** More summaries beside the way than these are not listed. */
const MOST_OTHERS = 50

/**
 * Returns the shortest way from a message or summary to a summary in the window. When none leads there, it is the way to
 * a summary without dependents. Cycles and missing summaries end a way.
 * @param isInWindow whether a summary stands in the window that is meant (default: the stored one)
 */
export function ladderOf(
  memory: Memory,
  foot: Foot,
  isInWindow: (node: number) => boolean = (node) => isSummaryInWindow(memory, node),
): Ladder {
  const { links, coverage } = memory
  const first = 'node' in foot ? dependentsOf(memory, foot.node) : leavesOf(memory, foot.position)
  const from = new Map<number, number | null>(first.map((node) => [node, null]))
  // A Map may grow while it is iterated; what is added is visited, too, the nearest first.
  for (const node of from.keys()) {
    for (const dependent of links.dependents[node] ?? []) {
      const isFoot = 'node' in foot && dependent === foot.node
      if (!isFoot && !from.has(dependent)) from.set(dependent, node)
    }
  }
  const nodes = [...from.keys()]
  const top =
    nodes.find(isInWindow) ??
    nodes.findLast((node) => coverage.nodeStates[node] !== ABSENT) ??
    nodes.findLast((node) => (links.dependents[node]?.length ?? 0) === 0) ??
    nodes[0]
  const way: number[] = []
  for (let node: number | null | undefined = top; node !== null && node !== undefined; node = from.get(node))
    way.unshift(node)
  const isOnWay = new Set(way)
  return { way, others: nodes.filter((node) => !isOnWay.has(node)).slice(0, MOST_OTHERS) }
}

const dependentsOf = ({ links }: Memory, node: number): number[] =>
  [...new Set(links.dependents[node] ?? [])].filter((dependent) => dependent !== node)

function leavesOf({ coverage }: Memory, position: number): number[] {
  const leaf = coverage.leaf[position] ?? -1
  if (leaf < 0) return []
  const shared = coverage.shared.get(position) ?? []
  return [leaf, ...shared.filter((node) => node !== leaf)]
}

const isMessageInWindow = ({ coverage }: Memory, position: number): boolean =>
  coverage.messageStates[position] === IN_WINDOW

const isSummaryInWindow = ({ window }: Memory, node: number): boolean => (window.summaryCounts[node] ?? 0) > 0

/** Returns where the ladder of a message or summary begins, or null when its conversation does not hold it. */
export function footOf(memory: Memory, id: string): Foot | null {
  const number = messageNumber(id)
  if (number !== null) {
    const position = memory.messages.positionOf(number)
    return position < 0 ? null : { position }
  }
  const node = memory.summaries.nodeOf(id)
  return node < 0 ? null : { node }
}

export const isFootInWindow = (memory: Memory, foot: Foot): boolean =>
  'position' in foot ? isMessageInWindow(memory, foot.position) : isSummaryInWindow(memory, foot.node)

/** The facts that are shown of a message or summary. */
type NodeFacts = {
  readonly kind: 'message' | 'leaf' | 'condensed'
  /** The position of a message; −1 for a summary and for a message of another conversation. */
  readonly position: number
  readonly role: Role | null
  readonly seq: number | null
  /** The depth of a summary; −1 for a message. */
  readonly depth: number
  readonly atMs: number | null
  readonly tokens: number
}

/** Returns what a memory knows of a message or summary: nothing but its kind when it does not hold it. */
export function nodeFacts({ messages, summaries }: Memory, id: string): NodeFacts {
  const number = messageNumber(id)
  if (number !== null) {
    const position = messages.positionOf(number)
    if (position < 0) return { kind: 'message', position, role: null, seq: null, depth: -1, atMs: null, tokens: 0 }
    const atMs = messages.createdAtMs[position] ?? Number.NaN
    return {
      kind: 'message',
      position,
      role: ROLES[messages.roles[position] ?? -1] ?? null,
      seq: messages.seqs[position] ?? null,
      depth: -1,
      atMs: Number.isNaN(atMs) ? null : atMs,
      tokens: tokenCount(messages.tokensAt(position)),
    }
  }
  const none = { position: -1, role: null, seq: null }
  const node = summaries.nodeOf(id)
  if (node < 0) return { kind: 'leaf', ...none, depth: 0, atMs: null, tokens: 0 }
  const { depth, createdAtMs, tokens } = summaries.at(node)
  return {
    kind: summaries.kindOf(node),
    ...none,
    depth: tokenCount(depth),
    atMs: createdAtMs,
    tokens: tokenCount(tokens),
  }
}
