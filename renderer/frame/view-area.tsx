import { lazy, Suspense } from 'react'
import type { MemoryInfo } from '../../core/contract/memory.ts'
import { FilesView } from '../features/files/files-view.tsx'
import { IntegrityView } from '../features/integrity/integrity-view.tsx'
import { OverviewView } from '../features/overview/overview-view.tsx'
import type { View } from '../routes.ts'
import { Loading } from '../ui/loading.tsx'
import { CoverageCheck } from './coverage-check.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

const StrataAndLineage = lazy(() =>
  import('./strata-and-lineage.tsx').then((module) => ({ default: module.StrataAndLineage })),
)
const ContextView = lazy(() =>
  import('../features/context/context-view.tsx').then((module) => ({ default: module.ContextView })),
)
const TranscriptView = lazy(() =>
  import('../features/transcript/transcript-view.tsx').then((module) => ({ default: module.TranscriptView })),
)
const SearchView = lazy(() =>
  import('../features/search/search-view.tsx').then((module) => ({ default: module.SearchView })),
)
const LineageWithProvenance = lazy(() =>
  import('./lineage-with-provenance.tsx').then((module) => ({ default: module.LineageWithProvenance })),
)
const CompactionWithStrata = lazy(() =>
  import('./compaction-with-strata.tsx').then((module) => ({ default: module.CompactionWithStrata })),
)
const StorageView = lazy(() =>
  import('../features/storage/storage-view.tsx').then((module) => ({ default: module.StorageView })),
)
const SettingsView = lazy(() =>
  import('../features/settings/settings-view.tsx').then((module) => ({ default: module.SettingsView })),
)

type Props = {
  readonly view: View
  readonly conversationId: number | null
  readonly info: MemoryInfo
  /** The repair plan stands on the right side, while nothing is selected. */
  readonly isPlanInSight: boolean
  readonly onShowPlan: () => void
}

/** The view of the route. Each conversation gets its own, so that nothing of another one lingers. */
export function ViewArea(props: Props) {
  const { view, conversationId } = props
  return (
    <ErrorBoundary key={`${view} ${conversationId}`}>
      <Suspense fallback={<Loading what={view} lines={7} />}>
        <CurrentView {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

function CurrentView({ view, conversationId, info, isPlanInSight, onShowPlan }: Props) {
  if (view === 'integrity') {
    const actions = conversationId !== null && <CoverageCheck conversationId={conversationId} />
    return <IntegrityView isPlanInSight={isPlanInSight} onShowPlan={onShowPlan} actions={actions} />
  }
  if (view === 'storage') return <StorageView info={info} />
  if (view === 'settings') return <SettingsView />
  if (conversationId === null) return null
  switch (view) {
    case 'overview':
      return <OverviewView conversationId={conversationId} />
    case 'strata':
      return <StrataAndLineage conversationId={conversationId} />
    case 'context':
      return <ContextView conversationId={conversationId} />
    case 'transcript':
      return <TranscriptView conversationId={conversationId} />
    case 'search':
      return <SearchView conversationId={conversationId} />
    case 'lineage':
      return <LineageWithProvenance conversationId={conversationId} />
    case 'compaction':
      return <CompactionWithStrata conversationId={conversationId} info={info} />
    case 'files':
      return <FilesView conversationId={conversationId} />
  }
}
