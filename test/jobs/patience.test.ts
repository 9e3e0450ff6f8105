import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { afterPatience, endsInTime } from '#core/doors/patience.ts'

const processors = vi.hoisted(() => ({ own: 0, idle: 0 }))
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  cpus: () => [{ times: { idle: processors.idle } }],
}))

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(processors, { own: 0, idle: 0 })
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: processors.own * 1000, system: 0 }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Lets time pass of which this process, and nobody, has some share of a processor. */
function pass(ms: number, { own = 0, idle = 0 }): void {
  for (let passed = 0; passed < ms; passed += 100) {
    processors.own += own * 100
    processors.idle += idle * 100
    vi.advanceTimersByTime(100)
  }
}

const waiting = (limitMs: number) => {
  const onEnd = vi.fn()
  return { onEnd, stop: afterPatience(limitMs, onEnd) }
}

describe('the patience with a thread', () => {
  it('is over after its time on a computer that has nothing else to do', () => {
    const { onEnd } = waiting(1000)
    pass(900, { idle: 1 })
    expect(onEnd).not.toHaveBeenCalled()
    pass(100, { idle: 1 })
    expect(onEnd).toHaveBeenCalledOnce()
  })

  it('is over after its time when the thread works all the time', () => {
    const { onEnd } = waiting(1000)
    pass(1000, { own: 1 })
    expect(onEnd).toHaveBeenCalledOnce()
  })

  it('lasts longer where other programs take the processors', () => {
    const { onEnd } = waiting(1000)
    pass(3900, { own: 0.25 })
    expect(onEnd).not.toHaveBeenCalled()
    pass(100, { own: 0.25 })
    expect(onEnd).toHaveBeenCalledOnce()
  })

  it('ends after five times as long in any case', () => {
    const { onEnd } = waiting(1000)
    pass(4900, {})
    expect(onEnd).not.toHaveBeenCalled()
    pass(100, {})
    expect(onEnd).toHaveBeenCalledOnce()
  })

  it('is ended by an answer', () => {
    const { onEnd, stop } = waiting(1000)
    stop()
    pass(9000, { own: 1 })
    expect(onEnd).not.toHaveBeenCalled()
  })

  it('tells what ended in time from what did not', async () => {
    const late = endsInTime(new Promise(() => undefined), 300)
    pass(300, { own: 1 })
    expect([await endsInTime(Promise.resolve(), 300), await late]).toEqual([true, false])
  })
})
