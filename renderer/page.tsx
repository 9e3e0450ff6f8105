import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { LiveContext, type LiveFeed } from './live.ts'
import { EmptyState } from './ui/states/empty-state.tsx'

/** Draws the window on a file, a PostgreSQL database or, without one, the first page. */
export function showPage(root: Element, file: string | null, queries: QueryClient, feed: LiveFeed): void {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveContext value={feed}>
          <App file={file} />
        </LiveContext>
      </QueryClientProvider>
    </StrictMode>,
  )
}

/** Draws what a browser sees that has not entered. */
export function showDoor(root: Element): void {
  createRoot(root).render(
    <EmptyState title="This page needs its address">
      Open the whole address that <code>lcm serve</code> printed. It lets one browser in, once. After the server was
      started anew, or for another browser, take the last address in its terminal.
    </EmptyState>,
  )
}
