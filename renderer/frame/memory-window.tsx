import { useQuery, useQueryClient } from '@tanstack/react-query'
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ListedConversation, MemoryInfo } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { ShareDialog } from '../features/share/share-dialog.tsx'
import type { SurgeryAsk } from '../features/surgery/surgery-ask.ts'
import { SurgeryDialog } from '../features/surgery/surgery-dialog.tsx'
import { UndoDialog } from '../features/surgery/undo-dialog.tsx'
import { TourCard } from '../features/tour/tour-card.tsx'
import { isDamage, OpenError } from '../features/welcome/open-error.tsx'
import { host } from '../host.ts'
import { currentRoute, navigate, useRoutePart } from '../routes.ts'
import { useSize } from '../ui/charts/use-size.ts'
import { Button } from '../ui/controls/button.tsx'
import { Splitter } from '../ui/controls/splitter.tsx'
import { OPENING, useConversation } from '../ui/data/use-conversations.ts'
import { FindingsContext, useLastFindings } from '../ui/data/use-findings.ts'
import { useStored } from '../ui/data/use-stored.ts'
import { WorkingCopyDialog } from '../ui/parts/working-copy-dialog.tsx'
import { EmptyState } from '../ui/states/empty-state.tsx'
import { ErrorState } from '../ui/states/error-state.tsx'
import { later } from '../ui/states/later.tsx'
import { Loading } from '../ui/states/loading.tsx'
import { useFirstRest } from '../ui/states/use-first-rest.ts'
import { useLastError } from '../ui/states/use-last-error.ts'
import { conversationName } from '../ui/texts/format.ts'
import { FIRST_VIEW, factsOf, type View } from '../views.ts'
import { fitColumns, PANEL, SIDEBAR } from './columns.ts'
import { ConversationList } from './conversation-list.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import styles from './memory-window.module.css'
import { Palette } from './palette.tsx'
import { ProgramPage } from './program-page.tsx'
import { RangeLine } from './range-line.tsx'
import { RightPanel } from './right-panel.tsx'
import { StatusLine } from './status-line.tsx'
import { type MemoryAction, Tabs } from './tabs.tsx'
import { openSearch, TopBar } from './top-bar.tsx'
import { useFrameKeys, useNoteKeys } from './use-frame-keys.ts'
import { type RightPanelState, useRightPanel } from './use-right-panel.ts'
import { ViewArea } from './view-area.tsx'
import { isOfConversation, loadAllViews } from './view-code.ts'

/** After this time the first view is there, and the others are loaded. */
const VIEWS_AFTER_MS = 3000

const FollowingDialog = later(() => import('./follow-dialog.tsx').then((code) => code.FollowingDialog))

/** A selection renders the window, and in it only what shows the selection. */
const [KeptTopBar, KeptConversationList, KeptTabs, KeptViewArea, KeptStatusLine] = [
  memo(TopBar),
  memo(ConversationList),
  memo(Tabs),
  memo(ViewArea),
  memo(StatusLine),
]

type FrameDialog = 'palette' | 'keys' | 'share' | 'copy' | 'follow'

