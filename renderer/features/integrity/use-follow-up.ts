import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api.ts'
import { nextJob } from './next-job.ts'

/** Lets a scan be followed by its plan, and a repair by a scan, for as long as the view is open. Both only read. */
export function useFollowUp(): void {
  const { data: jobs, refetch } = useQuery(api.jobs.list.queryOptions())
  const { data: report } = useQuery(api.integrity.last.queryOptions())
  // This is pending until the list of jobs contains what was started, so that nothing is started twice.
  const { mutate, isPending, isError } = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => refetch() }))
  const canStart = jobs !== undefined && report !== undefined && !isPending && !isError
  const kind = canStart ? nextJob({ jobs, report }) : null
  useEffect(() => {
    if (kind !== null) mutate({ kind })
  }, [kind, mutate])
}
