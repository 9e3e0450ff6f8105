import { join, normalize, sep } from 'node:path'

/**
 * Returns the content security policy of both hosts: nothing from outside, no inline script or style, no frames, no
 * plugins.
 * @param sockets further addresses to which the page may connect: the socket of the browser host, which not every
 * browser counts as `'self'`
 */
export const contentSecurityPolicy = (...sockets: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    ["connect-src 'self'", ...sockets].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export const MIME_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * What browsers may do with a file of the built renderer: keep for a year what the build named after its content, and with
 * it what they compiled; ask for everything else again.
 */
export const cachingOf = (pathname: string): string =>
  pathname.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store'

/** Returns the file of the built renderer for an address, or null for an address outside of the folder. */
export function assetPath(rendererDir: string, pathname: string): string | null {
  const asked = pathname === '/' ? 'index.html' : decoded(pathname)
  const path = asked === null ? null : normalize(join(rendererDir, asked))
  return path?.startsWith(rendererDir + sep) && !path.includes('\0') ? path : null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // The escape sequence is incomplete, so such a file cannot exist.
    return null
  }
}
