import { beforeEach, expect, it, vi } from 'vitest'
import { openCopy } from '#renderer/ui/states/use-opening.ts'

/** What was done, in order; and the conversation that the address names. */
const window = vi.hoisted(() => ({ done: [] as unknown[], conversationId: null as number | null }))

vi.mock('#renderer/api.ts', () => ({ api: {}, client: {} }))
vi.mock('#renderer/host.ts', () => ({ host: { openFile: (path: string) => window.done.push({ path }) } }))
vi.mock('#renderer/routes.ts', () => ({
  currentRoute: () => ({ conversationId: window.conversationId }),
  navigate: (to: unknown) => window.done.push(to),
}))

const copy = { path: '/copy.db', open: () => window.done.push('opened at this place') }

beforeEach(() => {
  window.done.length = 0
  window.conversationId = null
})

it('opens a copy of the conversation that is shown at the place where it is looked at', () => {
  window.conversationId = 7
  openCopy(copy, { conversationId: 7 }, null)
  expect(window.done).toEqual(['opened at this place'])
})

it('opens a copy of another conversation without the place of this one, which is not in it', () => {
  window.conversationId = 7
  openCopy(copy, { conversationId: 3 }, null)
  window.conversationId = null
  openCopy(copy, { conversationId: 3 }, null)
  expect(window.done).toEqual([{ path: '/copy.db' }, { path: '/copy.db' }])
})

it('opens a copy at the hit that was chosen', () => {
  openCopy(copy, { conversationId: 3 }, { kind: 'leaf', id: 'sum_1', conversationId: 3 })
  expect(window.done).toEqual([{ conversationId: 3, view: 'layers', selection: 'sum_1' }, 'opened at this place'])
})
