import { describe, expect, it, onTestFinished } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { runToEnd } from '#core/yielding.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

const never = new AbortController().signal

/** A sound conversation, and one of which thirty messages are in no window. */
async function halfDamaged() {
  const built = buildMemory()
  built.messages(built.conversation(), 5)
  const damaged = built.conversation()
  built.messages(damaged, 40)
  built.damage(`DELETE FROM context_items WHERE conversation_id = ${damaged} AND ordinal < 30`)
  built.db.close()
  const lcm = await openLcm(built.path, { readOnly: true, cacheDir: temporaryFolder() })
  onTestFinished(() => lcm.close())
  return { lcm, damaged }
}

describe('a report', () => {
  it('counts findings by conversation, also those beyond the samples', async () => {
    const { lcm, damaged } = await halfDamaged()
    const report = await checkMemory(lcm)
    const [one, ...others] = report.byConversation ?? []
    expect([one?.conversationId, others]).toEqual([damaged, []])
    expect(one?.errors).toBeGreaterThanOrEqual(30)
    expect(Math.max(...report.checks.map(({ samples }) => samples.length))).toBe(20)
  })

  it('has the findings of the structure alone when only that was checked, and says so', async () => {
    const { lcm, damaged } = await halfDamaged()
    const whole = await checkMemory(lcm)
    const structure = await runToEnd((await lcm.doctor()).integrity.run(undefined, never, 'structure'))
    expect([whole.only, structure.only]).toEqual([undefined, 'structure'])
    expect(structure.checks.map(({ phase }) => phase)).toEqual(structure.checks.map(() => 'structure'))
    expect(structure.checks.length).toBeLessThan(whole.checks.length)
    expect(structure.byConversation).toEqual([expect.objectContaining({ conversationId: damaged })])
  })
})
