import type { MemoryInfo } from '#core/contract/memory.ts'
import { CompactionView } from '../features/compaction/compaction-view.tsx'
import { PlanStrip } from '../features/strata/plan-strip.tsx'

type Props = { readonly conversationId: number; readonly info: MemoryInfo }

/** Compaction, with its plan drawn over the strata. */
export function CompactWithStrata({ conversationId, info }: Props) {
  return (
    <CompactionView
      conversationId={conversationId}
      info={info}
      renderStrip={(plan) => <PlanStrip conversationId={conversationId} {...plan} />}
    />
  )
}
