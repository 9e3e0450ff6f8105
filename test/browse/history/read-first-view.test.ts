import { expect, it } from 'vitest'
import { readFirstView } from '#core/browse/read-first-view.ts'
import { openLcm } from '#core/lcm.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'

async function readOf(memory: TestMemory): Promise<number[]> {
  const lcm = await openLcm(memory.path)
  await readFirstView(lcm)
  const read = [1, 2, 3].filter((id) => lcm.reader.keptMemory(id) !== null)
  lcm.close()
  return read
}

it('reads the conversation that a window opens with, and no other one', async () => {
  using memory = buildMemory({
    conversations: [{ messages: ['hello'] }, { messages: ['one', 'two', 'three'] }, { messages: ['the newest one'] }],
  })
  memory.leaf(2, [2, 3])
  expect(await readOf(memory)).toEqual([2])
})

it('reads nothing of a file without a conversation', async () => {
  using memory = buildMemory()
  expect(await readOf(memory)).toEqual([])
})
