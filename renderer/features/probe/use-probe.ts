import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '#core/contract/job.ts'
import type { GivenQuestion, ProbedQuestion, ProbeOutcome, ProbeWindow } from '#core/contract/probe.ts'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import type { Moment } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { useRoute } from '#renderer/routes.ts'

export type Probe = {
  /** The newest probe of the conversation, whoever started it. */
  readonly job: Job | null
  /** What the last one that ended found, with its job. */
  readonly found: { readonly jobId: string; readonly outcome: ProbeOutcome } | null
  readonly isRunning: boolean
  readonly error: unknown
  readonly start: (asked: AskedProbe) => void
}

type AskedProbe = {
  readonly at: Moment
  readonly compare: ProbeWindow | null
  readonly limit: number
  readonly questions: readonly GivenQuestion[] | null
  /** The marked messages, to which it is limited. */
  readonly between: MessageEnds | null
}

/** The probes of a conversation: the list of jobs keeps them, so that they outlive the view and a reload. */
export function useProbe(conversationId: number): Probe {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => void jobs.refetch() }))
  const own = jobs.data?.filter((job) => job.kind === 'probe' && job.conversationId === conversationId) ?? []
  const [job = null] = own
  return {
    job,
    found: foundIn(own),
    isRunning: start.isPending || job?.state === 'running' || (start.isSuccess && !isListed(jobs.data, start.data)),
    error: start.error ?? jobs.error ?? (job?.state === 'failed' ? job.error : null),
    start: ({ at, compare, limit, questions, between }) =>
      start.mutate({
        ...{ kind: 'probe', conversationId, at, limit, compare: compare === null ? [] : [compare], ...between },
        ...(questions !== null && { questions: [...questions] }),
      }),
  }
}

const isListed = (jobs: readonly Job[] | undefined, { jobId }: { readonly jobId: string }): boolean =>
  jobs?.some((job) => job.jobId === jobId) ?? false

function foundIn(jobs: readonly Job[]): Probe['found'] {
  for (const { jobId, result } of jobs) if (result?.kind === 'probe') return { jobId, outcome: result.value }
  return null
}

/** The question that the address names, or null. */
export function useProbedQuestion(): ProbedQuestion | null {
  const { conversationId, probe } = useRoute()
  const { found } = useProbe(conversationId ?? -1)
  if (probe.question === null) return null
  return found?.outcome.reports[0]?.report.questions[probe.question - 1] ?? null
}

export type OwnQuestions = { readonly text: string; readonly questions: readonly GivenQuestion[] }

/** Questions of the user, which stay for as long as the window does. */
export function useOwnQuestions(): readonly [OwnQuestions | null, (own: OwnQuestions | null) => void] {
  const queries = useQueryClient()
  const key = ['probe', 'own-questions']
  const [own, setOwn] = useState(() => queries.getQueryData<OwnQuestions | null>(key) ?? null)
  return [
    own,
    (next) => {
      queries.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY })
      queries.setQueryData(key, next)
      setOwn(next)
    },
  ]
}
