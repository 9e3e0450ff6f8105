import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ComparedSide, type Comparison, ComparisonInput } from '#core/contract/comparison.ts'
import type { AssembledContext } from '#core/contract/context.ts'
import { compareWindows } from '#core/jobs/compare-windows.ts'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { generateHistory } from '../builders/history.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { piHeader, piSaid } from '../builders/pi-session.ts'
import { sentWindow } from '../builders/sent-window.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { tellStory } from '../builders/systems/story.ts'
import { writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { writeLines } from '../builders/transcript-rows.ts'

type Asked = {
  readonly a?: Partial<ComparisonInput['a']>
  readonly b?: Partial<ComparisonInput['b']>
  readonly limit?: number
}

async function compared(
  path: string,
  { a, b, limit }: Asked,
  signal = new AbortController().signal,
): Promise<Comparison> {
  using lcm = await openLcm(path, { readOnly: true })
  const input = ComparisonInput.parse({ a: { conversationId: 1, ...a }, b: { conversationId: 1, ...b }, limit })
  return await runToEnd(compareWindows(lcm, input, {}, signal))
}

const told = { turns: 26, leastLeafMessages: 5, leafMessages: 8, fanIn: 3, tail: 12, seed: 41 }

describe('two memories beside each other', () => {
  it('have the same messages when every system stored the same conversation', async () => {
    const folder = temporaryFolder()
    const paths = WRITERS.map((writer, index) => {
      const path = join(folder, `${index}.db`)
      writeStory(writer, path, writer.tell(tellStory(told)))
      return path
    })
    for (const path of paths.slice(1)) {
      const { same, places, a, b } = await compared(paths[0] as string, { b: { path } })
      expect([same.messages, places, b.messages], b.systemLabel).toEqual([66, 66, a.messages])
    }
  })

  it('are the same when both hold the same messages, summaries and window', async () => {
    const [one, other] = [built(), built()]
    expect(await compared(one.path, { b: { path: other.path } })).toMatchObject({
      isSame: true,
      same: { messages: 60, summaries: 3 },
      differences: [],
    })
    one.close()
    other.close()
  })

  it('differ in the summary that was written anew, and the sentences that only one of them says are marked', async () => {
    const [one, other] = [built(), built('The gateway retries were raised from 1 to 4. Webhooks are signed.')]
    const { differences, counts, same } = await compared(one.path, { b: { path: other.path } })
    expect(counts).toEqual({ onlyA: 0, onlyB: 0, differently: 1 })
    expect(same).toEqual({ messages: 60, summaries: 2 })
    const [{ kind, first, last, a, b } = {} as never] = differences
    expect({ kind, first, last }).toEqual({ kind: 'differently', first: 0, last: 9 })
    const marked = (entry: typeof a) => entry?.marks.map(([from, to]) => entry.text.slice(from, to))
    expect(marked(a)).toEqual([])
    expect(marked(b)).toEqual(['Webhooks are signed.'])
    one.close()
    other.close()
  })

  it('list messages that only one of them has', async () => {
    const [one, other] = [built(), built()]
    other.messages(1, ['Something new.', 'And more.'])
    const { runs, counts, differences, b } = await compared(one.path, { b: { path: other.path } })
    expect(runs).toEqual([
      { first: 0, last: 59, a: 0, b: 0 },
      { first: 60, last: 61, a: null, b: 60 },
    ])
    expect(counts).toEqual({ onlyA: 0, onlyB: 1, differently: 0 })
    expect(differences[0]).toMatchObject({
      kind: 'only_b',
      what: 'messages',
      b: { messages: 2, title: 'Something new' },
    })
    expect(b.window.at(-1)).toMatchObject({ last: 61, id: null })
    one.close()
    other.close()
  })

  it('ask for the conversation when the other file has several and none of the same session', async () => {
    const one = built()
    using other = buildMemory({
      conversations: [
        { sessionId: 'x', messages: ['a'] },
        { sessionId: 'y', messages: ['b'] },
      ],
    })
    await expect(compared(one.path, { b: { path: other.path, conversationId: undefined } })).rejects.toMatchObject({
      code: 'conversation_required',
      details: { path: other.path, conversations: [{ name: 'x' }, { name: 'y' }] },
    })
    one.close()
  })
})

describe('the window of a side', () => {
  const at = (second: number): string => new Date(Date.UTC(2026, 10, 28, 4, 0, second)).toISOString()
  const entry = (id: number, parent: number | null, role: string, words: string) => ({
    ...{ id: `e${id}`, parentId: parent === null ? null : `e${parent}`, timestamp: at(id) },
    ...piSaid(role, words),
  })
  const shared = [entry(1, null, 'user', 'one'), entry(2, 1, 'assistant', 'two'), entry(3, 2, 'user', 'three')]
  /** The parent left its second and third message, and the fork copied them before. */
  const imported = async (): Promise<TestMemory> => {
    const folder = temporaryFolder()
    const left = [entry(15, 1, 'assistant', 'another two'), entry(16, 15, 'user', 'another three')]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const fork = { ...piHeader('pi-2'), timestamp: at(10), parentSession }
    const memory = buildMemory()
    await importOne(
      memory.db,
      writeLines([{ ...piHeader('pi-1'), timestamp: at(0) }, ...shared, ...left], 'a.jsonl', folder),
    )
    await importOne(memory.db, writeLines([fork, ...shared, entry(11, 3, 'user', 'own')], 'b.jsonl', folder))
    return memory
  }
  const figures = ({ windowItems, windowTokens, leftOutItems, leftOutTokens }: ComparedSide) => ({
    ...{ windowItems, windowTokens, leftOutItems, leftOutTokens },
  })
  const figuresOf = ({ items, activeTokens, leftOutTokens }: AssembledContext) => ({
    ...{ windowItems: items.length, windowTokens: activeTokens },
    ...{ leftOutItems: items.filter(({ included }) => !included).length, leftOutTokens },
  })

  it('has the figures of the Window view, also with messages that are not sent and those of another conversation', async () => {
    using memory = await imported()
    for (const conversationId of [1, 2]) {
      const { context } = sentWindow(memory, `pi-${conversationId}`)
      const { a, b, isSame } = await compared(memory.path, { a: { conversationId }, b: { conversationId } })
      expect(figures(a)).toEqual(figuresOf(context))
      expect(figures(b)).toEqual(figuresOf(context))
      expect(isSame).toBe(true)
    }
  })

  it('has those of the moment that is asked for', async () => {
    using memory = await imported()
    using lcm = await openLcm(memory.path, { readOnly: true })
    for (const messageId of ['msg_2', 'msg_4']) {
      const context = lcm.timeTravel.contextAt({ conversationId: 1, moment: { messageId } })
      const { a } = await compared(memory.path, { a: { at: { messageId } } })
      expect(figures(a)).toEqual(figuresOf(context))
    }
  })

  it('shows no message as in the window that the agent does not send', async () => {
    using memory = await imported()
    const { context } = sentWindow(memory, 'pi-1')
    const unsent = context.items.flatMap(({ reasonCode, seq }) => (reasonCode === 'not_sent' ? (seq ?? []) : []))
    expect(unsent.length).toBeGreaterThan(0)
    const { a, places } = await compared(memory.path, {})
    const shown = a.window.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    expect(shown).toBe(places - unsent.length)
  })

  it('names what a fork sees of another conversation, which is not compared', async () => {
    using memory = await imported()
    const { notes } = await compared(memory.path, { b: { conversationId: 2 } })
    expect(notes).toEqual([
      '3 items of the window of B, with 3 tokens, are inherited from conversation 1. They are not compared.',
    ])
  })
})

describe('one conversation at two moments', () => {
  it('has what came since on the side of now, and nothing else differs but the window', async () => {
    const memory = built()
    const { a, b, differences, isSame } = await compared(memory.path, { a: { at: { messageId: 'msg_20' } } })
    expect([a.messages, b.messages, a.name, b.name, isSame]).toEqual([20, 60, 'at msg_20', 'now', false])
    expect(differences.some(({ what, kind }) => what === 'messages' && kind === 'only_b')).toBe(true)
    expect(differences.some(({ what, kind }) => what === 'messages' && kind === 'only_a')).toBe(false)
    memory.close()
  })

  it('is the same at the same moment, whichever that is', async () => {
    const memory = built()
    for (const at of [{ now: true as const }, { messageId: 'msg_5' }, { messageId: 'msg_45' }])
      expect((await compared(memory.path, { a: { at }, b: { at } })).isSame).toBe(true)
    memory.close()
  })

  it('counts for each side how many details stand in its window, never more than there are', async () => {
    const memory = built()
    const { details } = await compared(memory.path, { a: { at: { messageId: 'msg_20' } } })
    expect(details?.details.length).toBe(60)
    for (const [column, all] of (details?.details ?? []).entries()) {
      expect(details?.a[column]).toBeLessThanOrEqual(all)
      expect(details?.b[column]).toBeLessThanOrEqual(all)
    }
    memory.close()
  })
})

describe('a compaction that is tried', () => {
  it('is compared on a copy that is removed afterwards, and the memory stays as it is', async () => {
    const trials = () => readdirSync(tmpdir()).filter((name) => name.startsWith('lcm-trial-')).length
    const before = trials()
    const memory = built()
    const { b, isSame, differences } = await compared(memory.path, { b: { after: { preset: 'pi-lcm' } } })
    expect([b.name, b.path, isSame]).toEqual(['after one with pi-lcm', memory.path, false])
    expect(differences.some(({ kind, what }) => kind === 'only_b' && what === 'summary')).toBe(true)
    expect(trials()).toBe(before)
    memory.close()
  })

  it('is refused at a moment of the past', async () => {
    const memory = built()
    const asked = compared(memory.path, { b: { after: {}, at: { messageId: 'msg_2' } } })
    await expect(asked).rejects.toMatchObject({ code: 'invalid_argument' })
    memory.close()
  })

  it('leaves no copy behind when it is cancelled', async () => {
    const trials = () => readdirSync(tmpdir()).filter((name) => name.startsWith('lcm-trial-')).length
    const before = trials()
    const memory = built()
    const abort = new AbortController()
    const asked = compared(memory.path, { b: { after: {} } }, abort.signal)
    abort.abort()
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
    expect(trials()).toBe(before)
    memory.close()
  })
})

it('lists as many differences as are asked for, and counts all', async () => {
  const memory = built()
  const all = await compared(memory.path, { a: { at: { messageId: 'msg_2' } } })
  const some = await compared(memory.path, { a: { at: { messageId: 'msg_2' } }, limit: 2 })
  expect(some.counts).toEqual(all.counts)
  expect(some.differences).toEqual(all.differences.slice(0, 2))
  expect(all.differences.length).toBe(all.counts.onlyA + all.counts.onlyB + all.counts.differently)
  memory.close()
})

/** Sixty messages, of which twenty are in two leaves under one summary of depth 1. */
function built(first = 'The gateway retries were raised from 1 to 4.'): TestMemory {
  const history = generateHistory({ seed: 5, messages: 59 }).map(({ content, role }) => ({ content, role }))
  const memory = buildMemory({
    conversations: [{ sessionId: 's', messages: ['The gateway retries were raised from 1 to 4.', ...history] }],
  })
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const one = memory.leaf(1, ids(1, 10), { content: first, id: 'sum_one' })
  const two = memory.leaf(1, ids(11, 20), { content: 'The export was written.', id: 'sum_two' })
  memory.condensed(1, [one, two], { content: 'Retries and the export.', id: 'sum_top' })
  return memory
}
