import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '#renderer/connection.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A core that can be up or down, and transports that break when it goes down. */
function makeCore() {
  let isUp = true
  let made = 0
  const open = new Set<EventTarget>()
  return {
    connect: async () => {
      if (!isUp) throw new Error('down')
      made += 1
      const transport = new EventTarget()
      open.add(transport)
      return transport
    },
    goDown: () => {
      isUp = false
      for (const transport of open) transport.dispatchEvent(new Event('close'))
      open.clear()
    },
    comeUp: () => {
      isUp = true
    },
    makeLink: () => `link ${made}`,
  }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('the connection to the core', () => {
  it('resolves the link when the core is there', async () => {
    const core = makeCore()
    const connection = new Connection(core.connect, core.makeLink)
    expect(connection.state).toBe('connecting')
    expect(await connection.link()).toBe('link 1')
    expect(connection.state).toBe('open')
  })

  it('reports that it is lost, waits, and comes back with a new link', async () => {
    const core = makeCore()
    const connection = new Connection(core.connect, core.makeLink)
    await settle()
    const states: string[] = []
    connection.subscribe(() => states.push(connection.state))
    core.goDown()
    const waiting = connection.link()
    await vi.advanceTimersByTimeAsync(10_000)
    core.comeUp()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await waiting).toBe('link 2')
    expect(states).toEqual(['lost', 'open'])
  })

  it('connects at once when asked to retry', async () => {
    const core = makeCore()
    const connection = new Connection(core.connect, core.makeLink)
    await settle()
    core.goDown()
    await vi.advanceTimersByTimeAsync(4_000)
    core.comeUp()
    connection.retry()
    await settle()
    expect(connection.state).toBe('open')
  })

  it('keeps its link when asked to retry while it is open', async () => {
    const core = makeCore()
    const connection = new Connection(core.connect, core.makeLink)
    await settle()
    connection.retry()
    await settle()
    expect(await connection.link()).toBe('link 1')
  })
})
