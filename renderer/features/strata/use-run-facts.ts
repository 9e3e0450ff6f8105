import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Overview } from '../../../core/contract/memory.ts'
import type { Strata } from '../../../core/contract/strata.ts'
import { api } from '../../api.ts'
import { formatCompact, plural } from '../../ui/format.ts'

/** What is known of a run besides its moment, in words: `threshold · 8 summaries · 16.2 k → 2.4 k tokens`. */
export type RunFacts = ReadonlyMap<string, string>

/** Returns what is known of the runs of a conversation, once it is there. */
export function useRunFacts({ conversationId, runs }: Pick<Strata, 'conversationId' | 'runs'>): RunFacts | undefined {
  const { data } = useQuery(
    api.conversations.overview.queryOptions({ input: runs.length === 0 ? skipToken : { conversationId } }),
  )
  return useMemo(() => data && new Map(data.runs.map((run) => [run.runId, factsOf(run)])), [data])
}

const factsOf = ({ reason, created, tokensBefore, tokensAfter }: Overview['runs'][number]): string =>
  [
    reason,
    ...(created > 0 ? [plural(created, 'summary', 'summaries')] : []),
    ...(tokensBefore === null || tokensAfter === null
      ? []
      : [`${formatCompact(tokensBefore)} → ${formatCompact(tokensAfter)} tokens`]),
  ].join(' · ')
