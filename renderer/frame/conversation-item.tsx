import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { navigate } from '../routes.ts'
import { PressureBar } from '../ui/charts/pressure-bar.tsx'
import { brokenChainsOf } from '../ui/data/findings.ts'
import {
  conversationName,
  formatCompact,
  formatCount,
  formatPressure,
  isNamedBySession,
  plural,
  splitId,
} from '../ui/texts/format.ts'
import { formatAbsolute } from '../ui/texts/format-time.ts'
import { TailText } from '../ui/texts/tail-text.tsx'
import styles from './conversation-list.module.css'

/** Deeper ones stand below each other, so that room for names is left. */
const DEEPEST_INDENT = 5
const INDENT_PX = 12

type Props = {
  readonly row: ListedConversation
  readonly isCurrent: boolean
  readonly settings: CompactionSettings | undefined
  /** Null before a check. */
  readonly health: Health | null
}

/** One conversation: name, messages, and how full its window is. */
export function ConversationItem({ row, isCurrent, settings, health }: Props) {
  const depth = Math.min(row.family?.depth ?? 0, DEEPEST_INDENT)
  return (
    <button
      type="button"
      className={styles.item}
      aria-current={isCurrent ? 'true' : undefined}
      title={describe(row)}
      onClick={() => navigate({ conversationId: row.conversationId }, 'push')}
    >
      <span className={styles.line} style={{ paddingLeft: Math.max(0, depth - 1) * INDENT_PX }}>
        {row.parentConversationId !== null && (
          <span className="dim" role="img" aria-label={relationText(row, row.parentConversationId)}>
            ↳
          </span>
        )}
        <span className={styles.name}>
          <ItemName row={row} />
        </span>
        {row.family?.relation === 'fork' && <span className={styles.mark}>fork</span>}
        {row.internal && <span className={styles.mark}>internal</span>}
        {health !== null && health.brokenChain !== null && (
          <span className={styles.warning} title={health.brokenChain}>
            chain breaks
          </span>
        )}
        {health !== null && (
          <span
            className={styles.health}
            data-state={health.state}
            role="img"
            aria-label={health.text}
            title={health.text}
          />
        )}
        <span className={styles.count}>{formatCount(row.messages)}</span>
      </span>
      <PressureBar
        pressure={row.pressure}
        activeShare={
          settings && row.activeTokens !== null
            ? row.activeTokens / (row.ownBudgetTokens ?? settings.budgetTokens)
            : null
        }
        softThreshold={settings?.softThreshold ?? 1}
        hardThreshold={settings?.hardThreshold ?? 1}
      />
    </button>
  )
}

/** Where the conversation that it came from is not in the list, how it came from it is not known here. */
const relationText = ({ family }: ListedConversation, parentId: number): string =>
  family === undefined ? `came from conversation ${parentId}` : `${family.relation} of conversation ${parentId}`

/** Sessions are named by machines: their ends differ, not their beginnings. */
function ItemName({ row }: Pick<Props, 'row'>) {
  const name = conversationName(row)
  return isNamedBySession(row) ? <TailText {...splitId(name)} /> : <bdi className="cut">{name}</bdi>
}

function tokensText({ storedTokens, contextTokens, leftOutTokens, pressure }: ListedConversation): string {
  const stored = storedTokens === null ? 'tokens not counted yet' : `${formatCompact(storedTokens)} tokens stored`
  if (contextTokens === null || pressure === null) return stored
  const leftOut = leftOutTokens === null || leftOutTokens === 0 ? '' : `, ${formatCompact(leftOutTokens)} left out`
  return `${stored}, ${formatCompact(contextTokens)} in the window (${formatPressure(pressure)})${leftOut}`
}

function describe(row: ListedConversation): string {
  return [
    conversationName(row),
    `${plural(row.messages, 'message')}, ${plural(row.summaries, 'summary', 'summaries')}`,
    tokensText(row),
    row.updatedAtMs === null ? null : `changed ${formatAbsolute(row.updatedAtMs)}`,
    row.internal ?? null,
    row.parentConversationId === null ? null : relationText(row, row.parentConversationId),
    `session ${row.sessionId}`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}

type Health = {
  readonly state: 'error' | 'warning' | 'fine'
  readonly text: string
  /** What a resume would load, where it would not load the whole window. */
  readonly brokenChain: string | null
}

/** Returns what the last check found in a conversation, or null before a check. */
export function useHealth(): (conversationId: number) => Health | null {
  const { data: report } = useQuery(api.integrity.last.queryOptions())
  return useMemo((): ((conversationId: number) => Health | null) => {
    if (!report) return () => null
    const found = new Map(report.byConversation?.map((one) => [one.conversationId, one]))
    const broken = brokenChainsOf(report)
    return (conversationId) => {
      const brokenChain = broken.get(conversationId) ?? null
      const { errors = 0, warnings = 0 } = found.get(conversationId) ?? {}
      const parts = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')]
      const text = parts.filter(Boolean).join(', ')
      if (text !== '') return { state: errors > 0 ? 'error' : 'warning', text: `Check: ${text}`, brokenChain }
      const fine = report.only ? 'Check: nothing wrong in its structure' : 'Check: nothing wrong'
      return { state: 'fine', text: fine, brokenChain }
    }
  }, [report])
}
