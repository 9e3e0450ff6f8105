import type { ListedConversation } from '#core/contract/memory.ts'
import type { Message } from '#core/contract/message.ts'
import { blocksOf } from './blocks.ts'

/** A conversation that another one started. */
export type SubAgent = Pick<ListedConversation, 'conversationId' | 'title' | 'sessionId' | 'messages' | 'storedTokens'>

/** A conversation that another one started, and where in that one. */
export type StartedAgent = SubAgent & {
  /** The first message that is not older than it. */
  readonly position: number
  /** The beginning of its first message, which its call usually says, or null when it is not known. */
  readonly prompt: string | null
}

/** Below which block of a message sub-agents are drawn. The key is null for the end of the message. */
export type PlacedAgent = { readonly agent: SubAgent; readonly position: number; readonly key: string | null }

type MessageAt = (position: number) => Message | null | undefined

/** A call is looked for this near to the time at which its sub-agent begins. */
const BEFORE = 16
const AFTER = 3
/** This much of the first message of a sub-agent tells it from others. */
export const PROMPT_CHARS = 160

/** Places each sub-agent below the call that started it, or else below the last message before it. */
export function placeSubAgents(
  agents: readonly StartedAgent[],
  messageAt: MessageAt,
): ReadonlyMap<number, readonly PlacedAgent[]> {
  const placed = new Map<number, readonly PlacedAgent[]>()
  const taken = new Set<string>()
  for (const agent of agents) {
    const call = callOf(agent, messageAt, taken)
    const place = call ?? { position: Math.max(0, agent.position - 1), key: null }
    if (call) taken.add(`${call.position} ${call.key}`)
    placed.set(place.position, [...(placed.get(place.position) ?? []), { agent, ...place }])
  }
  return placed
}

function callOf(
  { position, prompt }: StartedAgent,
  messageAt: MessageAt,
  taken: ReadonlySet<string>,
): { readonly position: number; readonly key: string } | null {
  if (prompt === null || prompt.trim() === '') return null
  const wanted = JSON.stringify(prompt.slice(0, PROMPT_CHARS).replace(/…$/, '').trim()).slice(1, -1)
  for (let at = position + AFTER; at >= position - BEFORE; at--) {
    const message = messageAt(at)
    if (!message) continue
    const call = blocksOf(message).find(
      ({ key, ...block }) => block.kind === 'tool_call' && block.input.includes(wanted) && !taken.has(`${at} ${key}`),
    )
    if (call) return { position: at, key: call.key }
  }
  return null
}
