import { app, session } from 'electron'
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

/** What the Copy buttons need, and the notifications that the user can choose. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])

/** Allows the app's own page what it needs, and any other page nothing. Call this once the app is ready. */
export function guardPermissions(): void {
  const isAllowed = (permission: string, url: string): boolean =>
    ALLOWED.has(permission) && `${url}/`.startsWith(`${BUNDLE_ORIGIN}/`)
  const { defaultSession } = session
  defaultSession.setPermissionCheckHandler((_contents, permission, origin) => isAllowed(permission, origin))
  defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  )
}
