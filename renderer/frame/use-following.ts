import { useQuery } from '@tanstack/react-query'
import type { FollowState } from '#core/contract/servers.ts'
import { api } from '../api.ts'

const ASK_MS = 2000

export type Following = Pick<FollowState, 'state' | 'reason' | 'changes'>

/** Returns whether a copy of a conversation in PostgreSQL follows that, and what was changed in it. */
export function useFollowing(): Following {
  const { data } = useQuery(api.servers.following.queryOptions({ refetchInterval: ASK_MS }))
  return { state: data?.state ?? 'still', reason: data?.reason ?? null, changes: data?.changes ?? null }
}
