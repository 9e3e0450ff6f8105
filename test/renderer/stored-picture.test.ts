import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LcmEvent } from '#core/contract/event.ts'
import type { Client } from '#renderer/api.ts'
import { LiveFeed } from '#renderer/live.ts'
import { storedPictureOptions } from '#renderer/ui/pictures/stored-picture.tsx'

/** The large file that the core answers with, and how often it was asked for. */
const core = vi.hoisted(() => ({ base64: '', asked: 0 }))

vi.mock('#renderer/api.ts', () => ({
  api: {},
  client: {
    files: {
      bytes: async () => {
        core.asked += 1
        return { base64: core.base64, sizeBytes: Buffer.from(core.base64, 'base64').length }
      },
    },
  },
  onConnectionChange: () => () => undefined,
}))

const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from([0, 0, 0, 13]),
  Buffer.from('IHDR'),
  Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0]),
])

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  core.asked = 0
})
afterEach(() => void vi.useRealTimers())

/** A window that shows a large file, and how to say that the memory has changed. */
async function shown(bytes: Buffer) {
  core.base64 = bytes.toString('base64')
  const queries = new QueryClient()
  let announce = (): void => undefined
  async function* events(): AsyncGenerator<LcmEvent> {
    for (;;) {
      await new Promise<void>((resolve) => {
        announce = resolve
      })
      yield { kind: 'database_changed', atMs: Date.now() }
    }
  }
  const stop = new AbortController()
  new LiveFeed({ events: async () => events() } as unknown as Client, queries).start(stop.signal)
  const observer = new QueryObserver(queries, storedPictureOptions('file_1', true))
  observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(100)
  return {
    kind: () => observer.getCurrentResult().data?.kind,
    change: async () => {
      announce()
      await vi.advanceTimersByTimeAsync(5000)
    },
    close: () => {
      stop.abort()
      queries.clear()
    },
  }
}

it('reads a picture once, however often its memory changes', async () => {
  const window = await shown(PNG)
  expect(window.kind()).toBe('picture')
  const before = core.asked
  await window.change()
  await window.change()
  expect(core.asked).toBe(before)
  expect(window.kind()).toBe('picture')
  window.close()
})

it('looks again for a file that was none, when its memory changes', async () => {
  const window = await shown(Buffer.from('words'))
  expect(window.kind()).toBeUndefined()
  expect(core.asked).toBe(1)
  core.base64 = PNG.toString('base64')
  await window.change()
  expect(window.kind()).toBe('picture')
  window.close()
})
