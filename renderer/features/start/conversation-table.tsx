import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ListRange } from 'react-virtuoso'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { navigate } from '#renderer/routes.ts'
import { PressureBar } from '#renderer/ui/charts/pressure-bar.tsx'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import type { useConversations } from '#renderer/ui/data/use-conversations.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { conversationName, formatCompact, formatCount, formatPressure, plural } from '#renderer/ui/texts/format.ts'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { FIRST_VIEW } from '#renderer/views.ts'
import styles from './conversation-table.module.css'
import { byLoss, type Loss, type Losses } from './start-figures.ts'

/** The orders of the table. `lost` is that of the rows that are loaded; all others are those of the memory. */
export const TABLE_SORTS = ['change', 'messages', 'size', 'pressure', 'compaction', 'findings', 'lost'] as const
type TableSort = (typeof TABLE_SORTS)[number]

const ROW_PX = 28

type Props = {
  readonly found: ReturnType<typeof useConversations>
  readonly selected: number
  readonly onSelect: (conversationId: number) => void
  readonly sort: TableSort
  readonly isReversed: boolean
  readonly onSort: (sort: TableSort) => void
}

/** Conversations as rows of one table, page by page as it is scrolled. */
export function ConversationTable({ found, selected, onSelect, sort, isReversed, onSort }: Props) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const checked = useQuery(api.integrity.last.queryOptions()).data ?? null
  const [{ startIndex, endIndex }, setRange] = useState<ListRange>({ startIndex: 0, endIndex: 0 })
  const all = found.rows ?? []
  const losses = useLosses(sort === 'lost' ? all : all.slice(startIndex, endIndex + 1))
  const rows = sort === 'lost' ? byLoss(all, losses, isReversed) : all
  const columns = useMemo(
    () => columnsOf(settings.data, checked === null ? null : (checked.only ?? 'everything'), losses),
    [settings.data, checked, losses],
  )
  if (found.error && found.rows === null) return <ErrorState error={found.error} onRetry={found.retry} />
  if (found.rows === null) return <Loading what="conversations" lines={7} />
  return (
    <>
      {rows.length === 0 && <EmptyState title="No conversation fits">Choose fewer filters or other words.</EmptyState>}
      {sort === 'lost' && <Counted rows={rows} losses={losses} hasMore={found.hasMore} />}
      {/* No higher than its rows, so that what follows stands right below them. */}
      <div className={styles.place} style={{ maxHeight: `calc(var(--table-heads) + ${rows.length * ROW_PX}px)` }}>
        <DataTable
          label="All conversations"
          rows={rows}
          total={found.counts?.found}
          columns={columns}
          layout={styles.columns}
          keyOf={({ conversationId }) => conversationId}
          rowPx={ROW_PX}
          selected={selected}
          onSelect={({ conversationId }) => onSelect(conversationId)}
          onOpen={({ conversationId }) => openConversation(conversationId)}
          isMain
          onEnd={found.more}
          onRange={setRange}
          sort={{ by: sort, isDescending: !isReversed, onSort: (id) => onSort(id as TableSort) }}
        />
      </div>
    </>
  )
}

type CountedProps = {
  readonly rows: readonly ListedConversation[]
  readonly losses: Losses
  readonly hasMore: boolean
}

/** How far the losses are counted, because rows without a count stand below all others. */
function Counted({ rows, losses, hasMore }: CountedProps) {
  const compacted = rows.filter(({ summaries }) => summaries > 0).length
  if (losses.size >= compacted && !hasMore) return null
  return (
    <p className={styles.note} role="status">
      {losses.size < compacted
        ? `Counting losses: ${formatCount(losses.size)} of ${plural(compacted, 'compacted conversation')}.`
        : `Sorted among the ${formatCount(rows.length)} conversations that are loaded; scroll down to load more.`}
    </p>
  )
}

type Checked = 'everything' | 'structure' | null

type TableColumn = Column<ListedConversation> & { readonly id: TableSort | 'name' }

const columnsOf = (
  settings: CompactionSettings | undefined,
  checked: Checked,
  losses: Losses,
): readonly TableColumn[] => [
  { id: 'name', title: 'conversation', isSortable: false, cell: (row) => <Name row={row} /> },
  {
    id: 'change',
    title: 'changed',
    hint: 'The last change',
    cell: ({ updatedAtMs }) => <TimeText atMs={updatedAtMs} form="short" />,
  },
  {
    id: 'messages',
    title: 'messages',
    hint: 'Messages stored',
    className: styles.figure,
    cell: ({ messages }) => formatCount(messages),
  },
  {
    id: 'size',
    title: 'stored',
    hint: 'Tokens of all messages',
    className: styles.figure,
    cell: ({ storedTokens }) => (storedTokens === null ? '…' : formatCompact(storedTokens)),
  },
  {
    id: 'pressure',
    title: 'window',
    hint: 'How full the window is: of its own size where the file records one, otherwise of the configured one',
    cell: (row) => <Window row={row} settings={settings} />,
  },
  {
    id: 'compaction',
    title: 'compacted',
    hint: 'The last compaction, or the newest summary of a file that records none',
    cell: ({ compactedAtMs }) => (compactedAtMs == null ? <Never /> : <TimeText atMs={compactedAtMs} form="short" />),
  },
  {
    id: 'findings',
    title: 'findings',
    hint: 'What the last check found',
    cell: ({ findings }) => <Found findings={findings} checked={checked} />,
  },
  {
    id: 'lost',
    title: 'lost details',
    hint: 'Details of compacted messages that stand nowhere in the window, counted one conversation after another',
    className: styles.figure,
    cell: ({ conversationId, summaries }) => (summaries === 0 ? <Never /> : <Lost loss={losses.get(conversationId)} />),
  },
]

