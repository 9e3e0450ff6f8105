import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { MapItemsInput, MapStep } from '../../../core/contract/map.ts'
import { api } from '../../api.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './map-table.module.css'
import { stepTone, triesText } from './run-wording.ts'

type Props = Pick<MapItemsInput, 'runId' | 'only'> & { readonly isRunning: boolean }

const PAGE = 200
const REFRESH_MS = 1_500

/** Tries and results of a run in the order in which they ended. */
export function StepList({ runId, only, isRunning }: Props) {
  const pages = useInfiniteQuery(
    api.map.steps.infiniteOptions({
      input: (cursor: string | undefined) => ({
        runId,
        only,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      refetchInterval: isRunning ? REFRESH_MS : false,
    }),
  )
  if (pages.error) return <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />
  if (!pages.data) return <Loading what="items" />
  const steps = pages.data.pages.flatMap((page) => page.steps)
  const more = (): void => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage()
  }
  if (steps.length === 0 && !pages.hasNextPage) return <NoSteps only={only} isRunning={isRunning} />
  return (
    // biome-ignore lint/a11y/useSemanticElements: any number of rows, of which only those in sight exist
    <div className={styles.table} role="table" aria-label="Tries and results" aria-busy={pages.isFetchingNextPage}>
      <Virtuoso
        className={styles.body}
        role="rowgroup"
        data={steps}
        computeItemKey={(_index, { at }) => at}
        increaseViewportBy={300}
        endReached={more}
        // A page of rare failures may hold none, and the next one is asked for at once.
        totalListHeightChanged={() => {
          if (steps.length < PAGE) more()
        }}
        itemContent={(_index, step) => <StepRow step={step} />}
      />
    </div>
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

/** One try or result; unfolding shows the text and the hashes. */
function StepRow({ step }: { readonly step: MapStep }) {
  const [isOpen, setOpen] = useState(false)
  const { index, kind, text, itemHash, outputHash, atMs } = step
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: the number of the item is the row's button
    <div role="row">
      <div className={classNames(styles.row, styles.steps)}>
        <Cell>
          <button
            type="button"
            className={styles.name}
            aria-expanded={isOpen}
            aria-label={`Item ${index}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} />
            {index}
          </button>
        </Cell>
        <Cell>
          <Chip tone={stepTone(kind)}>{kind}</Chip>
        </Cell>
        <Cell isDim>{triesText(step)}</Cell>
        <Cell>
          <bdi title={text}>
            <MarkedText text={text} />
          </bdi>
        </Cell>
        <Cell isDim>
          <TimeText atMs={atMs} />
        </Cell>
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: see the table
        <div role="cell" className={styles.opened}>
          <pre className={styles.text}>{text}</pre>
          <Facts>
            <Fact name="item hash">{itemHash === null ? null : <code>{itemHash}</code>}</Fact>
            <Fact name="output hash">{outputHash === null ? null : <code>{outputHash}</code>}</Fact>
          </Facts>
        </div>
      )}
    </div>
  )
}

function Cell({ isDim = false, children }: { readonly isDim?: boolean; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows are no table rows, because only those in sight exist
    <span role="cell" className={classNames(styles.cell, isDim && styles.dim)}>
      {children}
    </span>
  )
}