/** The window on an open memory. */
export function MemoryWindow({ info }: { readonly info: MemoryInfo }) {
  const [dialog, setDialog] = useState<FrameDialog | null>(null)
  const [ask, setAsk] = useState<SurgeryAsk | null>(null)
  const middle = useRef<HTMLDivElement>(null)
  const [sidebarWidth, setSidebarWidth] = useStored<number>('sidebar-width', SIDEBAR.initial)
  const [panelWidth, setPanelWidth] = useStored<number>('panel-width', PANEL.initial)
  const width = useSize(middle)?.width ?? innerWidth
  const columns = fitColumns(width, { sidebar: sidebarWidth, panel: panelWidth })
  const panel = useRightPanel(columns.isOverlay)
  const onToggle = useToggle(panel)
  const view = useRoutePart('view')
  const conversationId = useRoutePart('conversationId')
  const findings = useLastFindings()
  const shown = useShownConversation()
  const { conversation: current } = shown

  // A dialog reports late that it was closed. Another one may be open by then.
  const close = (closed: FrameDialog) => setDialog((now) => (now === closed ? null : now))
  const noteKeys = useNoteKeys(panel)
  const onPalette = useCallback(() => setDialog('palette'), [])
  const onCopy = useCallback(() => setDialog('copy'), [])
  const onUndo = useCallback((backup?: string) => setAsk({ kind: 'undo', backup: backup ?? null }), [])
  const onFollow = useCallback(() => setDialog('follow'), [])
  const isOfProgram = factsOf(view).scope === 'program'
  const lastView = useLastView(view)
  const hasConversation = current !== null
  const actions = useMemo(() => memoryActions(info, hasConversation, setDialog), [info, hasConversation])
  useFrameKeys({
    onPalette,
    onKeys: () => setDialog('keys'),
    onTogglePanel: panel.toggle,
    ...noteKeys,
  })
  useEffect(() => host.onMenu((command) => onMenuCommand(command, setDialog)), [])
  useEffect(() => {
    const timer = setTimeout(() => void loadAllViews(), VIEWS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])

  const tour = useMemo(() => <TourCard path={info.path} />, [info.path])

  // No view can say anything of a file whose pages are damaged, so none of them is offered.
  if (shown.error && isDamage(shown.error))
    return <OpenError path={info.path} error={shown.error} onRetry={shown.retry} />

  const area = <KeptViewArea view={view} conversationId={current?.conversationId ?? null} info={info} onUndo={onUndo} />
  return (
    <FindingsContext value={findings}>
      <div className={styles.window}>
        <KeptTopBar info={info} onPalette={onPalette} onCopy={onCopy} onFollow={onFollow} />
        <div ref={middle} className={styles.middle}>
          {isOfProgram ? (
            <ProgramPage backTo="the memory" hasMemory onBack={() => navigate({ view: lastView }, 'push')}>
              {area}
            </ProgramPage>
          ) : (
            <>
              <KeptConversationList current={current} width={columns.sidebar}>
                {tour}
              </KeptConversationList>
              <Splitter
                label="list of conversations"
                orientation="vertical"
                pane="before"
                size={columns.sidebar}
                min={SIDEBAR.min}
                max={columns.sidebarMax}
                onResize={setSidebarWidth}
              />
              <main className={styles.centre}>
                <KeptTabs
                  conversation={current}
                  isPanelOpen={panel.tab === null ? null : panel.isOpen}
                  onTogglePanel={onToggle}
                  actions={actions}
                />
                {current !== null && <RangeLine conversationId={current.conversationId} />}
                <div className={styles.view}>
                  {shown.error ? (
                    <ErrorState error={shown.error} onRetry={shown.retry} />
                  ) : shown.isPending ? (
                    <Loading what="conversations" lines={7} />
                  ) : current === null && isOfConversation(view) ? (
                    <NoConversation unknownId={conversationId} instead={shown.first} />
                  ) : (
                    area
                  )}
                </div>
              </main>
              {panel.isOpen && (
                <>
                  {!columns.isOverlay && (
                    <Splitter
                      label="right panel"
                      orientation="vertical"
                      pane="after"
                      size={columns.panel}
                      min={PANEL.min}
                      max={columns.panelMax}
                      onResize={setPanelWidth}
                    />
                  )}
                  <RightPanel
                    width={columns.panel}
                    isOverlay={columns.isOverlay}
                    panel={panel}
                    conversation={current}
                    onOperate={setAsk}
                  />
                </>
              )}
            </>
          )}
        </div>
        <KeptStatusLine conversation={current} info={info} isOfMemory={!isOfProgram} />
        {current !== null && <ConversationMeasure />}
        {dialog === 'palette' && (
          <Palette
            info={info}
            onKeys={() => setDialog('keys')}
            onTogglePanel={panel.toggle}
            onOperate={setAsk}
            onShare={current === null ? null : () => setDialog('share')}
            onClose={() => close('palette')}
          />
        )}
        {ask !== null && <SurgeryHost ask={ask} info={info} onAsk={setAsk} />}
        {dialog === 'share' && current !== null && (
          <ShareDialog conversation={current} onClose={() => close('share')} />
        )}
        {dialog === 'keys' && <KeysDialog onClose={() => close('keys')} />}
        {dialog === 'copy' && <WorkingCopyDialog info={info} onClose={() => close('copy')} />}
        {dialog === 'follow' && info.pulledFrom && (
          <FollowingDialog from={info.pulledFrom} onClose={() => close('follow')} />
        )}
      </div>
    </FindingsContext>
  )
}

/** What can be done with the memory besides looking at it. */
function memoryActions(
  { readOnly, pulledFrom }: MemoryInfo,
  hasConversation: boolean,
  setDialog: (dialog: FrameDialog) => void,
): readonly MemoryAction[] {
  return [
    ...(hasConversation ? [{ label: 'Share this conversation…', onSelect: () => setDialog('share') }] : []),
    ...(pulledFrom ? [{ label: 'Follow and push…', onSelect: () => setDialog('follow') }] : []),
    ...(readOnly ? [{ label: 'Make a working copy…', onSelect: () => setDialog('copy') }] : []),
  ]
}

/** Returns the view of the memory to which the way back from a view of the program leads. */
function useLastView(view: View): View {
  const [last, setLast] = useState(FIRST_VIEW)
  if (view !== last && factsOf(view).scope !== 'program') setLast(view)
  return last
}

/** The panel is another one for each selection. What does not show it keeps this. */
function useToggle(panel: RightPanelState): () => void {
  const latest = useRef(panel)
  useLayoutEffect(() => {
    latest.current = panel
  })
  return useCallback(() => latest.current.toggle(), [])
}

type NoConversationProps = {
  /** The id of the address that the file does not hold, or null when the file holds none at all. */
  readonly unknownId: number | null
  readonly instead: ListedConversation | null
}

function NoConversation({ unknownId, instead }: NoConversationProps) {
  if (unknownId !== null)
    return (
      <EmptyState
        title={`This memory has no conversation ${unknownId}`}
        actions={
          instead && (
            <Button look="primary" onClick={() => navigate({ conversationId: instead.conversationId }, 'push')}>
              Open {conversationName(instead)}
            </Button>
          )
        }
      >
        The address names one that is not in this file: it may be of another file, or was removed.{' '}
        {instead === null ? 'The file holds none so far.' : 'Those that it holds are listed on the left.'}
      </EmptyState>
    )
  return (
    <EmptyState title="No conversation yet">
      The file is a memory that holds nothing so far. It is watched: what its agent writes appears here.
    </EmptyState>
  )
}

type ShownConversation = {
  /** Null while it is not known, or when the file holds none. */
  readonly conversation: ListedConversation | null
  /** The one with which a window opens. Null as long as another one is named. */
  readonly first: ListedConversation | null
  readonly isPending: boolean
  readonly error: unknown
  readonly retry: () => void
}

/**
 * Returns the conversation of the address. An address without one is changed to an existing one; one that the file does
 * not hold is null.
 */
function useShownConversation(): ShownConversation {
  const conversationId = useRoutePart('conversationId')
  const named = useConversation(conversationId)
  const isMissing = conversationId === null || named.data === null
  const opening = useQuery(api.conversations.list.queryOptions({ input: OPENING, enabled: isMissing }))
  const first = opening.data?.conversations[0] ?? null
  const firstId = first?.conversationId ?? null
  const isUnnamed = conversationId === null
  useEffect(() => {
    // The address may have changed since this was drawn. Then it stays as it is.
    if (isUnnamed && firstId !== null && currentRoute().conversationId === null)
      navigate({ conversationId: firstId }, 'replace')
  }, [isUnnamed, firstId])
  const asked = isMissing ? opening : named
  const error = useLastError(asked)
  return {
    conversation: isMissing ? null : (named.data ?? null),
    first,
    isPending: asked.isPending || (isUnnamed && first !== null),
    error,
    retry: () => void asked.refetch(),
  }
}

function onMenuCommand(command: string, setDialog: (dialog: FrameDialog) => void): void {
  if (command === 'palette' || command === 'keys') setDialog(command)
  if (command === 'find') openSearch()
  if (command === 'import') host.openFile(null)
}

type Props = {
  readonly ask: SurgeryAsk
  readonly info: MemoryInfo
  /** Null closes the dialog. */
  readonly onAsk: (ask: SurgeryAsk | null) => void
}

/** The dialog for a change by hand, from wherever it was requested. */
function SurgeryHost({ ask, info, onAsk }: Props) {
  const close = () => onAsk(null)
  if (ask.kind === 'undo') return <UndoDialog key={ask.backup} info={info} backup={ask.backup} onClose={close} />
  return (
    <SurgeryDialog
      key={`${ask.kind} ${ask.id}`}
      ask={ask}
      info={info}
      onUndo={(backup) => onAsk({ kind: 'undo', backup })}
      onClose={close}
    />
  )
}

const STRATA_REQUESTS = { queryKey: api.strata.get.key() }

/**
 * Has tokens counted that lists of conversations leave open because that takes longer. Then they are fetched again. The
 * strata come first, where somebody waits for them.
 */
function ConversationMeasure() {
  const queries = useQueryClient()
  const isNext = useFirstRest(STRATA_REQUESTS, 0)
  const { data: hasRead, dataUpdatedAt } = useQuery(api.conversations.measure.queryOptions({ enabled: isNext }))
  useEffect(() => {
    if (hasRead && dataUpdatedAt > 0) void queries.invalidateQueries({ queryKey: api.conversations.list.key() })
  }, [hasRead, dataUpdatedAt, queries])
  return null
}
