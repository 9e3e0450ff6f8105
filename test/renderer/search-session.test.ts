import { describe, expect, it } from 'vitest'
import type { GrepHit, GrepRequest, GrepResult, GrepStep } from '#core/contract/retrieval.ts'
import { type SearchDoor, SearchSession, withBeginning } from '#renderer/features/search/search-session.ts'

const hit = (id: string): GrepHit => ({
  id,
  kind: 'message',
  conversationId: 1,
  seq: 1,
  role: 'user',
  depth: null,
  createdAtMs: null,
  field: 'content',
  snippet: '',
  matches: [],
  coveredBy: [],
  coverInWindow: null,
  inContext: false,
  isSeenInCover: false,
  isPartial: false,
})
const END = { total: 2, totalIsExact: true, nextCursor: null, sort: 'newest' as const, notes: [], tookMs: 3 }
const step = (ids: string[], more: Partial<GrepStep> = {}): GrepStep => ({
  hits: ids.map(hit),
  found: ids.length,
  scanned: 0,
  rows: 0,
  result: null,
  ...more,
})
const ask = (query: string): GrepRequest => ({ query })
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

/** A core that answers by hand. */
class HandDoor implements SearchDoor {
  readonly calls: {
    readonly request: GrepRequest
    readonly signal: AbortSignal
    readonly give: (step: GrepStep | Error) => void
  }[] = []
  readonly pages: GrepRequest[] = []

  readonly stream = async (request: GrepRequest, signal: AbortSignal): Promise<AsyncIterable<GrepStep>> => {
    const waiting: (GrepStep | Error)[] = []
    let wake: () => void = () => undefined
    const give = (news: GrepStep | Error) => {
      waiting.push(news)
      wake()
    }
    this.calls.push({ request, signal, give })
    return (async function* () {
      while (true) {
        const next = waiting.shift()
        if (next instanceof Error) throw next
        if (next === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
            signal.addEventListener('abort', () => resolve())
          })
          signal.throwIfAborted()
        } else {
          yield next
          if (next.result !== null) return
        }
      }
    })()
  }

  readonly page = async (request: GrepRequest): Promise<GrepResult> => {
    this.pages.push(request)
    return { ...END, hits: [hit('next')] }
  }
}

function begin() {
  const door = new HandDoor()
  let nowMs = 0
  const session = new SearchSession(door, undefined, () => nowMs)
  const ids = () => session.snapshot().pages.map((page) => page.map(({ id }) => id))
  return { door, session, ids, pass: (ms: number) => (nowMs += ms) }
}

