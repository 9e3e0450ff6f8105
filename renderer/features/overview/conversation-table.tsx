import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import { type ListRange, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { CompactionSettings } from '../../../core/contract/compaction.ts'
import type { ConversationSort, ListedConversation } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { navigate } from '../../routes.ts'
import { classNames } from '../../ui/class-names.ts'
import { conversationName } from '../../ui/conversation-name.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCompact, formatCount, formatPressure, plural } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { PressureBar } from '../../ui/pressure-bar.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { useConversations } from '../../ui/use-conversations.ts'
import { useListKeys } from '../../ui/use-list-keys.ts'
import styles from './conversation-table.module.css'
import { type Losses, useLosses } from './use-losses.ts'

type Column = { readonly name: string; readonly hint: string; readonly sort: ConversationSort | null }

const COLUMNS: readonly Column[] = [
  { name: 'conversation', hint: 'Changed last', sort: 'change' },
  { name: 'messages', hint: 'Messages stored', sort: 'messages' },
  { name: 'stored', hint: 'Tokens of all messages', sort: 'size' },
  { name: 'window', hint: 'How full the window is', sort: 'pressure' },
  { name: 'compacted', hint: 'The last run, or the newest summary of a file that records no runs', sort: 'compaction' },
  { name: 'findings', hint: 'What the last check found', sort: 'findings' },
  {
    name: 'lost details',
    hint: 'Details of compacted messages that stand nowhere in the window. Counted for the rows in sight.',
    sort: null,
  },
]

type Props = {
  readonly found: ReturnType<typeof useConversations>
  readonly sort: ConversationSort
  readonly isReversed: boolean
  readonly onSort: (sort: ConversationSort) => void
}

/** Conversations as rows of one table, page by page as it is scrolled. */
export function ConversationTable({ found, sort, isReversed, onSort }: Props) {
  const settings = useQuery(api.memory.settings.queryOptions())
  const isChecked = useQuery(api.integrity.last.queryOptions()).data != null
  const list = useRef<VirtuosoHandle>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const [range, setRange] = useState<ListRange>({ startIndex: 0, endIndex: 0 })
  const rows = found.rows ?? []
  const losses = useLosses(rows.slice(range.startIndex, range.endIndex + 1))
  const index = rows.findIndex(({ conversationId }) => conversationId === selected)
  const select = (to: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, to))
    const row = rows[at]
    if (row === undefined) return
    setSelected(row.conversationId)
    list.current?.scrollIntoView({ index: at })
  }
  const keys = {
    move: (steps: 1 | -1) => select(index + steps),
    start: () => select(0),
    end: () => select(rows.length - 1),
    open: () => selected !== null && openConversation(selected),
  }
  useListKeys(keys)
  const press = (event: KeyboardEvent) => {
    const steps = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
    if (steps === undefined) return
    event.preventDefault()
    keys.move(steps)
  }
  if (found.error && found.rows === null) return <ErrorState error={found.error} onRetry={found.retry} />
  if (found.rows === null) return <Loading what="conversations" lines={7} />
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    <div
      className={styles.table}
      role="grid"
      aria-label="All conversations"
      aria-rowcount={(found.counts?.found ?? rows.length) + 1}
      aria-activedescendant={index < 0 ? undefined : `conversation-${selected}`}
      tabIndex={0}
      onKeyDown={press}
    >
      <TableHead sort={sort} isReversed={isReversed} onSort={onSort} />
      {rows.length === 0 && <EmptyState title="No conversation fits">Choose fewer filters or other words.</EmptyState>}
      <Virtuoso
        ref={list}
        className={styles.rows}
        role="rowgroup"
        data={rows}
        computeItemKey={(_, row) => row.conversationId}
        fixedItemHeight={28}
        tabIndex={-1}
        endReached={found.more}
        rangeChanged={setRange}
        itemContent={(_, row) => (
          <ConversationLine
            row={row}
            settings={settings.data}
            isSelected={row.conversationId === selected}
            isChecked={isChecked}
            losses={losses}
            onSelect={setSelected}
          />
        )}
      />
    </div>
  )
}

