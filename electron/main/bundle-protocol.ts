import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { protocol } from 'electron'
import { CONTENT_SECURITY_POLICY, MIME_TYPES } from '../../core/entry/web-assets.ts'

export const BUNDLE_ORIGIN = 'app://bundle'

/** Before the app is ready. https://www.electronjs.org/docs/latest/api/protocol */
export function registerBundleScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** Serves the built renderer, and nothing outside its folder, under our own origin with a strict policy. */
export function serveBundle(rendererDir: string): void {
  protocol.handle('app', async (request) => {
    const url = new URL(request.url)
    const asked = url.pathname === '/' ? 'index.html' : decodeURIComponent(url.pathname)
    const path = normalize(join(rendererDir, asked))
    if (url.host !== 'bundle' || !path.startsWith(rendererDir + sep)) return new Response('not found', { status: 404 })
    try {
      const body = await readFile(path)
      return new Response(new Uint8Array(body), {
        headers: {
          'content-type': MIME_TYPES[extname(path)] ?? 'application/octet-stream',
          'content-security-policy': CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff',
        },
      })
    } catch {
      return new Response('not found', { status: 404 })
    }
  })
}
