import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FleetQuery, FleetRow } from '#core/contract/fleet.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { ProgressBar } from '#renderer/ui/charts/progress-bar.tsx'
import { Button } from '#renderer/ui/controls/button.tsx'
import { HomeButton } from '#renderer/ui/controls/home-button.tsx'
import { ThemeMenu } from '#renderer/ui/controls/theme-menu.tsx'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
import { ConnectDialog } from '#renderer/ui/parts/connect-dialog.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { OpeningRefusal } from '#renderer/ui/states/opening-refusal.tsx'
import { type Opening, useOpening } from '#renderer/ui/states/use-opening.ts'
import bar from '#renderer/ui/styles/page-bar.module.css'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { AlarmLine, type Filters, FleetFilters, filterInput, isFiltered, NO_FILTERS } from './fleet-filters.tsx'
import styles from './fleet-page.module.css'
import { firstPageIn, fleetPages } from './fleet-pages.ts'
import { FleetTable, rowKey } from './fleet-table.tsx'
import { EMPTY_QUESTION, type Question, TenantSearch, TenantSearchField } from './tenant-search.tsx'

const TYPING_MS = 250

/** All conversations in a PostgreSQL database that the user may see. Opening one copies it into a file. */
export function FleetPage({ address }: { readonly address: string }) {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS)
  const [sort, setSort] = useState<FleetQuery['sort']>('pressure')
  const [question, setQuestion] = useState<Question>(EMPTY_QUESTION)
  const [isConnecting, setConnecting] = useState(false)
  const asked = useDebounced(filters, TYPING_MS)
  const opening = useOpening(address)
  const queries = useQueryClient()
  const query = fleetPages({ ...filterInput(asked), address, sort })
  const pages = useInfiniteQuery(query)
  const first = pages.data?.pages[0]
  const searched = question.text.trim() === '' ? null : filters.tenant
  // One that changes while somebody reads on may be on two pages.
  const read = pages.data?.pages.flatMap(({ conversations }) => conversations) ?? []
  const rows: readonly FleetRow[] = [...new Map(read.map((row) => [rowKey(row), row])).values()]
  return (
    <div className={styles.page}>
      <header className={bar.bar}>
        <HomeButton />
        <span className={styles.address} title={address}>
          {address}
        </span>
        <div className={bar.gap} />
        <Button look="quiet" onClick={() => setConnecting(true)}>
          Connection…
        </Button>
        <ThemeMenu />
      </header>
      {first === undefined ? (
        pages.error ? (
          <Unreachable error={pages.error} onConnect={() => setConnecting(true)} onRetry={() => void pages.refetch()} />
        ) : (
          <Loading what="the conversations" />
        )
      ) : (
        <main className={styles.main}>
          <h1 className="unseen">Conversations of all tenants</h1>
          <AlarmLine alarms={first.alarms} filters={filters} onFilters={setFilters} />
          <FleetFilters
            filters={filters}
            onFilters={setFilters}
            total={
              searched !== null ? '' : `${first.totalIsExact ? '' : 'more than '}${plural(first.total, 'conversation')}`
            }
          />
          {filters.tenant !== null && (
            <TenantSearchField tenant={filters.tenant} question={question} onQuestion={setQuestion} />
          )}
          {pages.error && <ErrorLine error={pages.error} onRetry={() => void pages.refetch()} />}
          {searched !== null ? (
            <TenantSearch address={address} tenant={searched} question={question} opening={opening} />
          ) : rows.length === 0 ? (
            <NoRows isFiltered={isFiltered(filters)} />
          ) : (
            <FleetTable
              rows={rows}
              total={first.totalIsExact ? first.total : undefined}
              sort={sort}
              onSort={setSort}
              onTenant={(tenant) => setFilters({ ...filters, tenant })}
              onOpen={opening.open}
              onRange={({ endIndex }) => queries.setQueryData(query.queryKey, (data) => firstPageIn(data, endIndex))}
              onEnd={() => {
                if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage()
              }}
            />
          )}
        </main>
      )}
      <OpeningLine opening={opening} />
      {isConnecting && (
        <ConnectDialog
          address={address}
          onConnected={(connected) => {
            setConnecting(false)
            if (connected === address) void pages.refetch()
            else host.openFile(connected)
          }}
          onClose={() => setConnecting(false)}
        />
      )}
    </div>
  )
}

type UnreachableProps = { readonly error: unknown; readonly onConnect: () => void; readonly onRetry: () => void }

/** A database that is not among those of the user is connected to by a click, never by an address alone. */
function Unreachable({ error, onConnect, onRetry }: UnreachableProps) {
  const connect = (
    <Button look="primary" onClick={onConnect}>
      Connect…
    </Button>
  )
  if (toErrorInfo(error).code === 'not_found') {
    return (
      <EmptyState title="You have not connected to this database yet" actions={connect}>
        A password is sent only to databases that you connected to.
      </EmptyState>
    )
  }
  return <ErrorState error={error} onRetry={onRetry} actions={connect} />
}

function NoRows({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No conversation fits">Choose fewer filters or other words.</EmptyState>
  return (
    <EmptyState title="No conversation to see here">
      None is stored yet, or <code>lcm.tenant_access</code> gives your role no tenant.{' '}
      <code>lcm copy --to postgres://…</code> copies a memory into a tenant.
    </EmptyState>
  )
}

/** How far the conversation is that was chosen, or why it cannot be opened. */
function OpeningLine({ opening }: { readonly opening: Opening }) {
  const { row, messages, note, cancel, error } = opening
  if (row === null) return null
  if (error)
    return (
      <div className={styles.line}>
        <OpeningRefusal opening={opening} />
      </div>
    )
  const name = `Copying ${row.label || `conversation ${row.conversationId}`}`
  return (
    <footer className={styles.line} role="status">
      <span className="one-line">{name}</span>
      <span className={styles.openingLineBar}>
        <ProgressBar label={name} done={Math.min(messages, row.messages)} total={row.messages} />
      </span>
      <span className={styles.count}>{note || `${formatCount(messages)} of ${plural(row.messages, 'message')}`}</span>
      <Button look="quiet" disabled={cancel === null} onClick={() => cancel?.()}>
        Cancel
      </Button>
    </footer>
  )
}
