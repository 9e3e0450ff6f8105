import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { DepthTable } from './depth-table.tsx'
import { HealthLine } from './health-line.tsx'
import { LargestMessages } from './largest-messages.tsx'
import styles from './overview-view.module.css'
import { PressureFigures } from './pressure-figures.tsx'
import { PressureHistory } from './pressure-history.tsx'
import { RoleTable } from './role-table.tsx'
import { RunTable } from './run-table.tsx'

/** A conversation in figures. */
export function OverviewView({ conversationId }: { readonly conversationId: number }) {
  const overview = useQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  if (overview.error) return <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />
  if (!overview.data) return <Loading what="the overview" lines={7} />
  const { conversation, budgetTokens, depths, roles, largestMessages, runs } = overview.data
  return (
    <div className={styles.view}>
      <PressureFigures conversation={conversation} budgetTokens={budgetTokens} />
      <PressureHistory conversation={conversation} budgetTokens={budgetTokens} />
      <HealthLine />
      <div className={styles.columns}>
        <div className={styles.column}>
          <DepthTable depths={depths} />
          <RoleTable roles={roles} />
        </div>
        <div className={styles.column}>
          <LargestMessages messages={largestMessages} />
        </div>
      </div>
      <RunTable runs={runs} />
    </div>
  )
}
