import { app } from 'electron'
import { BUNDLE_ORIGIN } from './bundle-protocol.ts'

/**
 * Applies to every page of the app: a window, a frame in it, or a view that is added later. Call this before the first
 * window. https://www.electronjs.org/docs/latest/tutorial/security
 */
export function guardPages(): void {
  app.on('web-contents-created', (_event, contents) => {
    const stay = (event: { preventDefault(): void }, url: string): void => {
      if (!url.startsWith(`${BUNDLE_ORIGIN}/`)) event.preventDefault()
    }
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    contents.on('will-navigate', stay)
    contents.on('will-redirect', stay)
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}