describe('a search session', () => {
  it('cancels the previous question in the core with every keystroke', async () => {
    const { door, session, ids } = begin()
    session.ask(ask('g'))
    await settle()
    session.ask(ask('ga'))
    await settle()
    expect(door.calls.map(({ signal }) => signal.aborted)).toEqual([true, false])
    door.calls[0]?.give(step(['late'], { result: END }))
    door.calls[1]?.give(step(['a'], { result: END }))
    await settle()
    expect(ids()).toEqual([['a']])
    expect(session.snapshot()).toMatchObject({ phase: 'done', isStale: false, error: null })
  })

  it('keeps the previous hits, marked as stale, until there are others', async () => {
    const { door, session, ids, pass } = begin()
    session.ask(ask('g'))
    await settle()
    door.calls[0]?.give(step(['a'], { result: END }))
    await settle()
    session.ask(ask('ga'))
    await settle()
    expect(session.snapshot()).toMatchObject({ phase: 'running', isStale: true })
    door.calls[1]?.give(step([], { scanned: 10, rows: 100 }))
    await settle()
    expect(ids()).toEqual([['a']])
    expect(session.snapshot()).toMatchObject({ scanned: 10, rows: 100, isStale: true })
    // A hit that is opened now is marked by the search that found it.
    expect(session.snapshot()).toMatchObject({ asked: ask('ga'), foundBy: ask('g') })
    // Longer than a blink, what is shown would be taken for the answer.
    pass(400)
    door.calls[1]?.give(step([], { scanned: 20, rows: 100 }))
    await settle()
    expect(ids()).toEqual([[]])
    expect(session.snapshot().foundBy).toEqual(ask('ga'))
  })

  it('shows hits while a scan finds them, and keeps them when it is stopped', async () => {
    const { door, session, ids } = begin()
    session.ask(ask('g'))
    await settle()
    door.calls[0]?.give(step(['a'], { found: 1, scanned: 10, rows: 100 }))
    await settle()
    door.calls[0]?.give(step(['b'], { found: 2, scanned: 20, rows: 100 }))
    await settle()
    expect(ids()).toEqual([['a', 'b']])
    session.stop()
    expect(door.calls[0]?.signal.aborted).toBe(true)
    expect(session.snapshot()).toMatchObject({ phase: 'stopped', found: 2, scanned: 20, error: null })
    await settle()
    expect(session.snapshot().phase).toBe('stopped')
  })

  it('says why there is no answer, and keeps the last good one', async () => {
    const { door, session, ids } = begin()
    session.ask(ask('g'))
    await settle()
    door.calls[0]?.give(step(['a'], { result: END }))
    await settle()
    session.ask(ask('g('))
    await settle()
    door.calls[1]?.give(new Error('missing )'))
    await settle()
    expect(session.snapshot()).toMatchObject({ phase: 'failed', isStale: true, error: new Error('missing )') })
    expect(ids()).toEqual([['a']])
  })

  it('does not repeat a question that was answered, but one that was stopped', async () => {
    const { door, session } = begin()
    session.ask(ask('g'))
    await settle()
    door.calls[0]?.give(step(['a'], { result: END }))
    await settle()
    session.ask(ask('g'))
    expect(door.calls).toHaveLength(1)
    session.again()
    session.stop()
    session.ask(ask('g'))
    await settle()
    expect(door.calls).toHaveLength(3)
  })

  it('fetches the next page once, by its cursor', async () => {
    const { door, session, ids } = begin()
    session.ask(ask('g'))
    await settle()
    door.calls[0]?.give(step(['a'], { result: { ...END, nextCursor: 'c1' } }))
    await settle()
    session.more()
    session.more()
    await settle()
    expect(door.pages).toEqual([{ query: 'g', cursor: 'c1' }])
    expect(ids()).toEqual([['a'], ['next']])
    session.more()
    expect(door.pages).toHaveLength(1)
  })

  it('searches for the last word as a prefix when no text has it as a whole word', async () => {
    const { door, session, ids } = begin()
    session.ask({ query: 'slow gatew', mode: 'full_text' })
    await settle()
    door.calls[0]?.give({ ...step([], { result: END }), hits: [{ ...hit('slow'), isPartial: true }] })
    await settle()
    expect(door.calls[1]?.request).toMatchObject({ query: 'slow gatew*', match: 'all' })
    door.calls[1]?.give(step(['both'], { result: { ...END, nextCursor: 'c1' } }))
    await settle()
    expect(ids()).toEqual([['both']])
    expect(session.snapshot().result?.notes[0]).toMatch(/beginning/)
    session.more()
    expect(door.pages).toMatchObject([{ query: 'slow gatew*', cursor: 'c1' }])
  })

  it('does not search for a prefix when a text has the words, or when the last word is finished', async () => {
    const { door, session, ids } = begin()
    session.ask({ query: 'gateway', mode: 'full_text' })
    await settle()
    door.calls[0]?.give(step(['a'], { result: END }))
    await settle()
    expect([door.calls.length, ids()]).toEqual([1, [['a']]])
    for (const query of ['gatew ', '"gatew', 'gatew*', 'a OR', 'foo-bar', 'x', '-gatew'])
      expect(withBeginning(query)).toBeNull()
    expect(withBeginning('token (refr')).toBe('token (refr*')
  })

  it('forgets everything when the query is emptied', async () => {
    const { door, session, ids } = begin()
    session.ask(ask('g'))
    await settle()
    session.ask(null)
    expect(door.calls[0]?.signal.aborted).toBe(true)
    expect(ids()).toEqual([])
    expect(session.snapshot().phase).toBe('idle')
  })
})
