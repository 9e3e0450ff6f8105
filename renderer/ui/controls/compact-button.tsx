import { navigate } from '#renderer/routes.ts'
import { Button } from './button.tsx'

/** Leads to the plan of a compaction, from where its need is read. */
export function CompactButton() {
  return (
    <Button
      title="What a compaction would do, before anything happens"
      onClick={() => navigate({ view: 'compact' }, 'push')}
    >
      Compact…
    </Button>
  )
}
