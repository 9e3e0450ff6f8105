import { afterEach, expect, it } from 'vitest'
import { type Outline, OutlineInput } from '#core/contract/outline.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'

let lcm: Lcm | undefined
afterEach(() => lcm?.close())

const outline = (input: Parameters<typeof OutlineInput.parse>[0] = {}): Outline =>
  (lcm as Lcm).outliner.outline(OutlineInput.parse(input))

/** Two conversations; the second changed last. The first has three leaves under one condensed summary, and one beside it. */
async function opened() {
  const memory: TestMemory = buildMemory({ conversations: [{ title: 'The older one' }, { title: 'The newer one' }] })
  const [older = 0, newer = 0] = memory.conversationIds
  const messages = memory.messages(older, 30)
  const leaves = [0, 5, 10, 15].map((from) =>
    memory.leaf(older, messages.slice(from, from + 5), { content: `Leaf of ${from}.` }),
  )
  const top = memory.condensed(older, leaves.slice(0, 3), { content: 'The first three.' })
  memory.message(newer, { content: 'Last of all.', atMs: Date.UTC(2026, 5, 1) })
  lcm = await openLcm(memory.path, { readOnly: true })
  return { memory, older, newer, messages: messages.map((id) => `msg_${id}`), leaves, top }
}

it('an outline without a conversation shows the one that changed last, and names all', async () => {
  const { older, newer } = await opened()
  const shown = outline()
  expect(shown.conversation).toMatchObject({ conversationId: newer, title: 'The newer one', maxDepth: -1 })
  expect(shown.conversations.map(({ conversationId }) => conversationId)).toEqual([newer, older])
  expect(shown.conversationCount).toBe(2)
  // It has no summary yet, so that its newest messages are all there is to show.
  expect(shown.messages.map(({ excerpt }) => excerpt)).toEqual(['Last of all.'])
})

it('an overview has the summaries from which no other was made, in the order of the history', async () => {
  const { older, leaves, top } = await opened()
  const shown = outline({ conversationId: older })
  expect(shown.summaries.map(({ id, content }) => [id, content])).toEqual([
    [top, 'The first three.'],
    [leaves[3], 'Leaf of 15.'],
  ])
  expect(shown).toMatchObject({ summaryCount: 2, messages: [] })
})

it('the recent and the earliest section have the leaves and messages at that end', async () => {
  const { older, leaves, messages } = await opened()
  const recent = outline({ conversationId: older, section: 'recent' })
  const earliest = outline({ conversationId: older, section: 'earliest' })
  expect(recent.summaries.map(({ id }) => id)).toEqual(leaves)
  expect(recent.messages.map(({ id }) => id)).toEqual(messages.slice(-12))
  expect(earliest.messages.map(({ id }) => id)).toEqual(messages.slice(0, 12))
})

it('a memory without a conversation has an empty outline, and an unknown conversation is not found', async () => {
  using memory = buildMemory({})
  lcm = await openLcm(memory.path, { readOnly: true })
  expect(outline()).toMatchObject({ conversation: null, conversations: [], summaries: [], messages: [] })
  expect(() => outline({ conversationId: 7 })).toThrow('There is no conversation 7')
})

it('the preamble is the same for every memory, and the figures change when summaries are made, not when messages come', async () => {
  const { memory, older, newer } = await opened()
  const guidelinesOf = (id: number) => (lcm as Lcm).outliner.guidelines(id)
  const before = guidelinesOf(older)
  expect(before.preamble).toBe(guidelinesOf(newer).preamble)
  expect(guidelinesOf(newer).guidelines).toEqual([])
  expect(before.guidelines[0]).toContain('5 summaries, up to depth 1, made from 20 messages')
  const added = memory.messages(older, 10)
  expect(guidelinesOf(older)).toEqual(before)
  memory.leaf(older, added.slice(0, 5))
  expect(guidelinesOf(older).guidelines[0]).toContain('6 summaries, up to depth 1, made from 25 messages')
})
