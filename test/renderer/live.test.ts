import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LcmEvent } from '#core/contract/event.ts'
import type { Job } from '#core/contract/job.ts'
import type { Client } from '#renderer/api.ts'
import { LiveFeed } from '#renderer/live.ts'

// The connection of a page: there is none here.
vi.mock('#renderer/api.ts', () => ({
  api: {
    jobs: { list: { queryKey: () => ['jobs'] } },
    retrieval: { key: () => [['retrieval']] },
  },
  onConnectionChange: () => () => undefined,
}))

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A window with what was asked on screen: what it shows, and how to say that the file has changed. */
async function watched(...asked: readonly string[]) {
  const queries = new QueryClient()
  let stored = 1
  let answerAfterMs = 10
  const optionsOf = (question: string) => ({
    queryKey: [question.split('.'), {}],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => setTimeout(resolve, answerAfterMs))
      signal.throwIfAborted()
      return stored
    },
  })
  const announcements: LcmEvent[] = []
  let announce = (): void => undefined
  async function* events(): AsyncGenerator<LcmEvent> {
    for (;;) {
      for (let event = announcements.shift(); event; event = announcements.shift()) yield event
      await new Promise<void>((resolve) => {
        announce = resolve
      })
    }
  }
  const feed = new LiveFeed({ events: async () => events() } as unknown as Client, queries)
  feed.start(new AbortController().signal)
  const observers = (asked.length > 0 ? asked : ['strata']).map((one) => new QueryObserver(queries, optionsOf(one)))
  for (const observer of observers) observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(100)
  return {
    feed,
    shown: (index = 0) => observers[index]?.getCurrentResult().data,
    /** A job of another window, or of the app itself, that this window did not start. */
    jobEnds: async (kind: Job['kind'], value: number) => {
      stored = value
      announcements.push({ kind: 'job', job: { kind, state: 'done' } as Job })
      announce()
      await vi.advanceTimersByTimeAsync(1000)
    },
    change: async (value: number) => {
      stored = value
      announcements.push({ kind: 'database_changed', atMs: Date.now() })
      announce()
      await vi.advanceTimersByTimeAsync(0)
    },
    answerAfter: (ms: number) => {
      answerAfterMs = ms
    },
  }
}

it('shows a change of the file', async () => {
  const window = await watched()
  await window.change(2)
  await vi.advanceTimersByTimeAsync(1000)
  expect(window.shown()).toBe(2)
})

it('holds back a waiting fetch while paused, and shows the newest state when the pause ends', async () => {
  const window = await watched()
  await window.change(2)
  await vi.advanceTimersByTimeAsync(100)
  await window.change(3)
  // The next fetch waits for its turn.
  window.feed.togglePause()
  await window.change(4)
  await vi.advanceTimersByTimeAsync(5000)
  expect(window.shown()).toBe(2)
  expect(window.feed.snapshot()).toMatchObject({ paused: true, behind: true })
  window.feed.togglePause()
  await vi.advanceTimersByTimeAsync(1000)
  expect(window.shown()).toBe(4)
  expect(window.feed.snapshot()).toMatchObject({ paused: false, behind: false })
})

it('holds back an answer that is under way while paused', async () => {
  const window = await watched()
  window.answerAfter(500)
  await window.change(2)
  await vi.advanceTimersByTimeAsync(100)
  window.feed.togglePause()
  await vi.advanceTimersByTimeAsync(5000)
  expect(window.shown()).toBe(1)
  expect(window.feed.snapshot().behind).toBe(true)
  window.feed.togglePause()
  await vi.advanceTimersByTimeAsync(2000)
  expect(window.shown()).toBe(2)
})

it('keeps everything else still, too, when the messages are under way at the moment of the pause', async () => {
  const window = await watched('transcript.newest', 'conversations.list', 'strata')
  window.answerAfter(500)
  await window.change(2)
  await vi.advanceTimersByTimeAsync(100)
  window.feed.togglePause()
  await vi.advanceTimersByTimeAsync(5000)
  expect([0, 1, 2].map(window.shown)).toEqual([1, 1, 1])
})

it('fetches again after a job that wrote, and not after a job that only read or indexed', async () => {
  const window = await watched()
  await window.jobEnds('index', 2)
  expect(window.shown()).toBe(1)
  await window.jobEnds('storage', 3)
  expect(window.shown()).toBe(1)
  await window.jobEnds('compact', 4)
  expect(window.shown()).toBe(4)
})

it('repeats searches when an index was brought up to date, but not while paused', async () => {
  const window = await watched('retrieval')
  await window.jobEnds('index', 2)
  expect(window.shown()).toBe(2)
  window.feed.togglePause()
  await window.jobEnds('index', 3)
  expect(window.shown()).toBe(2)
})

it('asks for the newest messages first, then for the lists that count them, then for everything else', async () => {
  const window = await watched('transcript.newest', 'conversations.list', 'strata')
  window.answerAfter(100)
  await window.change(2)
  const shown: unknown[] = []
  for (let step = 0; step < 3; step += 1) {
    await vi.advanceTimersByTimeAsync(110)
    shown.push([0, 1, 2].map(window.shown))
  }
  expect(shown).toEqual([
    [2, 1, 1],
    [2, 2, 1],
    [2, 2, 2],
  ])
})

it('does not ask for the watch and the numbers of rows at a change, because a clock asks for them', async () => {
  const window = await watched('watch.look', 'sql.run', 'sql.tables')
  await window.change(2)
  await vi.advanceTimersByTimeAsync(1000)
  expect([0, 1, 2].map(window.shown)).toEqual([1, 1, 2])
})

it('asks for the newest messages again a moment after each change', async () => {
  const window = await watched('transcript.newest')
  for (let change = 2; change < 12; change += 1) {
    await window.change(change)
    await vi.advanceTimersByTimeAsync(200)
    expect(window.shown()).toBe(change)
  }
})

it('asks for what takes a second again in at most a fifth of the time', async () => {
  const window = await watched()
  window.answerAfter(1000)
  const shown = new Set<unknown>()
  for (let change = 2; change < 102; change += 1) {
    await window.change(change)
    await vi.advanceTimersByTimeAsync(100)
    shown.add(window.shown())
  }
  expect(shown.size).toBeLessThanOrEqual(4)
  await vi.advanceTimersByTimeAsync(6000)
  expect(window.shown()).toBe(101)
})
