import { infiniteQueryOptions, type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { MapItemsInput, MapStep, MapSteps } from '#core/contract/map.ts'
import { api } from '#renderer/api.ts'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { type Column, DataTable } from '#renderer/ui/controls/data-table.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import styles from './map-view.module.css'
import { stepTone, triesText } from './run-wording.ts'

type Props = Pick<MapItemsInput, 'runId' | 'only'> & { readonly isRunning: boolean }

const PAGE = 200
const REFRESH_MS = 1_500

/** The steps of a run page by page. While it is running the last page is read again and again, and no other one. */
export function stepPages(queries: QueryClient, { runId, only, isRunning }: Props) {
  const options = api.map.steps.infiniteOptions({
    input: (cursor: string | undefined) => ({ runId, only, limit: PAGE, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: MapSteps) => nextCursor ?? undefined,
  })
  return infiniteQueryOptions({
    ...options,
    refetchInterval: isRunning ? REFRESH_MS : false,
    queryFn: async (context) => {
      const { pages, pageParams } = queries.getQueryData(options.queryKey) ?? { pages: [], pageParams: [] }
      const known = pages[pageParams.indexOf(context.pageParam)]
      // The journal is only appended to, so a page that another one follows stays as it is.
      return known !== undefined && known.nextCursor !== null ? known : options.queryFn(context)
    },
  })
}

/** Tries and results of a run in the order in which they ended. */
export function StepList({ runId, only, isRunning }: Props) {
  const pages = useInfiniteQuery(stepPages(useQueryClient(), { runId, only, isRunning }))
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const toggle = ({ at }: MapStep) => {
    const after = new Set(opened)
    if (!after.delete(at)) after.add(at)
    setOpened(after)
  }
  const steps = pages.data?.pages.flatMap((page) => page.steps) ?? []
  const more = (): void => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage()
  }
  // A page of rare failures may hold none, and the next one is asked for at once.
  useEffect(() => {
    if (steps.length < PAGE) more()
  })
  if (pages.error) return <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />
  if (!pages.data) return <Loading what="items" />
  if (steps.length === 0 && !pages.hasNextPage) return <NoSteps only={only} isRunning={isRunning} />
  return (
    <DataTable
      label="Tries and results"
      rows={steps}
      columns={[itemColumn(opened, toggle), ...COLUMNS]}
      layout={styles.steps}
      keyOf={({ at }) => at}
      rowPx={30}
      hasHeads={false}
      isBusy={pages.isFetchingNextPage}
      onEnd={more}
      below={(step) => (opened.has(step.at) ? <Opened step={step} /> : null)}
    />
  )
}

function NoSteps({ only, isRunning }: Pick<Props, 'only' | 'isRunning'>) {
  if (only === 'failures') return <EmptyState title="No failures">No item has failed so far.</EmptyState>
  if (only === 'retries') return <EmptyState title="No retries">Every item was tried once.</EmptyState>
  return (
    <EmptyState title="No results yet">
      {isRunning ? 'The first item is still being worked on.' : 'The run ended before its first item did.'}
    </EmptyState>
  )
}

const itemColumn = (opened: ReadonlySet<number>, onToggle: (step: MapStep) => void): Column<MapStep> => ({
  id: 'item',
  title: 'item',
  cell: (step) => (
    <button
      type="button"
      className={styles.name}
      aria-expanded={opened.has(step.at)}
      aria-label={`Item ${step.index}`}
      onClick={() => onToggle(step)}
    >
      <Icon name={opened.has(step.at) ? 'chevronDown' : 'chevronRight'} />
      {step.index}
    </button>
  ),
})

const COLUMNS: readonly Column<MapStep>[] = [
  { id: 'kind', title: 'kind', cell: ({ kind }) => <Chip tone={stepTone(kind)}>{kind}</Chip> },
  { id: 'tries', title: 'tries', className: 'dim', cell: triesText },
  {
    id: 'text',
    title: 'text',
    cell: ({ text }) => (
      <bdi>
        <MarkedText text={text} />
      </bdi>
    ),
    cellTitle: ({ text }) => text,
  },
  { id: 'time', title: 'ended', className: styles.time, cell: ({ atMs }) => <TimeText atMs={atMs} /> },
]

/** The whole text of a try or result, and its hashes. */
function Opened({ step: { text, itemHash, outputHash } }: { readonly step: MapStep }) {
  return (
    <div className={styles.opened}>
      <pre className={styles.text}>{text}</pre>
      <Facts>
        <Fact name="item hash">{itemHash === null ? null : <code>{itemHash}</code>}</Fact>
        <Fact name="output hash">{outputHash === null ? null : <code>{outputHash}</code>}</Fact>
      </Facts>
    </div>
  )
}
