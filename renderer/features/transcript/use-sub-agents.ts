import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ListedConversation } from '#core/contract/memory.ts'
import type { Message, TranscriptPage } from '#core/contract/message.ts'
import { api } from '#renderer/api.ts'
import { type PlacedAgent, PROMPT_CHARS, placeSubAgents, type StartedAgent } from './sub-agents.ts'
import type { RowRange } from './use-sight.ts'

const MOST_AGENTS = 500
/** Sub-agents this near to the rows in sight are placed, in steps of as many rows. */
const NEAR = 60
const NO_AGENTS: readonly ListedConversation[] = []

/** Returns the sub-agents near the rows in sight by the position at which they are drawn. */
export function useSubAgents(
  conversationId: number,
  inSight: RowRange,
  messageAt: (position: number) => Message | null | undefined,
): ReadonlyMap<number, readonly PlacedAgent[]> {
  const { data } = useQuery(
    api.conversations.list.queryOptions({ input: { parentConversationId: conversationId, limit: MOST_AGENTS } }),
  )
  const agents = data?.conversations ?? NO_AGENTS
  const beginnings = useQueries({
    queries: agents.map((agent) => ({
      ...api.transcript.page.queryOptions({
        input: { conversationId: agent.conversationId, offset: 0, limit: 1, contentChars: PROMPT_CHARS },
      }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: firstMessages,
  })
  // What a conversation is given as its beginning can be the beginning of the one that started it.
  const positions = useQueries({
    queries: agents.map(({ createdAtMs }, index) => {
      const beginning = beginnings[index]
      const atMs = beginning?.createdAtMs ?? createdAtMs
      return {
        ...api.transcript.positionAt.queryOptions({ input: { conversationId, atMs: atMs ?? 0 } }),
        enabled: beginning !== undefined && atMs !== null,
        staleTime: Number.POSITIVE_INFINITY,
      }
    }),
    combine: positionsIn,
  })
  const from = Math.floor(inSight.first / NEAR) * NEAR - NEAR
  const to = Math.ceil(inSight.last / NEAR) * NEAR + NEAR
  return useMemo(() => {
    const near = agents.flatMap((agent, index): StartedAgent[] => {
      const position = positions[index]
      const isNear = position !== undefined && position >= from && position <= to
      return isNear ? [{ ...agent, position, prompt: beginnings[index]?.content ?? null }] : []
    })
    return placeSubAgents(near, messageAt)
  }, [agents, beginnings, positions, from, to, messageAt])
}

type Answer<T> = { readonly data?: T | undefined }

// The same functions each time, so that their answers are the same while nothing has changed.
const firstMessages = (all: readonly Answer<TranscriptPage>[]) =>
  all.map(({ data }) => (data === undefined ? undefined : (data.messages[0] ?? null)))
const positionsIn = (all: readonly Answer<{ readonly position: number }>[]) => all.map(({ data }) => data?.position)
