import type { ComponentType } from 'react'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { FolderDialog } from '../features/welcome/folder-dialog.tsx'
import type { View } from '../routes.ts'
import { later } from '../ui/later.tsx'
import { Loading } from '../ui/loading.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { viewCode } from './view-code.ts'

const viewOf = <Props extends object>(view: View, load: () => Promise<ComponentType<Props>>) =>
  later(load, () => <Loading what={view} lines={7} />)

const StrataAndLineage = viewOf('strata', () => viewCode.strata().then(({ StrataAndLineage }) => StrataAndLineage))
const StartWithLayers = viewOf('start', () => viewCode.start().then(({ StartWithLayers }) => StartWithLayers))
const IntegrityWithCoverage = viewOf('integrity', () =>
  viewCode.integrity().then(({ IntegrityWithCoverage }) => IntegrityWithCoverage),
)
const FilesView = viewOf('files', () => viewCode.files().then(({ FilesView }) => FilesView))
const ContextView = viewOf('context', () => viewCode.context().then(({ ContextView }) => ContextView))
const TranscriptView = viewOf('transcript', () => viewCode.transcript().then(({ TranscriptView }) => TranscriptView))
const SearchWithTrace = viewOf('search', () => viewCode.search().then(({ SearchWithTrace }) => SearchWithTrace))
const LineageWithProvenance = viewOf('lineage', () =>
  viewCode.lineage().then(({ LineageWithProvenance }) => LineageWithProvenance),
)
const CompactionWithStrata = viewOf('compaction', () =>
  viewCode.compaction().then(({ CompactionWithStrata }) => CompactionWithStrata),
)
const CompareWithMoments = viewOf('compare', () =>
  viewCode.compare().then(({ CompareWithMoments }) => CompareWithMoments),
)
const NotesView = viewOf('notes', () => viewCode.notes().then(({ NotesView }) => NotesView))
const StorageView = viewOf('storage', () => viewCode.storage().then(({ StorageView }) => StorageView))
const MapView = viewOf('map', () => viewCode.map().then(({ MapView }) => MapView))
const SqlView = viewOf('sql', () => viewCode.sql().then(({ SqlView }) => SqlView))
const LogsView = viewOf('logs', () => viewCode.logs().then(({ LogsView }) => LogsView))
const SettingsView = viewOf('settings', () => viewCode.settings().then(({ SettingsView }) => SettingsView))

type Props = {
  readonly view: View
  readonly conversationId: number | null
  readonly info: MemoryInfo
  /** True while the repair plan is shown on the right side. */
  readonly isPlanInSight: boolean
  readonly onShowPlan: () => void
}

/** The view of the route. Each conversation has a view of its own, so that no state of another one remains. */
export function ViewArea(props: Props) {
  const { view, conversationId } = props
  return (
    <ErrorBoundary key={`${view} ${conversationId}`}>
      <CurrentView {...props} />
    </ErrorBoundary>
  )
}

function CurrentView({ view, conversationId, info, isPlanInSight, onShowPlan }: Props) {
  if (view === 'integrity')
    return (
      <IntegrityWithCoverage
        {...{ conversationId, isPlanInSight, onShowPlan }}
        browse={browseFor('Choose the agent’s transcript')}
      />
    )
  if (view === 'notes') return <NotesView />
  if (view === 'storage') return <StorageView info={info} />
  if (view === 'map') return <MapView info={info} browse={browseFor('Choose the list of items')} />
  if (view === 'sql') return <SqlView />
  if (view === 'logs') return <LogsView />
  if (view === 'settings') return <SettingsView />
  if (conversationId === null) return null
  switch (view) {
    case 'start':
      return <StartWithLayers conversationId={conversationId} info={info} />
    case 'strata':
      return <StrataAndLineage conversationId={conversationId} />
    case 'context':
      return <ContextView conversationId={conversationId} />
    case 'transcript':
      return <TranscriptView conversationId={conversationId} />
    case 'search':
      return <SearchWithTrace conversationId={conversationId} />
    case 'lineage':
      return <LineageWithProvenance conversationId={conversationId} />
    case 'compaction':
      return <CompactionWithStrata conversationId={conversationId} info={info} />
    case 'compare':
      return <CompareWithMoments conversationId={conversationId} browse={browseFor('Choose the other memory')} />
    case 'files':
      return <FilesView conversationId={conversationId} />
  }
}

/** Returns what shows the folders of the machine to choose a file of any kind. */
const browseFor = (title: string) => (onChoose: (path: string) => void, onClose: () => void) => (
  <FolderDialog title={title} onMemory={onChoose} onTranscript={onChoose} onClose={onClose} />
)
