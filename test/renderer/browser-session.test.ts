import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { enter, NotEntered } from '#renderer/browser-session.ts'

const stored = new Map<string, string>()
const location = { hash: '', pathname: '/', search: '' }
let sent: string[]

/** The server: what it answers with, once; null never answers. */
function answerWith(response: Response | null): void {
  vi.stubGlobal('fetch', (_path: string, { headers }: { headers: { authorization: string } }) => {
    sent.push(headers.authorization)
    return response ? Promise.resolve(response) : new Promise(() => undefined)
  })
}

beforeEach(() => {
  sent = []
  stored.clear()
  vi.stubGlobal('location', location)
  vi.stubGlobal('history', { replaceState: () => Object.assign(location, { hash: '' }) })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it('offers the same token with the same claim when the page is reloaded before the token was answered', async () => {
  location.hash = '#token=abc'
  answerWith(null)
  void enter()
  expect(location.hash).toBe('')
  answerWith(Response.json({ secret: 'the secret', start: '' }))
  expect(await enter()).toEqual({ secret: 'the secret', start: '' })
  expect(sent).toEqual([expect.stringMatching(/^Bearer abc\.[\w-]{20,}$/), sent[0]])
  expect([...stored.values()]).toEqual(['the secret'])
})

it('does not keep a token that the server refuses', async () => {
  location.hash = '#token=abc'
  answerWith(new Response(null, { status: 401 }))
  await expect(enter()).rejects.toThrow(NotEntered)
  expect(stored.size).toBe(0)
})
