import { useMutation } from '@tanstack/react-query'
import type { Job } from '../../../core/contract/job.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'

/** Ends a scan; what was reported last stays. */
export function CancelScan({ job }: { readonly job: Job }) {
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  return (
    <Button disabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate({ jobId: job.jobId })}>
      {cancel.isSuccess ? 'Cancelling…' : 'Cancel'}
    </Button>
  )
}
