import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countTicks } from '../builders/busy-machine.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { agentOn, look, windowOn } from './open-window.ts'

// "While another process writes, the view follows within a second, […] never holds a lock that a writer waits for.
// Tested with a writer process on each dialect's own schema."

const TICK_MS = 500
/** A second until the change is noticed, and as much for reading. A view that does not look by itself needs any number. */
const MOST_TICKS = 4

describe.each(WRITERS.map(({ name }) => ({ name })))('a window beside an agent that writes as $name', ({ name }) => {
  it('follows within a second, and nobody waits', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const agent = await agentOn(name, path)
    await agent.tell('say 3')
    const { core, changes } = windowOn(path)
    expect(await look(core)).toBe(3)
    expect((await core.lcm()).info.access).toBe('in_place')
    for (let round = 1; round <= 3; round += 1) {
      const before = changes()
      const { next } = await agent.tell('say 7')
      const ticks = countTicks(TICK_MS)
      await expect.poll(changes, { interval: 10 }).toBeGreaterThan(before)
      expect(await look(core)).toBe(next)
      expect(ticks()).toBeLessThanOrEqual(MOST_TICKS)
    }
    const last = await agent.tell('say 1')
    expect(last.busy).toBe(0)
  })

  it('prevents no write, no checkpoint and no restart of the log while it reads', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const agent = await agentOn(name, path)
    await agent.tell('say 5')
    const { core } = windowOn(path)
    for (let round = 0; round < 5; round += 1) {
      await look(core)
      await agent.tell('say 4')
      await look(core)
      // Between two looks nothing is held; the file may just be asked whether it has changed.
      const ticks = countTicks(TICK_MS)
      await expect.poll(async () => (await agent.tell('fold')).refused, { interval: 1 }).toBe(0)
      expect(ticks()).toBeLessThanOrEqual(MOST_TICKS)
      if (round === 2) await agent.tell('restart')
    }
    const { busy, next, largestLog } = await agent.tell('say 1')
    expect(busy).toBe(0)
    expect(largestLog).toBeLessThan(4_500_000)
    await expect.poll(() => look(core), { interval: 50 }).toBe(next)
  })

  it('follows an agent that appears, and reads the file at rest when it has gone', async () => {
    const path = join(temporaryFolder(), 'lcm.db')
    const first = await agentOn(name, path)
    const { next: already } = await first.tell('say 6')
    await first.tell('close')
    const names = readdirSync(dirname(path)).sort()
    const { core } = windowOn(path)
    expect([await look(core), (await core.lcm()).info.access]).toEqual([6, 'memory_image'])
    const agent = await agentOn(name, path, already)
    const { next } = await agent.tell('say 5')
    const ticks = countTicks(TICK_MS)
    await expect.poll(() => look(core), { interval: 20 }).toBe(next)
    expect(ticks()).toBeLessThanOrEqual(MOST_TICKS)
    expect((await core.lcm()).info.access).toBe('in_place')
    await core.close()
    await agent.tell('close')
    expect(readdirSync(dirname(path)).sort()).toEqual(names)
  })
})
