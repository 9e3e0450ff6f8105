import { describe, expect, it } from 'vitest'
import { keepRecent, once, sharedWork } from '#core/keeping.ts'

it('a thing that is made once is the same with every call, also when it is undefined', () => {
  let calls = 0
  const made = once(() => {
    calls += 1
    return undefined
  })
  expect(calls).toBe(0)
  expect([made(), made()]).toEqual([undefined, undefined])
  expect(calls).toBe(1)
})

it('a thing that could not be made is made again with the next call', async () => {
  let calls = 0
  const made = once(async () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  })
  await expect(made()).rejects.toThrow('not yet')
  expect(await made()).toBe(2)
  expect(await made()).toBe(2)
})

it('work is begun once for all who ask for it while it is under way, and again after it has ended or failed', async () => {
  let begun = 0
  const underway = new Map<string, Promise<number>>()
  const work = (key: string) =>
    sharedWork(underway, key, async () => {
      begun += 1
      await Promise.resolve()
      if (begun === 1) throw new Error('not yet')
      return begun
    })
  const failing = [work('a'), work('a')]
  for (const one of failing) await expect(one).rejects.toThrow('not yet')
  expect(await Promise.all([work('a'), work('a')])).toEqual([2, 2])
  expect(await Promise.all([work('a'), work('b')])).toEqual([4, 4])
  expect(underway.size).toBe(0)
})

describe('a map of recently used values', () => {
  it('loses the value that was not used longest when it has too many', () => {
    const kept = new Map<string, number>()
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['c', 4],
    ] as const)
      expect(keepRecent(kept, key, value, 2)).toBe(value)
    expect([...kept]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
  })

  it('keeps all values while they are no more than it may have', () => {
    const kept = new Map<string, number>()
    for (const key of ['a', 'b', 'a']) keepRecent(kept, key, 1, 5)
    expect([...kept.keys()]).toEqual(['b', 'a'])
  })
})
