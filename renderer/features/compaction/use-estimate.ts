import { skipToken, useQuery } from '@tanstack/react-query'
import type { CompactionPlan, CompactRequest } from '../../../core/contract/compaction.ts'
import { api } from '../../api.ts'
import { providersOf } from '../../ui/summarizers.ts'
import { estimateRun, type ModelEstimate, overheadOf } from './model-estimate.ts'

/** What the plan would ask of the model that the request names; null where none is asked. */
export function useEstimate(request: CompactRequest, plan: CompactionPlan | null): ModelEstimate | null {
  const report = useQuery(api.settings.report.queryOptions())
  const [provider] = report.data ? providersOf(request.summarizer ?? '', report.data) : []
  const [first] = plan?.steps ?? []
  const isAsked = provider !== undefined && first !== undefined
  const preview = useQuery(
    api.compaction.prompt.queryOptions({ input: isAsked ? { ...request, step: 0 } : skipToken, retry: false }),
  )
  if (!isAsked || plan === null || report.data === undefined) return null
  const overheadTokens = overheadOf(preview.data, first)
  return estimateRun({ plan, provider, overheadTokens, capTokens: report.data.spendCapTokens })
}