function Name({ row }: { readonly row: ListedConversation }) {
  const { conversationId, parentConversationId } = row
  return (
    <span className={styles.titled}>
      {parentConversationId !== null && (
        <span className="dim" title={`Sub-agent of conversation ${parentConversationId}`}>
          ↳{' '}
        </span>
      )}
      <button type="button" className={styles.name} tabIndex={-1} onClick={() => openConversation(conversationId)}>
        <bdi className="cut">{conversationName(row)}</bdi>
      </button>
    </span>
  )
}

type WindowProps = { readonly row: ListedConversation; readonly settings: CompactionSettings | undefined }

function Window({ row: { pressure, activeTokens, ownBudgetTokens }, settings }: WindowProps) {
  return (
    <span className={styles.window}>
      <PressureBar
        pressure={pressure}
        activeShare={
          settings && activeTokens !== null ? activeTokens / (ownBudgetTokens ?? settings.budgetTokens) : null
        }
        softThreshold={settings?.softThreshold ?? 1}
        hardThreshold={settings?.hardThreshold ?? 1}
      />
      <span className={styles.share}>{pressure === null ? '…' : formatPressure(pressure)}</span>
    </span>
  )
}

const Never = () => (
  <span className="dim" title="Never compacted">
    –
  </span>
)

type FoundProps = { readonly findings: ListedConversation['findings']; readonly checked: Checked }

function Found({ findings, checked }: FoundProps) {
  if (checked === null || findings === undefined)
    return (
      <span className="dim" title="Not checked since the file was opened">
        not checked
      </span>
    )
  const { error, warning } = findings
  const words = [error > 0 && plural(error, 'error'), warning > 0 && plural(warning, 'warning')].filter(Boolean)
  return (
    <span
      className={styles.found}
      title={checked === 'structure' ? 'Only the structure was checked, no texts' : 'What the last check found'}
    >
      <span className={styles.dot} data-state={error > 0 ? 'error' : warning > 0 ? 'warning' : 'fine'} aria-hidden />
      {words.length === 0 ? (
        <span className="dim">none</span>
      ) : (
        <span className={styles.counts}>{words.join(', ')}</span>
      )}
    </span>
  )
}

function Lost({ loss }: { readonly loss: Loss | 'failed' | undefined }) {
  if (loss === undefined) return <span className="dim">…</span>
  if (loss === 'failed') return <span className="dim">not counted</span>
  const lost = loss.details - loss.kept
  return (
    <span
      className={styles.lost}
      title={`${formatCount(lost)} of ${formatCount(loss.details)} details of compacted messages stand nowhere in the window`}
    >
      <span className={styles.track}>
        <span className={styles.bar} style={{ width: `${(lost / (loss.details || 1)) * 100}%` }} />
      </span>
      {lost === 0 ? <span className="dim">none</span> : formatCount(lost)}
    </span>
  )
}

const openConversation = (conversationId: number): void =>
  navigate({ conversationId, view: FIRST_VIEW, selection: null }, 'push')

/** Counts are kept this long after their row left the screen. */
const KEPT_MS = 10 * 60_000

const lossOf = (conversationId: number) =>
  api.trace.survival.queryOptions({ input: { conversationId, limit: 0 }, gcTime: KEPT_MS, retry: false })

/**
 * Returns what these conversations have lost, as far as it was counted. Counting reads all texts, so one
 * conversation is counted at a time; when its row leaves the screen, the core stops.
 */
function useLosses(rows: readonly ListedConversation[]): Losses {
  const queries = useQueryClient()
  const compacted = rows.filter(({ summaries }) => summaries > 0).map(({ conversationId }) => conversationId)
  const isWanted = (id: number): boolean => {
    const state = queries.getQueryState(lossOf(id).queryKey)
    return state === undefined || state.status === 'pending' || state.isInvalidated
  }
  const next = compacted.find(isWanted)
  const results = useQueries({ queries: compacted.map((id) => ({ ...lossOf(id), enabled: id === next })) })
  const losses = new Map<number, Loss | 'failed'>()
  for (const [index, id] of compacted.entries()) {
    const { data, error } = results[index] ?? {}
    if (data) losses.set(id, { details: data.totalDetails, kept: data.totalKept })
    else if (error) losses.set(id, 'failed')
  }
  return losses
}
