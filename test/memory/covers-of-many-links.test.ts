import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { wrapConnection } from '#core/sqlite/read-db.ts'
import { summariesAboveMessages, summariesAboveSummaries } from '#core/systems/reading/covers.ts'
import { buildMemory } from '../builders/memory.ts'

const [LAYERS, WIDTH] = [8, 8]

it('follows each link above a message once or twice, however many ways lead up to it', () => {
  const memory = buildMemory({ conversations: [{ messages: ['a'] }] })
  // Every summary of a layer is made from every one of the layer below.
  let below = Array.from({ length: WIDTH }, (_, i) => memory.leaf(1, [1], { id: `sum_0_${i}`, inWindow: false }))
  for (let layer = 1; layer < LAYERS; layer += 1)
    below = below.map((_, i) => memory.condensed(1, below, { id: `sum_${layer}_${i}`, inWindow: false }))
  memory.db.close()

  const connection = new Database(memory.path)
  let visited = 0
  connection.function('counted', { deterministic: false }, () => {
    visited += 1
    return 1
  })
  connection.exec('CREATE TEMP VIEW summary_sources AS SELECT * FROM main.summary_sources WHERE counted()')
  const db = wrapConnection(connection, memory.path)
  const links = (LAYERS - 1) * WIDTH * WIDTH

  const above = summariesAboveMessages(db, [{ id: 1, conversationId: 1 }]).get(1)
  expect(above?.length).toBe(LAYERS * WIDTH)
  expect(visited).toBeLessThanOrEqual(2 * links)

  visited = 0
  const covers = summariesAboveSummaries(db, [{ id: 'sum_0_0', conversationId: 1 }]).get('sum_0_0')
  expect(covers?.length).toBe((LAYERS - 1) * WIDTH)
  expect(visited).toBeLessThanOrEqual(4 * links)
  db.close()
})
