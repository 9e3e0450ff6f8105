import { afterAll, beforeAll, expect, it } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { ProvenanceInput } from '#core/contract/provenance.ts'
import { ProvenanceFinder } from '#core/provenance/provenance.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { processorClock } from '../builders/busy-machine.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { provenanceOf } from './measure.ts'

const SAID = 'Measured on the old rack: zephyrGate drops 4 of 93127 packets when the fan in bay 12 stalls.'
const SUMMARY = [
  'zephyrGate drops 4 of 93127 packets when the fan in bay 12 stalls.',
  'zephyrGate drops 4 of 55555 packets when the fan in bay 12 stalls.',
  'The lock is taken before the queue returns.',
  'Nobody ordered new curtains for the meeting room.',
].join('\n')
/** No message has its last word. */
const REWORDED = 'Measured on the old rack, the fan stalls blorply.'
let memory: TestMemory
let top: string
let reworded: string

beforeAll(() => {
  memory = buildMemory({ conversations: [{}] })
  const stories = generateHistory({ seed: 5, messages: 10_000 })
  const specs = stories.map(({ role, content }, place) => ({ role, content: place === 6_400 ? SAID : content }))
  const ids = memory.messages(1, specs)
  memory.db.transaction(() => {
    const leaves = Array.from({ length: 100 }, (_, leaf) =>
      memory.leaf(1, ids.slice(leaf * 100, leaf * 100 + 100), { content: `Stretch ${leaf}.`, inWindow: false }),
    )
    top = memory.condensed(1, leaves, { content: SUMMARY, inWindow: false })
    reworded = memory.condensed(1, leaves, { content: REWORDED, inWindow: false })
  })
})
afterAll(() => memory.close())

it('finds one sentence among 10,000 messages, and yields meanwhile', async () => {
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  const usedMs = processorClock()
  const { claims, searched, tookMs } = await provenanceOf(memory.db, top)
  clearInterval(timer)
  expect(searched).toMatchObject({ messages: 10_000, messagesRead: 10_000, summaries: 100, isComplete: true })
  expect(claims.map(({ support }) => support)).toEqual(['supported', 'weak', expect.anything(), 'none'])
  expect(claims[0]?.passages[0]).toMatchObject({ id: 'msg_6401', seq: 6400 })
  expect(claims[1]?.invented.map(({ text }) => text)).toEqual(['55555'])
  // It takes half a second of processor time.
  expect(usedMs()).toBeLessThan(15_000)
  expect(turns).toBeGreaterThan(5)
  if (process.env.LCM_SHOW_FIGURES === '1') console.log({ tookMs, turns, searched })
})

it.each([20_000, 0])(
  'looks for the words of a claim that stand in the memory, when those in %d messages are ranked',
  async (mostRanked) => {
    const { claims } = await finderWith(mostRanked).find(ProvenanceInput.parse({ summaryId: reworded }))
    expect(claims[0]?.passages[0]).toMatchObject({ id: 'msg_6401' })
  },
)

it.each([20_000, 200, 0])(
  'searches for the messages of a subtree that is too large to be read, by words in %d messages',
  async (mostRanked) => {
    const { claims, searched, notes } = await finderWith(mostRanked).find(ProvenanceInput.parse({ summaryId: top }))
    expect(searched.isComplete).toBe(false)
    expect(searched.messagesRead).toBeLessThan(1_000)
    expect(notes.join(' ')).toContain('10,000 messages')
    expect(claims[0]).toMatchObject({ support: 'supported' })
    expect(claims[0]?.passages[0]).toMatchObject({ id: 'msg_6401' })
    expect(claims[1]?.invented.map(({ text }) => text)).toEqual(['55555'])
    expect(claims[3]?.support).toBe('none')
  },
)

function finderWith(mostRanked: number): ProvenanceFinder {
  const reader = new MemoryReader(memory.db)
  const retrieval = new RetrievalEngine(memory.db, NATIVE_CAPABILITIES, reader)
  return new ProvenanceFinder({
    db: memory.db,
    reader,
    grep: (input, signal) => retrieval.grep(input, signal),
    messagesWith: (word) => retrieval.messagesWith(word),
    mostMessages: 500,
    mostRanked,
  })
}
