import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { protocol } from 'electron'
import { assetPath, contentSecurityPolicy, MIME_TYPES } from '#core/doors/web-assets.ts'

export const BUNDLE_ORIGIN = 'app://bundle'

/** Call this before the app is ready. https://www.electronjs.org/docs/latest/api/protocol */
export function registerBundleScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** Serves the built renderer and nothing outside its folder, under an origin of our own with a strict policy. */
export function serveBundle(rendererDir: string): void {
  protocol.handle('app', async (request) => {
    const url = new URL(request.url)
    const path = url.host === 'bundle' ? assetPath(rendererDir, url.pathname) : null
    const body = path === null ? null : await readFile(path).catch(() => null)
    if (path === null || body === null) return new Response('not found', { status: 404 })
    return new Response(new Uint8Array(body), {
      headers: {
        'content-type': MIME_TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': contentSecurityPolicy(),
        'x-content-type-options': 'nosniff',
      },
    })
  })
}
