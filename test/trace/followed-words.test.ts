import { expect, it } from 'vitest'
import { FactStatesInput } from '#core/contract/trace.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { FactStateFinder } from '#core/trace/fact-states.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

async function stateOf({ db }: TestMemory, id: string, text?: string) {
  const finder = new FactStateFinder({ db, reader: new MemoryReader(db), indexes: new TextIndexes(db) })
  const { states } = await finder.of(FactStatesInput.parse({ ids: [id], budgetMs: 5000, text }))
  return states[0]
}

const TOLD = 'Ticket-1919 waits for Hanna. The deploy key of the gateway is rotated on 2026-04-01.'

it('says of a message what became of the searched words, and not of everything else that it says', async () => {
  using memory = buildMemory({ conversations: [{ messages: [TOLD, 'Good.', 'Newest.'] }] })
  memory.leaf(1, [1, 2], { content: 'Ticket-1919 waits for Hanna.' })
  expect(await stateOf(memory, 'msg_1')).toMatchObject({ state: 'partly' })
  expect(await stateOf(memory, 'msg_1', 'ticket-1919')).toMatchObject({ state: 'kept', details: 1 })
  expect(await stateOf(memory, 'msg_1', '2026-04-01')).toMatchObject({ state: 'dropped', details: 1 })
})

it('says of a place what became of the words on its own way, whoever else says them', async () => {
  using memory = buildMemory({ conversations: [{ messages: [TOLD, 'Good.', 'Rotated on 2026-04-01, I said.'] }] })
  memory.leaf(1, [1, 2], { content: 'Ticket-1919 waits for Hanna.' })
  expect(await stateOf(memory, 'msg_1', '2026-04-01')).toMatchObject({ state: 'dropped' })
  expect(await stateOf(memory, 'msg_3', '2026-04-01')).toMatchObject({ state: 'kept', inWindow: true })
})

it('follows the sentences that have the words of a question, which stands in no text as it is', async () => {
  using memory = buildMemory({ conversations: [{ messages: [TOLD, 'Good.', 'Newest.'] }] })
  memory.leaf(1, [1, 2], { content: 'Ticket-1919 waits for Hanna.' })
  expect(await stateOf(memory, 'msg_1', 'when is the deploy key rotated?')).toMatchObject({ state: 'dropped' })
  expect(await stateOf(memory, 'msg_1', 'who does the ticket wait for?')).toMatchObject({ state: 'kept' })
})
