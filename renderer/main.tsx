import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './ui/tokens.css'
import './ui/base.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from './api.ts'
import { App } from './app.tsx'
import { toErrorInfo } from './error-text.ts'
import { prefetchMemory } from './frame/prefetch.ts'
import { rememberPlaces, restorePlace } from './frame/remembered-place.ts'
import { LiveContext, LiveFeed } from './live.ts'
import { currentFile } from './routes.ts'
import { fileNameOf } from './ui/format.ts'
import { startTheme } from './ui/theme.ts'

const MAX_RETRIES = 3

startTheme()
const file = currentFile()
document.title = file === null ? 'LCM Inspector' : `${fileNameOf(file)} · LCM Inspector`
if (file !== null) {
  restorePlace(file)
  rememberPlaces(file)
}

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The core is on this machine, and says itself when something changed.
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
if (file !== null) prefetchMemory(queries)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LiveContext value={feed}>
        <App file={file} />
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
)
