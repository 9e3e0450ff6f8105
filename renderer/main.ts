import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { QueryClient } from '@tanstack/react-query'
import { POSTGRES_ADDRESS, STRATA_AXES } from '../core/contract/lists.ts'
import { api, client } from './api.ts'
import { NotEntered } from './browser-session.ts'
import { toErrorInfo } from './error-text.ts'
import { loadView } from './frame/view-code.ts'
import { host } from './host.ts'
import { LiveFeed } from './live.ts'
import { rememberAddresses, restoreAddress } from './remembered-address.ts'
import { currentFile, currentRoute, onRouteChange, renewAddress } from './routes.ts'
import { startTheme } from './ui/controls/theme.ts'
import { conversationPages, firstQuestion, OPENING, oneConversation } from './ui/data/use-conversations.ts'
import { fileNameOf } from './ui/texts/format.ts'
import type { View } from './views.ts'

/** What draws is fetched and started while the page enters and its first questions are on their way. */
const pageCode = import('./page.tsx')

/**
 * Asks for what the window on a file will need before its code is there: the code itself, and the strata of the
 * conversation that will be shown. The list of conversations is asked for after the strata, because the core measures
 * all windows before it answers. What fails is asked for again by whoever needs it, and said there.
 */
function prefetchMemory(queries: QueryClient): void {
  const { view, conversationId } = currentRoute()
  void queries.prefetchQuery(api.memory.info.queryOptions())
  const input = conversationId === null ? OPENING : oneConversation(conversationId)
  const shown = queries.fetchQuery(api.conversations.list.queryOptions({ input })).catch(ignore)
  void queries.prefetchQuery(api.memory.settings.queryOptions())
  void queries.prefetchQuery(api.integrity.last.queryOptions())
  void import('./frame/memory-window.tsx').catch(ignore)
  void loadView(view).catch(ignore)
  const isDrawn = view === 'layers' || view === 'start'
  const shownId = async () => conversationId ?? (await shown)?.conversations[0]?.conversationId ?? null
  const strata = isDrawn ? shownId().then((id) => prefetchDrawn(queries, view, id)) : Promise.resolve()
  const list = conversationPages(firstQuestion())
  void queries.prefetchInfiniteQuery({ ...list, queryFn: (context) => strata.then(() => list.queryFn(context)) })
}

const ignore = (): undefined => undefined

/** The strata, and behind them what the other answers of the first view are made of. */
async function prefetchDrawn(queries: QueryClient, view: View, conversationId: number | null): Promise<void> {
  if (conversationId === null) return
  const addressed = currentRoute().shown['layers.axis']
  const axis = STRATA_AXES.find((known) => known === addressed) ?? 'messages'
  const strata = queries.prefetchQuery(api.strata.get.queryOptions({ input: { conversationId, axis } }))
  if (view === 'start')
    void queries.prefetchQuery(api.conversations.overview.queryOptions({ input: { conversationId } }))
  await strata
}

const MAX_RETRIES = 3

/** Shows the page of the address. */
function show(root: Element): void {
  const file = currentFile()
  document.title = file === null ? 'LCM Inspector' : `${fileNameOf(file)} · LCM Inspector`
  const isFile = file !== null && !POSTGRES_ADDRESS.test(file)
  if (isFile) {
    restoreAddress(file)
    renewAddress()
    onRouteChange(renewAddress)
    rememberAddresses(file)
  }
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // The core is on this machine and reports changes itself.
        networkMode: 'always',
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < MAX_RETRIES && toErrorInfo(error).retryable,
      },
      mutations: { networkMode: 'always' },
    },
  })
  const feed = new LiveFeed(client, queries)
  feed.start(new AbortController().signal)
  if (isFile) prefetchMemory(queries)
  void pageCode.then(({ showPage }) => showPage(root, file, queries, feed))
}

startTheme()
// Their list of slices is long, and most memories need none of them.
void import('./ui/styles/more-fonts.ts')
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
try {
  await host.enter()
  show(root)
} catch (error) {
  if (error instanceof NotEntered) void pageCode.then(({ showDoor }) => showDoor(root))
  // The server cannot be reached. The window says so and tries again.
  else show(root)
}
