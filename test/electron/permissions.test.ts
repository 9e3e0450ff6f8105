import { expect, it, vi } from 'vitest'

// Electron is played: it asks these handlers before a page may copy or show a notification.

type Handler = (contents: null, permission: string, ...more: unknown[]) => boolean
const handlers = vi.hoisted(() => new Map<string, Handler>())
vi.mock('electron', () => ({
  app: {},
  protocol: {},
  session: {
    defaultSession: {
      setPermissionCheckHandler: (handler: Handler) => handlers.set('check', handler),
      setPermissionRequestHandler: (handler: Handler) => handlers.set('request', handler),
    },
  },
}))
const { guardPermissions } = await import('#electron/main/guards.ts')

it.each([
  ['app://bundle/index.html', 'clipboard-sanitized-write', true],
  ['app://bundle', 'notifications', true],
  ['app://bundle/', 'clipboard-read', false],
  ['app://bundle/', 'media', false],
  ['app://bundle.example/', 'notifications', false],
  ['https://example.com/', 'notifications', false],
  ['', 'notifications', false],
])('the page %s asks for %s, and is allowed to: %s', (page, permission, isAllowed) => {
  guardPermissions()
  const answer = vi.fn()
  handlers.get('request')?.(null, permission, answer, { requestingUrl: page })
  expect(answer.mock.calls).toEqual([[isAllowed]])
  expect(handlers.get('check')?.(null, permission, page)).toBe(isAllowed)
})
