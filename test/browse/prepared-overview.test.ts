import { expect, it, vi } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openMemory } from '#core/systems/opening/open.ts'
import { WindowSizes } from '#core/window/window-sizes.ts'
import { buildMemory } from '../builders/memory.ts'

it('has the size of a long window at hand for the overview after it was measured in slices, and measures it anew when a message came', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 1200)
  const { read, info } = await openMemory(memory.path)
  using db = read
  const stats = () => new MemoryStats(db, info, readSettings({}).compaction, createTokenEstimator())
  const prepared = stats()
  await prepared.prepareOverview(1)
  const measuring = vi.spyOn(WindowSizes.prototype, 'measuring')
  const overview = prepared.overview(1)
  expect(measuring).not.toHaveBeenCalled()
  expect(overview).toEqual(stats().overview(1))
  memory.messages(1, 1)
  expect(prepared.overview(1).conversation.messages).toBe(1201)
  expect(prepared.overview(1)).toEqual(stats().overview(1))
  measuring.mockRestore()
})

it('measures a long window once for all who prepare its overview at the same time', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 1200)
  const { read, info } = await openMemory(memory.path)
  using db = read
  const stats = new MemoryStats(db, info, readSettings({}).compaction, createTokenEstimator())
  const measuring = vi.spyOn(WindowSizes.prototype, 'measuring')
  await Promise.all([stats.prepareOverview(1), stats.prepareOverview(1), stats.prepareOverview(1)])
  expect(measuring).toHaveBeenCalledTimes(1)
  memory.messages(1, 1)
  await stats.prepareOverview(1)
  expect(measuring).toHaveBeenCalledTimes(2)
  measuring.mockRestore()
})

it('measures a long window again for who prepares its overview after a message came while it was measured', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 1200)
  const { read, info } = await openMemory(memory.path)
  using db = read
  const stats = new MemoryStats(db, info, readSettings({}).compaction, createTokenEstimator())
  const before = stats.prepareOverview(1)
  memory.messages(1, 1)
  await Promise.all([before, stats.prepareOverview(1)])
  const measuring = vi.spyOn(WindowSizes.prototype, 'measuring')
  expect(stats.overview(1).conversation.messages).toBe(1201)
  expect(measuring).not.toHaveBeenCalled()
  measuring.mockRestore()
})
