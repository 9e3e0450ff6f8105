import { expect, it } from 'vitest'
import { searchedTexts } from '#core/systems/reading/texts.ts'
import { buildMemory } from '#test/builders/memory.ts'

const DENSE = [3, 1, 2, 4]

it('reads the same texts of messages as a range and as a list with gaps', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 400)
  const tool = { part_type: 'tool', tool_name: 'read', tool_status: 'completed' } as const
  memory.parts(1, [{ ...tool, tool_input: 'first', tool_output: '' }])
  memory.parts(1, [{ ...tool, tool_input: 'second', tool_output: 'out' }])
  memory.parts(3, [{ part_type: 'reasoning', text_content: 'because' }])
  const listed = searchedTexts(memory.db, DENSE)
  const many = Array.from({ length: 40 }, (_, at) => 40 - at)
  const ranged = searchedTexts(memory.db, [400, ...many])
  expect([...listed.keys()].sort()).toEqual([1, 2, 3, 4])
  expect(new Set(ranged.keys())).toEqual(new Set([...many, 400]))
  for (const id of DENSE) expect(ranged.get(id)).toEqual(listed.get(id))
  expect(ranged.get(1)?.slice(1)).toEqual(['first\nsecond', '\nout', ''])
  expect(ranged.get(3)?.[3]).toBe('because')
})

it('leaves out the messages of a range that were not asked for', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 100)
  const even = Array.from({ length: 50 }, (_, at) => at * 2 + 2)
  expect([...searchedTexts(memory.db, even).keys()]).toEqual(even)
  expect([...searchedTexts(memory.db, [2, 4, 5]).keys()]).toEqual([2, 4, 5])
  expect(searchedTexts(memory.db, []).size).toBe(0)
})
