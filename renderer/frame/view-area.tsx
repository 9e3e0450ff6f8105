import type { ComponentType } from 'react'
import { FolderDialog } from '../features/welcome/folder-dialog.tsx'
import type { Browse } from '../ui/data/browse.ts'
import { later } from '../ui/states/later.tsx'
import { Loading } from '../ui/states/loading.tsx'
import type { View } from '../views.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { conversationViews, fileViews, type ViewProps } from './view-code.ts'

type Loads<Props> = readonly (readonly [string, () => Promise<ComponentType<Props>>])[]

const loaded = <Props extends object>(views: Loads<Props>): ReadonlyMap<string, ComponentType<Props>> =>
  new Map(views.map(([view, load]) => [view, later(load, () => <Loading what={view} lines={7} />)]))

const OF_CONVERSATION = loaded<ViewProps & { readonly conversationId: number }>(Object.entries(conversationViews))
const OF_FILE = loaded<ViewProps & { readonly conversationId: number | null }>(Object.entries(fileViews))

type Props = Omit<ViewProps, 'browse'> & { readonly view: View; readonly conversationId: number | null }

/**
 * The view of the route. Each conversation has a view of its own, so that no state of another one remains. A view of the
 * whole file is the same beside every conversation, and keeps what was chosen in it.
 */
export function ViewArea({ view, conversationId, ...given }: Props) {
  const props = { ...given, browse }
  const OfConversation = OF_CONVERSATION.get(view)
  const OfFile = OF_FILE.get(view)
  return (
    <ErrorBoundary key={OfConversation ? `${view} ${conversationId}` : view}>
      {OfConversation && conversationId !== null && <OfConversation conversationId={conversationId} {...props} />}
      {OfFile && <OfFile conversationId={conversationId} {...props} />}
    </ErrorBoundary>
  )
}

/** Shows the folders of the machine to choose a file of any kind. */
const browse: Browse = (title, onChoose, onClose) => (
  <FolderDialog title={title} onMemory={onChoose} onTranscript={onChoose} onClose={onClose} />
)
