import { LcmError } from '../errors.ts'
import { EVENT, IN_WINDOW } from '../memory/coverage.ts'
import type { Memory } from '../memory/memory.ts'
import type { MessageRange } from '../systems/reading/message-range.ts'
import { messageNumber } from '../systems/reading/node-id.ts'
import { type Foot, ladderOf } from './ladder.ts'
import { windowIds } from './node-texts.ts'

/** What left a window, and what the window held then. */
export type Change = {
  readonly left: readonly string[]
  readonly after: readonly string[]
  readonly fromAtMs: number | null
  readonly toAtMs: number | null
  readonly notes: readonly string[]
}

/** Everything that a summary was made from, with that summary as the window. */
export function atSummary(memory: Memory, id: string): Change {
  const { summaries, links, messages } = memory
  const node = summaries.nodeOf(id)
  if (node < 0) {
    const message = `There is no summary "${id}" in this conversation: "lcm tree" lists its summaries.`
    throw new LcmError('not_found', message, { id })
  }
  const sources = (links.sources[node] ?? []).filter((source) => source !== node)
  const left = [
    ...messages.idsIn(links.rangesOf(node)).map((number) => `msg_${number}`),
    ...[...new Set(sources)].map((source) => summaries.at(source).id),
  ]
  return { left, after: [id], fromAtMs: null, toAtMs: summaries.at(node).createdAtMs, notes: [] }
}

/** Returns which messages of a range are not in the window themselves, and the window as it is now. */
export function ofMessages(memory: Memory, { first, end }: MessageRange): Change {
  const { coverage } = memory
  const left: string[] = []
  for (let position = first; position < end; position += 1) {
    const state = coverage.messageStates[position]
    if (state !== IN_WINDOW && state !== EVENT) left.push(memory.messageId(position))
  }
  return { left, after: windowIds(memory), fromAtMs: null, toAtMs: null, notes: [] }
}

type Group = { readonly way: readonly number[]; readonly ids: readonly string[] }

/** Groups what left a window by the way that leads from it to what is in the window now. */
export function groupsOf(memory: Memory, left: readonly string[], isAfter: ReadonlySet<string>): Group[] {
  const { summaries, messages } = memory
  const isThere = (node: number): boolean => isAfter.has(summaries.at(node).id)
  const groups = new Map<string, { way: readonly number[]; ids: string[] }>()
  const ways = new Map<string, readonly number[]>()
  for (const id of left) {
    const number = messageNumber(id)
    const position = number === null ? -1 : messages.positionOf(number)
    const node = number === null ? summaries.nodeOf(id) : -1
    if (position < 0 && node < 0) continue
    const from =
      position >= 0
        ? `leaf ${memory.coverage.leaf[position]} ${memory.coverage.shared.has(position) ? position : ''}`
        : `node ${node}`
    const way = ways.get(from) ?? wayTo(memory, position >= 0 ? { position } : { node }, isThere)
    ways.set(from, way)
    const key = way.join(' ')
    const group = groups.get(key) ?? { way, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Returns the way to the window that is meant; nothing when none leads there. */
function wayTo(memory: Memory, foot: Foot, isThere: (node: number) => boolean): readonly number[] {
  const { way } = ladderOf(memory, foot, isThere)
  const top = way.at(-1)
  return top !== undefined && isThere(top) ? way : []
}
