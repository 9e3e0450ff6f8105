import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SurvivalInput } from '#core/contract/trace.ts'
import { summaryHash } from '#core/memory/summary-hash.ts'
import { TextIndex } from '#core/provenance/text-index.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { DetailCounter } from '#core/trace/detail-counter.ts'
import { FactStateFinder } from '#core/trace/fact-states.ts'
import { SurvivalCounter } from '#core/trace/survival.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { plantFacts, TURNS, traceOf } from './planted-facts.ts'
import { FIRST_FACTS, LATER_FACTS } from './told-facts.ts'

const counterOf = (memory: TestMemory) => {
  const reader = new MemoryReader(memory.db)
  return { reader, counter: new SurvivalCounter({ db: memory.db, reader, indexes: new TextIndexes(memory.db) }) }
}
const ALL = SurvivalInput.parse({ conversationId: 1, limit: 10_000 })

describe('survival', () => {
  it('is whole for facts that every summary keeps, and not for those that one dropped', async () => {
    const counts = { right: 0, all: 0, wrong: [] as string[] }
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { memory, facts } = plantFacts([...FIRST_FACTS, ...LATER_FACTS], 500 + turn, turn)
      const { id, kept, details } = await counterOf(memory).counter.of(ALL)
      for (const { messageId, fate, said } of facts) {
        if (fate.kind === 'reworded') continue
        const at = id.indexOf(messageId)
        const isWhole = kept[at] === details[at]
        counts.all += 1
        if (isWhole === (fate.kind === 'kept')) counts.right += 1
        else counts.wrong.push(`${fate.kind} ${kept[at]} of ${details[at]}: ${said}`)
      }
      memory.close()
    }
    expect(counts.right / counts.all, counts.wrong.join('\n')).toBeGreaterThanOrEqual(0.9)
  })

  it('is not counted for what is in the window itself, and is 0 of 0 where there is no detail', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['Port 8123 it is.', 'fine', 'Port 8123 still.'] }] })
    memory.leaf(1, [1, 2], { content: 'A port.' })
    const survival = await counterOf(memory).counter.of(ALL)
    expect(survival).toMatchObject({ details: [1, 0, -1], kept: [1, 0, -1], totalDetails: 1, totalKept: 1 })
  })

  it('counts what the window leaves out as what has left it', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['Port 8123 it is.', 'fine', 'Port 9001 beside it.'] }] })
    memory.leaf(1, [1, 2], { content: 'Port 8123.', id: 'sum_ports' })
    let leftOut: ReadonlySet<string> = new Set()
    const reader = new MemoryReader(memory.db)
    const indexes = new TextIndexes(memory.db, () => leftOut)
    const counter = new SurvivalCounter({ db: memory.db, reader, indexes })
    expect(await counter.of(ALL)).toMatchObject({ details: [1, 0, -1], kept: [1, 0, -1] })
    leftOut = new Set(['msg_3', 'sum_ports'])
    memory.messages(1, ['Now it does not fit.'])
    expect(await counter.of(ALL)).toMatchObject({ details: [1, 0, 1, -1], kept: [0, 0, 0, -1] })
  })

  it('says of every message what a trace of the message says', async () => {
    const { memory } = plantFacts([...FIRST_FACTS, ...LATER_FACTS].slice(0, 16), 41, 3)
    const { id, kept, details } = await counterOf(memory).counter.of(ALL)
    const { reader } = counterOf(memory)
    const finder = new FactStateFinder({ db: memory.db, reader, indexes: new TextIndexes(memory.db) })
    const { states } = await finder.of({ ids: id.slice(0, 100), budgetMs: 5000 })
    const stateOf = new Map(states.map((one) => [one.id, one]))
    expect(stateOf.size).toBeGreaterThan(0)
    const outside = id.flatMap((one, at) => ((details[at] ?? -1) >= 0 ? { one, at } : []))
    expect(outside.length).toBeGreaterThan(30)
    for (const { one, at } of outside) {
      const trace = await traceOf(memory.db, one)
      expect([one, trace.details.length], one).toEqual([one, details[at]])
      expect(trace.details.filter(({ fate }) => fate === 'kept').length, one).toBe(kept[at])
      const told = stateOf.get(one)
      if (told) expect([told.state, told.kept, told.details], one).toEqual([trace.state, kept[at], details[at]])
    }
    memory.close()
  })

  it('reads the window once, and compares each message once: twice the messages are twice the work', async () => {
    const history = generateHistory({ seed: 5, messages: 320 })
    const summary = history.slice(0, 60).map(({ content }) => `- ${content.slice(0, 120).replaceAll('\n', ' ')}`)
    const workOf = async (count: number) => {
      using memory = buildMemory({ conversations: [{}] })
      const ids = history.slice(0, count).map(({ role, content }) => memory.message(1, { role, content }))
      memory.leaf(1, ids, { content: summary.join('\n') })
      const added = vi.spyOn(TextIndex.prototype, 'add')
      const read = vi.spyOn(TextIndex.prototype, 'read')
      await counterOf(memory).counter.of(ALL)
      const work = { added: added.mock.calls.length, read: read.mock.calls.length }
      vi.restoreAllMocks()
      return work
    }
    const [one, two] = [await workOf(160), await workOf(320)]
    // The one summary is read as the window, and as the end of the way from its messages.
    expect([one.added, two.added]).toEqual([2, 2])
    expect(two.read).toBeLessThan(2.5 * one.read)
  })

  it('is added up for columns of messages, as the strata show them', async () => {
    const { memory } = plantFacts(FIRST_FACTS, 77, 2)
    const { counter } = counterOf(memory)
    const { id, details, kept } = await counter.of(ALL)
    const numbers = id.map((one) => Number(one.slice('msg_'.length)))
    const firstMessages = numbers.filter((_, position) => position % 7 === 0)
    const counts = firstMessages.map((_, column) => Math.min(7, numbers.length - 7 * column))
    const sums = (of: readonly number[]) =>
      counts.map((count, column) =>
        of.slice(7 * column, 7 * column + count).reduce((sum, value) => sum + Math.max(0, value), 0),
      )
    const columns = await counter.columns({ conversationId: 1, firstMessages, counts })
    expect(columns).toEqual({ details: sums(details), kept: sums(kept) })
    memory.close()
  })

  it('is the same for a range that is counted by itself', async () => {
    const { memory } = plantFacts(FIRST_FACTS, 77, 2)
    const { counter } = counterOf(memory)
    const { id, details, kept } = await counterOf(memory).counter.of(ALL)
    const from = Math.floor(id.length / 5)
    const count = Math.floor(id.length / 4)
    const total = (of: readonly number[]) =>
      of.slice(from, from + count).reduce((sum, value) => sum + Math.max(0, value), 0)
    const firstMessages = [Number(id[from]?.slice('msg_'.length))]
    const columns = await counter.columns({ conversationId: 1, firstMessages, counts: [count] })
    expect(columns).toEqual({ details: [total(details)], kept: [total(kept)] })
    expect(total(details)).toBeGreaterThan(0)
    memory.close()
  })

  it('counts no message again that was counted before, alone or as one of all', async () => {
    const { memory } = plantFacts(FIRST_FACTS, 77, 2)
    const { counter } = counterOf(memory)
    const whole = await counterOf(memory).counter.of(ALL)
    const from = whole.details.findIndex((details) => details > 0)
    const count = Math.floor(whole.id.length / 4)
    const columns = {
      conversationId: 1,
      firstMessages: [Number(whole.id[from]?.slice('msg_'.length))],
      counts: [count],
    }
    const once = await counter.columns(columns)
    const counting = vi.spyOn(DetailCounter.prototype, 'count')
    expect(await counter.columns(columns)).toEqual(once)
    expect(counting).not.toHaveBeenCalled()
    expect({ ...(await counter.of(ALL)) }).toEqual(whole)
    const counted = counting.mock.calls.flatMap(([positions]) => positions)
    expect(counted.filter((position) => position >= from && position < from + count)).toEqual([])
    vi.restoreAllMocks()
    memory.close()
  })

  it('is counted once for each state of the window', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['Port 8123 it is.', 'fine', 'Go on.'] }] })
    memory.leaf(1, [1, 2], { content: 'A port.', id: 'sum_a' })
    const { reader, counter } = counterOf(memory)
    await counter.of(ALL)
    const known = counter.known(reader.memory(1))
    memory.messages(1, ['An appended message.'])
    expect(counter.known(reader.memory(1))).toBe(known)
    expect(await counter.of(ALL)).toMatchObject({ messages: 4, details: [1, 0, -1, -1], kept: [0, 0, -1, -1] })
    memory.leaf(1, [3], { content: 'On.', id: 'sum_b' })
    expect(counter.known(reader.memory(1))).not.toBe(known)
  })

  it('is counted again when the text of a summary was written anew under the same id', async () => {
    // What takes long to read is not looked at again at once, and nothing takes long on a clock that stands.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    using memory = buildMemory({ conversations: [{ messages: ['Port 8123 it is.', 'fine', 'Go on.'] }] })
    memory.leaf(1, [1, 2], { content: 'A port.', id: 'sum_a' })
    const { counter } = counterOf(memory)
    const first = { conversationId: 1, firstMessages: [1], counts: [1] }
    expect(await counter.columns(first)).toEqual({ details: [1], kept: [0] })
    memory.db.run('UPDATE summaries SET content = :text, summary_hash = :hash WHERE summary_id = :id', {
      text: 'Port 8123 it is.',
      hash: summaryHash([], 'Port 8123 it is.'),
      id: 'sum_a',
    })
    expect(await counter.columns(first)).toEqual({ details: [1], kept: [1] })
  })

  it('stops when everybody who waits for it has gone, and not before', async () => {
    const { memory } = plantFacts(FIRST_FACTS, 9, 0)
    const { counter } = counterOf(memory)
    const [first, second] = [new AbortController(), new AbortController()]
    const [a, b] = [counter.of(ALL, first.signal), counter.of(ALL, second.signal)]
    first.abort()
    await expect(b).resolves.toMatchObject({ conversationId: 1 })
    await a.catch(() => undefined)
    memory.close()
  })
})