function TableHead({ sort, isReversed, onSort }: Omit<Props, 'found'>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus
    <div role="row" className={classNames(styles.row, styles.head)}>
      {COLUMNS.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: see the grid
        // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
        <div
          key={column.name}
          role="columnheader"
          aria-sort={column.sort !== sort ? 'none' : isReversed ? 'ascending' : 'descending'}
        >
          {column.sort === null ? (
            <span title={column.hint}>{column.name}</span>
          ) : (
            <button
              type="button"
              title={`${column.hint}: sort by it`}
              onClick={() => column.sort !== null && onSort(column.sort)}
            >
              {column.name}
              {column.sort === sort && <span aria-hidden="true">{isReversed ? ' ↑' : ' ↓'}</span>}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}

type LineProps = {
  readonly row: ListedConversation
  readonly settings: CompactionSettings | undefined
  readonly isSelected: boolean
  /** Whether the file was checked in this session. */
  readonly isChecked: boolean
  readonly losses: Losses
  readonly onSelect: (conversationId: number) => void
}

function ConversationLine({ row, settings, isSelected, isChecked, losses, onSelect }: LineProps) {
  const { conversationId, parentConversationId, messages, storedTokens, pressure, activeTokens } = row
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys and Enter do the same
    <div
      id={`conversation-${conversationId}`}
      role="row"
      className={classNames(styles.row, styles.line, isSelected && styles.selected)}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={() => onSelect(conversationId)}
      onDoubleClick={() => openConversation(conversationId)}
    >
      <Cell>
        {parentConversationId !== null && (
          <span className={styles.dim} title={`Sub-agent of conversation ${parentConversationId}`}>
            ↳{' '}
          </span>
        )}
        <button type="button" className={styles.name} tabIndex={-1} onClick={() => openConversation(conversationId)}>
          <bdi>{conversationName(row)}</bdi>
        </button>
      </Cell>
      <Cell>{formatCount(messages)}</Cell>
      <Cell>{storedTokens === null ? '…' : formatCompact(storedTokens)}</Cell>
      <Cell>
        <span className={styles.window}>
          <PressureBar
            pressure={pressure}
            activeShare={settings && activeTokens !== null ? activeTokens / settings.budgetTokens : null}
            softThreshold={settings?.softThreshold ?? 1}
            hardThreshold={settings?.hardThreshold ?? 1}
          />
          <span className={styles.share}>{pressure === null ? '…' : formatPressure(pressure)}</span>
        </span>
      </Cell>
      <Cell>{row.compactedAtMs == null ? <Never /> : <TimeText atMs={row.compactedAtMs} form="short" />}</Cell>
      <Cell>
        <Found findings={isChecked ? row.findings : undefined} />
      </Cell>
      <Cell>{row.summaries === 0 ? <Never /> : <Lost conversationId={conversationId} losses={losses} />}</Cell>
    </div>
  )
}

const Never = () => (
  <span className={styles.dim} title="Never compacted">
    –
  </span>
)

function Found({ findings }: { readonly findings: ListedConversation['findings'] }) {
  if (findings === undefined)
    return (
      <span className={styles.dim} title="Not checked since the file was opened">
        –
      </span>
    )
  const { error, warning } = findings
  const words = [error > 0 && plural(error, 'error'), warning > 0 && plural(warning, 'warning')].filter(Boolean)
  return (
    <span className={styles.found} title="A check lists at most 20 of its findings">
      <span className={styles.dot} data-state={error > 0 ? 'error' : warning > 0 ? 'warning' : 'fine'} aria-hidden />
      {words.length === 0 ? <span className={styles.dim}>none listed</span> : words.join(', ')}
    </span>
  )
}

function Lost({ conversationId, losses }: Pick<LineProps, 'losses'> & { readonly conversationId: number }) {
  const loss = losses.get(conversationId)
  if (loss === undefined) return <span className={styles.dim}>…</span>
  if (loss === 'failed') return <span className={styles.dim}>not counted</span>
  const lost = loss.details - loss.kept
  return (
    <span
      className={styles.lost}
      title={`${formatCount(lost)} of ${formatCount(loss.details)} details of compacted messages stand nowhere in the window`}
    >
      <span className={styles.track}>
        <span className={styles.bar} style={{ width: `${(lost / (loss.details || 1)) * 100}%` }} />
      </span>
      {lost === 0 ? <span className={styles.dim}>none</span> : formatCount(lost)}
    </span>
  )
}

function Cell({ children }: { readonly children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the row
    <div role="gridcell" tabIndex={-1}>
      {children}
    </div>
  )
}

const openConversation = (conversationId: number): void =>
  navigate({ conversationId, selection: null, shown: { 'overview.scope': null } }, 'push')
