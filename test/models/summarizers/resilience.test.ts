import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { SpendBudget } from '#core/models/summarizers/spend-budget.ts'
import { failureOf, NEVER, provider, request, type SummarizerSpec, summarizerOf } from './ask-model.ts'
import { type Behaviour, good, json, type ModelServer, startModelServer } from './model-server.ts'

let server: ModelServer
afterEach(() => server.close())

const start = async (behaviour: Behaviour, spec: SummarizerSpec & { timeoutMs?: number } = {}) => {
  server = await startModelServer(behaviour)
  const summarizer = summarizerOf(provider(server.url), spec)
  // The client library is loaded with the first call.
  const ask = (signal = NEVER) => summarizer.summarize(request(), signal)
  return { ask, asked: server.asked }
}
const silent: Behaviour = () => {}
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resume) => setTimeout(resume, 2))
}

describe('a call that is aborted', () => {
  // In both tests a call that waited for its time limit or its next attempt would outlast the test.
  it('ends with the reason of the signal, and closes its connection', async () => {
    const { ask, asked } = await start(silent, { timeoutMs: 600_000 })
    for (let call = 0; call < 5; call += 1) {
      const abort = new AbortController()
      const work = ask(abort.signal)
      await until(() => asked.length === call + 1)
      const reason = new Error('the user went away')
      abort.abort(reason)
      await expect(work).rejects.toBe(reason)
      await until(() => asked[call]?.closedAtMs !== null)
    }
    await new Promise((resume) => setTimeout(resume, 50))
    expect(asked).toHaveLength(5)
  })

  it('ends while it waits for its next attempt', async () => {
    const { ask, asked } = await start((response) => json(response, 500, 'oops'), {
      firstPauseMs: 600_000,
      longestPauseMs: 600_000,
    })
    const abort = new AbortController()
    const work = ask(abort.signal)
    await until(() => asked.length === 1)
    await new Promise((resume) => setTimeout(resume, 30))
    abort.abort()
    await expect(work).rejects.toThrow(/abort/i)
    expect(asked).toHaveLength(1)
  })

  it('is not made when the signal was aborted before', async () => {
    const { ask, asked } = await start(good())
    await expect(ask(AbortSignal.abort())).rejects.toThrow(/abort/i)
    expect(asked).toHaveLength(0)
  })
})

describe('a call that takes too long', () => {
  it('is given up with its connection after its time, and made twice more', async () => {
    const { ask, asked } = await start(silent, { timeoutMs: 250 })
    const failure = await failureOf(ask())
    expect(failure).toMatchObject({ outcome: 'timeout', message: 'No answer within 250 ms.' })
    expect(asked).toHaveLength(3)
    await until(() => asked.every(({ closedAtMs }) => closedAtMs !== null))
  })

  it('is given up even when the answer has begun', async () => {
    const { ask } = await start(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{')
      },
      { timeoutMs: 60, retries: 0 },
    )
    expect((await failureOf(ask())).outcome).toBe('timeout')
  })

  it('succeeds when the answer is slow but in time', async () => {
    const { ask } = await start((...args) => void setTimeout(() => good('Slow.')(...args), 80), { timeoutMs: 20_000 })
    expect((await ask()).text).toBe('Slow.')
  })
})

describe('a server that asks to wait', () => {
  const busyOnce =
    (retryAfter: () => string, status = 429): Behaviour =>
    (response, asked, n) =>
      n === 0 ? json(response, status, 'later', { 'retry-after': retryAfter() }) : good()(response, asked, n)
  const waited = (asked: readonly { atMs: number }[]): number => (asked[1]?.atMs ?? 0) - (asked[0]?.atMs ?? 0)

  it.each([429, 503])('is asked again after the time that it names (status %i)', async (status) => {
    const { ask, asked } = await start(busyOnce(() => '0.3', status))
    await ask()
    expect(waited(asked)).toBeGreaterThanOrEqual(290)
    expect(asked).toHaveLength(2)
  })

  it('is asked again at the date that it names', async () => {
    const { ask, asked } = await start(busyOnce(() => new Date(Date.now() + 1_500).toUTCString()))
    await ask()
    expect(waited(asked)).toBeGreaterThan(200)
  })

  it('is asked again after a limited time when it names a very long one', async () => {
    const { ask, asked } = await start(
      busyOnce(() => '86400'),
      { longestPauseMs: 80 },
    )
    await ask()
    expect(waited(asked)).toBeLessThan(10_000)
  })

  it('is asked again after growing waits when it names no time', async () => {
    const { ask, asked } = await start((response) => json(response, 429, ''), { firstPauseMs: 40 })
    expect((await failureOf(ask())).message).toContain('too many requests')
    expect(asked).toHaveLength(3)
  })
})

