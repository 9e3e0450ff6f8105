import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LimitedWorker, type Numbered, READY } from '#renderer/ui/texts/limited-worker.ts'

/** A worker that answers when a test says so. */
class WrittenWorker extends EventTarget {
  readonly asked: Numbered<string>[] = []
  isEnded = false
  postMessage = (message: Numbered<string>) => this.asked.push(message)
  terminate = () => {
    this.isEnded = true
  }
  ready() {
    this.dispatchEvent(new MessageEvent('message', { data: READY }))
  }
  answer(value: string) {
    const data = { id: this.asked.at(-1)?.id, value: { value } }
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

const started: WrittenWorker[] = []
const limited = () =>
  new LimitedWorker<string, { readonly value: string }>({
    start: () => {
      const worker = new WrittenWorker()
      started.push(worker)
      return worker as unknown as Worker
    },
    limitMs: 1000,
  })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  started.length = 0
})

describe('a worker with a limit', () => {
  it('is asked one question after the other', async () => {
    const worker = limited()
    const answers = [worker.ask('first'), worker.ask('second')]
    expect(started[0]?.asked.map(({ value }) => value)).toEqual(['first'])
    started[0]?.answer('one')
    expect(await answers[0]).toEqual({ value: 'one' })
    started[0]?.answer('two')
    expect(await answers[1]).toEqual({ value: 'two' })
    expect(started).toHaveLength(1)
  })

  it('is ended when an answer takes too long, and the next question goes to another one', async () => {
    const worker = limited()
    const answers = [worker.ask('endless'), worker.ask('short')]
    // The time in which its code is loaded does not count.
    vi.advanceTimersByTime(5000)
    expect(started[0]?.isEnded).toBe(false)
    started[0]?.ready()
    vi.advanceTimersByTime(1000)
    expect(await answers[0]).toBe('too slow')
    expect(started.map(({ isEnded }) => isEnded)).toEqual([true, false])
    started[1]?.answer('done')
    expect(await answers[1]).toEqual({ value: 'done' })
  })

  it('is not asked what nobody waits for any more', async () => {
    const worker = limited()
    const stop = new AbortController()
    const first = worker.ask('first')
    const second = worker.ask('second', stop.signal)
    stop.abort()
    expect(await second).toBe('not wanted')
    started[0]?.answer('one')
    await first
    expect(started[0]?.asked).toHaveLength(1)
  })

  it('is not started again after it broke three times in a row', async () => {
    const worker = limited()
    for (let time = 0; time < 5; time += 1) {
      const answer = worker.ask('anything')
      started[time]?.dispatchEvent(new Event('error'))
      expect(await answer).toBe('broken')
    }
    expect(started).toHaveLength(3)
  })

  it('is not started again after it was not ready in time three times in a row', async () => {
    const worker = limited()
    for (let time = 0; time < 5; time += 1) {
      const answer = worker.ask('anything')
      vi.advanceTimersByTime(60_000)
      expect(await answer).toBe('broken')
    }
    expect(started.map(({ isEnded }) => isEnded)).toEqual([true, true, true])
  })
})