describe('a server that keeps failing', () => {
  it('is not asked for a while, then once, and used again when it answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const later = (ms: number): unknown => vi.setSystemTime(Date.now() + ms)
    let isWell = false
    const { ask, asked } = await start(
      (...args) => (isWell ? good('Well again.')(...args) : json(args[0], 500, 'oops')),
      { failuresToOpen: 3, openMs: 30_000, retries: 2 },
    )
    for (let request = 0; request < 3; request += 1) expect((await failureOf(ask())).outcome).toBe('failed')
    expect(asked).toHaveLength(9)
    const refused = await failureOf(ask())
    expect(refused.outcome).toBe('circuit_open')
    expect(refused.message).toContain('3 requests in a row had failed')
    expect(asked).toHaveLength(9)
    later(29_000)
    expect((await failureOf(ask())).outcome).toBe('circuit_open')
    later(1_001)
    expect((await failureOf(ask())).outcome).toBe('failed')
    expect((await failureOf(ask())).outcome).toBe('circuit_open')
    isWell = true
    later(30_001)
    expect((await ask()).text).toBe('Well again.')
    expect((await ask()).text).toBe('Well again.')
  })

  it('is still asked when it only declines requests that are too large or invalid', async () => {
    const { ask } = await start((response, _asked, n) => json(response, n % 2 === 0 ? 413 : 400, ''), {
      failuresToOpen: 2,
    })
    for (let request = 0; request < 4; request += 1) expect((await failureOf(ask())).outcome).toBe('failed')
  })

  it('does not delay aborted calls while one call tests it', async () => {
    const { ask, asked } = await start((response, _asked, n) => (n < 1 ? json(response, 500, '') : undefined), {
      failuresToOpen: 1,
      openMs: 20,
      retries: 0,
    })
    await failureOf(ask())
    await new Promise((resume) => setTimeout(resume, 30))
    const [first, second] = [new AbortController(), new AbortController()]
    const trying = ask(first.signal).catch((error: unknown) => error)
    await until(() => asked.length === 2)
    const waiting = ask(second.signal)
    second.abort()
    await expect(waiting).rejects.toThrow(/abort/i)
    first.abort()
    await trying
  })
})

describe('the spending of a run', () => {
  const MOST_OUTPUT = 800

  it('is counted by the server, with its cost when both prices are known', async () => {
    const budget = new SpendBudget(null)
    server = await startModelServer(good())
    const settings = provider(server.url, { inputPrice: 3, outputPrice: 15 })
    await summarizerOf(settings, { budget }).summarize(request(), NEVER)
    await summarizerOf(settings, { budget }).summarize(request(), NEVER)
    expect([budget.inputTokens, budget.outputTokens]).toEqual([240, 60])
    expect(budget.cost).toBeCloseTo((240 * 3 + 60 * 15) / 1e6, 12)
    await summarizerOf(provider(server.url), { budget }).summarize(request(), NEVER)
    expect(budget.cost).toBeNull()
  })

  it('never passes its cap, because a call that could is not made', async () => {
    const budget = new SpendBudget(2_500)
    const { ask, asked } = await start(good(), { budget })
    const outcomes: string[] = []
    for (let call = 0; call < 20; call += 1) {
      outcomes.push(
        await ask().then(
          () => 'answered',
          (error: { outcome: string }) => error.outcome,
        ),
      )
    }
    expect(outcomes).toContain('answered')
    expect(outcomes.at(-1)).toBe('spend_cap')
    expect(asked.length).toBe(outcomes.filter((outcome) => outcome === 'answered').length)
    expect(budget.inputTokens + budget.outputTokens).toBeLessThanOrEqual(2_500)
  })

  it('never passes its cap with several calls at once', async () => {
    const budget = new SpendBudget(MOST_OUTPUT * 2)
    const { ask, asked } = await start(good(), { budget })
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => ask()))
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    expect(asked).toHaveLength(1)
  })

  it('includes calls whose answer was lost, and not those that were refused', async () => {
    const lost = new SpendBudget(null)
    const { ask } = await start(silent, { budget: lost, timeoutMs: 250, retries: 1 })
    await failureOf(ask())
    expect(lost.inputTokens).toBeGreaterThan(500)
    await server.close()
    const refused = new SpendBudget(null)
    const second = await start((response) => json(response, 401, ''), { budget: refused })
    await failureOf(second.ask())
    expect([refused.inputTokens, refused.outputTokens, refused.cost]).toEqual([0, 0, 0])
  })

  it('is named in the error together with the cap that it would pass', async () => {
    const { ask, asked } = await start(good(), { budget: new SpendBudget(100) })
    expect((await failureOf(ask())).message).toMatch(
      /may take [\d,]+ tokens, more than the cap of 100 for a run leaves/,
    )
    expect(asked).toHaveLength(0)
  })
})
